package wire

import (
	"errors"
	"log/slog"
	"time"

	"go.starlark.net/starlark"
)

// A record is what an operator is told of a round: one line.
type record struct {
	start     time.Time
	resolvers int
	questions int
	outcome   string // "result", "error", "input_required"
	backtrace string
}

// trace keeps where a script failed, for the operator.
func (r *record) trace(err error) {
	var eval *starlark.EvalError
	if errors.As(err, &eval) {
		r.backtrace = eval.Backtrace()
	}
}

func (r *record) log(log *slog.Logger, c *call, err error) {
	outcome := r.outcome
	if err != nil {
		outcome = "refused"
	}
	revision := c.revision
	if revision == "" {
		revision = "unknown"
	}
	log.Info("call", "tool", c.req.Params.Name, "revision", revision, "resolvers", r.resolvers,
		"questions", r.questions, "outcome", outcome, "ms", time.Since(r.start).Milliseconds())
	if r.backtrace != "" {
		log.Debug("script error", "tool", c.req.Params.Name, "backtrace", r.backtrace)
	}
}
