package calls

import (
	"context"
	"errors"
	"log/slog"
	"unicode/utf8"

	"github.com/mcpstar/mcpstar/engine"
	"github.com/mcpstar/mcpstar/starhost/load/report"
)

// A Report is what an operator is told of one round of a call. It holds nothing of
// what the call says: no argument, no answer, no result.
type Report struct {
	// Name is what was called: of a resource template its URI with the variables.
	// Unless Known, the server has none of that name, and the client made it up; it
	// is cut then.
	Name  string
	Known bool
	// Call is the id of the call, the same in all of its rounds; "" if the round
	// was refused before that was known. Round counts them from 1.
	Call  string
	Round int
	// Resolvers counts those that ran, Questions those that went out.
	Resolvers, Questions int
	// Outcome is "" for a round that ended with an error of the protocol.
	Outcome Outcome
	// Limit is the limit that was reached, in words, or "".
	Limit string
}

// An Outcome is how a round ended.
type Outcome string

const (
	// OutcomeResult is a result.
	OutcomeResult Outcome = "result"
	// OutcomeError is a result that tells the model what went wrong.
	OutcomeError Outcome = "error"
	// OutcomeLimit is an error because a limit was reached.
	OutcomeLimit Outcome = "limit"
	// OutcomeAsks is a round that ended with questions.
	OutcomeAsks Outcome = "input_required"
	// OutcomeRefused is an error of the protocol.
	OutcomeRefused Outcome = "refused"
	// OutcomeCancelled is a call that nobody waits for any more.
	OutcomeCancelled Outcome = "cancelled"
	// OutcomeCrashed is a call whose scripts' process has ended.
	OutcomeCrashed Outcome = "crashed"
)

// A Failed is a script that failed while it served, for its author and for
// operators: unlike a [Report] it may quote what the call was about. A call that a
// limit has stopped is one too, where the script was running.
type Failed struct {
	// Method is the protocol's; Name and Call are those of the [Report].
	Method, Name, Call string
	// Report is what went wrong, where, and what to write instead.
	Report *report.Error
}

// trace keeps where and why a script failed, for the operator.
func (c *call) trace(err error) {
	var limit *engine.Interrupt
	if errors.As(err, &limit) {
		c.report.Limit = limit.Text
	}
	if !meant(err) && c.runner.tellsFailures() {
		c.mistake = c.offer.snapshot.Failure(err)
	}
}

// meant reports whether a call ended as an author made it end, with fail("..."): that
// is no mistake of the script.
func meant(err error) bool {
	var failure *engine.Failure
	var wrong *engine.WrongResult
	return errors.As(err, &failure) && !errors.As(err, &wrong)
}

// tellsFailures reports whether anybody wants to know where scripts fail.
func (r *Runner) tellsFailures() bool {
	return r.options.OnFailed != nil || r.options.Logger.Enabled(context.Background(), slog.LevelWarn)
}

// tellFailure tells of the script that failed, if one did.
func (c *call) tellFailure(ctx context.Context) {
	if c.mistake == nil {
		return
	}
	failed := Failed{Method: c.req.Method, Name: c.called(), Report: c.mistake}
	if c.state != nil {
		failed.Call = c.state.Call
	}
	if tell := c.runner.options.OnFailed; tell != nil {
		tell(failed)
		return
	}
	c.runner.options.Logger.WarnContext(ctx, "script error", KindOf(failed.Method), failed.Name, "call", failed.Call, "report", failed.Report)
}

// finished completes the report of a round that ends now.
func (c *call) finished() Report {
	c.report.Name, c.report.Known = c.called(), c.subject != nil
	if c.state != nil {
		c.report.Call, c.report.Round = c.state.Call, c.state.Rounds+1
	}
	if c.report.Limit != "" {
		c.report.Outcome = OutcomeLimit
	}
	return c.report
}

// called is the name of what is called: of a resource the URI as the script wrote
// it, because what stands for a template's variables is an argument.
func (c *call) called() string {
	if r, ok := c.subject.(resourceSubject); ok {
		return r.URI
	}
	return CutName(c.req.Target)
}

// CutName is a name that a log can bear; no tool has a longer one.
func CutName(name string) string {
	const longest = 64
	if len(name) <= longest {
		return name
	}
	end := longest
	for end > 0 && !utf8.RuneStart(name[end]) {
		end--
	}
	return name[:end] + "…"
}

// KindOf is the word for what a method is about.
func KindOf(method string) string {
	switch method {
	case "prompts/get":
		return "prompt"
	case "resources/read":
		return "resource"
	case "completion/complete":
		return "argument"
	}
	return "tool"
}
