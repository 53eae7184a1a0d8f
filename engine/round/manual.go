package round

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"time"

	"github.com/mcpstar/mcpstar/engine"
)

// maxManualRounds is how often a body may ask again within one request, where
// questions are requests of the server. Elsewhere every round is a request of the
// client's, which counts them itself.
const maxManualRounds = 100

// A Resumed is what a body that drives its rounds by itself finds in a later one.
type Resumed struct {
	// Answers are the client's, by the body's own keys.
	Answers map[string]json.RawMessage
	// Kept is the state that the body gave in the round before, or nil.
	Kept json.RawMessage
}

// manual is what becomes of an [engine.InputRequired]: the end of the round, or, on
// a connection that asks at once, the next call of the body.
func (r *run) manual(args arguments) (*Result, error) {
	for n := 0; ; n++ {
		v, err := r.body(args)
		if err != nil {
			return nil, err
		}
		asks, ok := v.(engine.InputRequired)
		if !ok {
			return &Result{Value: v}, nil
		}
		if len(r.Plan.Resolvers) > 0 {
			return nil, &engine.Failure{Text: fmt.Sprintf("the %s returned input_required(...) but its parameters use resolve(...); "+
				"a call has one input_required channel, so the multi-round flow is driven either by resolvers or by the %s body, not both", r.Plan.Kind, r.Plan.Kind)}
		}
		for _, request := range asks.Requests() {
			if err := r.mayReach("input request", request.Key, request.Question); err != nil {
				return nil, err
			}
		}
		if r.Ask == nil {
			return r.handBack(asks), nil
		}
		if n == maxManualRounds {
			return nil, &engine.Failure{Text: fmt.Sprintf("the %s asked again %d times; does it use the answers in ctx.input_responses?", r.Plan.Kind, n)}
		}
		next, err := r.askAll(asks, n)
		if err != nil {
			return nil, err
		}
		if r.Resume != nil && r.context != nil {
			again := r.Resume(next)
			args.replace(r.context, again)
			r.context = again
		}
	}
}

// handBack ends the round with the body's questions.
func (r *run) handBack(asks engine.InputRequired) *Result {
	res := &Result{Manual: true}
	for _, request := range asks.Requests() {
		res.Asked = append(res.Asked, Asked(request))
	}
	if kept := asks.Kept(); kept != nil {
		r.next.Manual = kept
		res.State = r.next
	}
	return res
}

// askAll asks the body's questions one after the other. Without any there is
// nothing to wait for but time.
func (r *run) askAll(asks engine.InputRequired, n int) (Resumed, error) {
	next := Resumed{Answers: map[string]json.RawMessage{}, Kept: asks.Kept()}
	if len(asks.Requests()) == 0 {
		return next, pause(r.ctx, n)
	}
	for _, request := range asks.Requests() {
		answer, err := r.Ask(r.ctx, Asked(request))
		if err != nil {
			return next, err
		}
		if r.Malformed != nil && r.Malformed(answer) {
			return next, InvalidAnswers()
		}
		next.Answers[request.Key] = answer
	}
	return next, nil
}

// pause waits as clients do that are told to come back: 50 ms, then twice as long
// each time, up to 250 ms.
func pause(ctx context.Context, n int) error {
	return engine.Sleep(ctx, min(50*time.Millisecond<<min(n, 8), 250*time.Millisecond))
}

// stray is a question that the body has made and not returned, or nil.
func stray(scope *engine.Scope, returned any) engine.Question {
	asks, ok := returned.(engine.InputRequired)
	if !ok {
		return scope.Unreturned(nil)
	}
	return scope.UnreturnedBut(func(q engine.Question) bool {
		return slices.ContainsFunc(asks.Requests(), func(r engine.InputRequest) bool { return r.Question == q })
	})
}
