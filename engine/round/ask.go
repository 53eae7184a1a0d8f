package round

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/mcpstar/mcpstar/engine"
	"github.com/mcpstar/mcpstar/engine/exactjson"
	"github.com/mcpstar/mcpstar/engine/graph"
)

// maxChanged is how often the answer to one question may come too late, because
// the question was another one by then, before the call is given up.
const maxChanged = 3

// ask gets the outcome of a question: a recorded answer, one that came with this
// round, or the client's answer to a request. It returns errPending where the
// question has to wait for the next round.
func (r *run) ask(n *graph.Node, q engine.Question) (engine.Outcome, error) {
	if r.Ask != nil {
		return r.askNow(n, q)
	}
	pin := Pin{Key: n.Key, Digest: engine.Digest(q)}
	if outcome, ok := r.restore(pin, q); ok {
		return outcome, nil
	}
	answer, came := r.Answers[n.Key]
	if came && r.State.asked(n.Key) == pin.Digest {
		outcome, err := q.Accept(answer)
		if err != nil {
			return engine.Outcome{}, badAnswer(n.Key, err)
		}
		r.next.Answers = append(r.next.Answers, Recorded{Pin: pin, Answer: answer})
		return outcome, nil
	}
	if came {
		if err := r.changed(n); err != nil {
			return engine.Outcome{}, err
		}
	}
	if err := r.mayReach("resolver", n.Key, q); err != nil {
		return engine.Outcome{}, err
	}
	r.observe(n.Key, Asks, "")
	r.asked = append(r.asked, Asked{Key: n.Key, Question: q})
	r.next.Asked = append(r.next.Asked, pin)
	return engine.Outcome{}, errPending
}

func (r *run) askNow(n *graph.Node, q engine.Question) (engine.Outcome, error) {
	if err := r.mayReach("resolver", n.Key, q); err != nil {
		return engine.Outcome{}, err
	}
	r.observe(n.Key, Asks, "")
	answer, err := r.Ask(r.ctx, Asked{Key: n.Key, Question: q})
	if err != nil {
		return engine.Outcome{}, err
	}
	outcome, err := q.Accept(answer)
	if err != nil {
		return engine.Outcome{}, badAnswer(n.Key, err)
	}
	return outcome, nil
}

// restore uses a recorded answer, if the resolver asks the very same question
// and the answer still fits it.
func (r *run) restore(pin Pin, q engine.Question) (engine.Outcome, bool) {
	recorded := r.State.recorded(pin.Key)
	if recorded == nil || recorded.Digest != pin.Digest {
		return engine.Outcome{}, false
	}
	outcome, err := q.Accept(recorded.Answer)
	if err != nil {
		return engine.Outcome{}, false
	}
	r.next.Answers = append(r.next.Answers, *recorded)
	return outcome, true
}

// changed counts an answer to a question that is no longer asked that way. A
// question which changes in every round would be asked forever.
func (r *run) changed(n *graph.Node) error {
	if r.Discarded != nil {
		r.Discarded(n.Key)
	}
	if r.State.asked(n.Key) == "" || r.State.Code != r.Code {
		return nil // never asked, or a reload has reworded it
	}
	counts := map[string]int{n.Key: 0}
	for k, v := range r.next.Changed {
		counts[k] = v
	}
	counts[n.Key]++
	r.next.Changed = counts
	if counts[n.Key] < maxChanged {
		return nil
	}
	return &engine.Failure{Text: fmt.Sprintf(
		"resolver '%s' asked a different question in every round, so no answer could be used; "+
			"build its question only from the arguments, earlier answers, time.now(), random and uuid()", n.Key)}
}

// mayReach checks that the client can be asked this at all.
func (r *run) mayReach(who, key string, q engine.Question) error {
	needs := q.Needs()
	if needs.Declared(r.Capabilities) {
		return nil
	}
	return &engine.ProtocolError{
		Code:    engine.CodeMissingCapability,
		Message: fmt.Sprintf("Client did not declare the %s capability required by %s '%s'", needs.Name, who, key),
		Data:    exactjson.MustMarshal(exactjson.Object{{Name: "requiredCapabilities", Value: needs.Required}}),
	}
}

// mayAsk checks a question against what its resolver promised to return.
func mayAsk(fn *graph.Func, q engine.Question) error {
	answers := q.Answers()
	if fn.Returns == nil || answers == nil || fn.Returns == answers {
		return nil
	}
	declared := strings.Split(fn.Returns.TypeName(), " | ")
	if slices.Contains(declared, answers.TypeName()) || slices.Contains(declared, "any") {
		return nil
	}
	return &engine.Failure{Text: fmt.Sprintf(
		"%s: %s() asks for %s but is declared -> %s", q.Pos(), fn.Name, answers.TypeName(), fn.Returns.TypeName())}
}

// badAnswer is how a call ends that got an answer it can't use.
func badAnswer(key string, err error) error {
	var answer *engine.AnswerError
	if !errors.As(err, &answer) {
		return err
	}
	if answer.Malformed {
		return InvalidAnswers()
	}
	return &engine.Failure{Text: fmt.Sprintf("Resolver '%s' %s", key, answer.Text)}
}

// InvalidAnswers is the error for a request whose answers are no answers.
func InvalidAnswers() error {
	return &engine.ProtocolError{Code: engine.CodeInvalidParams, Message: "Invalid request parameters", Data: json.RawMessage(`""`)}
}
