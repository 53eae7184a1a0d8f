package load

import (
	"fmt"
	"time"

	"go.starlark.net/starlark"

	"github.com/mcpstar/mcpstar/engine"
	"github.com/mcpstar/mcpstar/engine/graph"
)

// A Timer is a function that runs again and again.
type Timer struct {
	Every time.Duration
	Func  *starlark.Function
	// Context says that the function takes ctx.
	Context bool
}

// timers takes in every(...) of all files.
func (l *loader) timers(s *Snapshot, fns *functions) {
	for _, m := range l.order {
		if !m.ran {
			continue
		}
		for _, d := range m.declared.Timers {
			d.Span = l.whole(d.Span)
			if t := (&Timer{Every: d.Every, Func: d.Func}); l.timer(t, fns.lookup(d.Func)) {
				s.Timers = append(s.Timers, t)
			}
		}
	}
}

func (l *loader) timer(t *Timer, g *graph.Func) bool {
	for i, p := range g.Params {
		switch {
		case p.Name == graph.ContextParam && p.Type == nil && p.Resolve == nil && !p.KeywordOnly:
			t.Context = true
		case p.Rest, p.Resolve == nil && t.Func.ParamDefault(i) != nil:
		default:
			l.report(&engine.Problem{
				Code:    "timer-parameter",
				Message: fmt.Sprintf("%s() runs by itself and takes %q, which nothing fills", g.Name, p.Name),
				At:      engine.Label{Span: p.Span}, Help: "a timer's function takes nothing, or `ctx`",
			})
			return false
		}
	}
	return true
}
