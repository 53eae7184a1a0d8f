package load

import (
	"errors"
	"fmt"

	"go.starlark.net/starlark"

	"github.com/mcpstar/mcpstar/engine"
	"github.com/mcpstar/mcpstar/starhost/load/report"
)

// Failure is the report of an error that a function of the snapshot ended with
// while it served: what the interpreter said, the place, the calls that led there,
// and what to write instead. It is nil for an error that no line of a script made.
//
// The text may quote what the call was about, so it is for authors and operators;
// the model is told [engine.FailureText] alone.
func (s *Snapshot) Failure(err error) *report.Error {
	var eval *starlark.EvalError
	if !errors.As(err, &eval) {
		return nil
	}
	// A snapshot in use is read by many, so nothing is kept in its modules.
	l := &loader{modules: map[string]*module{}}
	for _, frame := range eval.CallStack {
		path := frame.Pos.Filename()
		if m := s.modules[path]; m != nil && l.modules[path] == nil {
			l.modules[path] = &module{path: path, file: m.file}
		}
	}
	at, calls := l.frames(eval)
	if len(at) == 0 {
		return nil
	}
	p := &engine.Problem{Code: "runtime", At: at[0], Also: at[1:]}
	p.Message, p.Help = splitError(err)
	if calls > len(at) {
		p.Notes = []string{fmt.Sprintf("%d more calls led there", calls-len(at))}
	}
	return &report.Error{Problems: []*engine.Problem{p}, Sources: s.Sources}
}
