package isolate

import (
	"context"
	"errors"
	"slices"

	"go.starlark.net/syntax"

	"github.com/mcpstar/mcpstar/engine"
	"github.com/mcpstar/mcpstar/starhost/load"
	"github.com/mcpstar/mcpstar/starhost/load/report"
)

// A failure is an error that crosses a link. Those that the other side tells apart
// keep their kind; of others the text is left.
type failure struct {
	Text      string
	Cancelled bool
	NoFile    bool // [load.ErrNoFile]
	Protocol  *engine.ProtocolError
	Problems  []problem
	Sources   report.Sources
}

// A problem is an [engine.Problem] in exported fields: a place of the syntax package
// has others.
type problem struct {
	engine.Problem // but for At and Also
	Labels         []label
}

type label struct {
	Start, End place
	Text       string
}

type place struct {
	File      string
	Line, Col int32
}

// failed is err as it crosses; nil for nil.
func failed(err error) *failure {
	if err == nil {
		return nil
	}
	f := &failure{Text: err.Error()}
	var problems *report.Error
	switch {
	case errors.As(err, &f.Protocol):
	case errors.As(err, &problems):
		f.problems(problems)
	default:
		f.NoFile = errors.Is(err, load.ErrNoFile)
		f.Cancelled = errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded)
	}
	return f
}

// problems takes over a report, with the sources that it shows.
func (f *failure) problems(r *report.Error) {
	f.Sources = report.Sources{}
	for _, p := range r.Problems {
		out := problem{Problem: *p}
		out.At, out.Also = engine.Label{}, nil
		for _, l := range append([]engine.Label{p.At}, p.Also...) {
			file := l.Span.Start.Filename()
			if text, ok := r.Sources[file]; ok {
				f.Sources[file] = text
			}
			out.Labels = append(out.Labels, label{placeOf(l.Span.Start), placeOf(l.Span.End), l.Text})
		}
		f.Problems = append(f.Problems, out)
	}
}

func placeOf(p syntax.Position) place {
	if p == (syntax.Position{}) {
		return place{}
	}
	return place{p.Filename(), p.Line, p.Col}
}

func (p place) position() syntax.Position {
	if p == (place{}) {
		return syntax.Position{}
	}
	return syntax.MakePosition(&p.File, p.Line, p.Col)
}

// err is the error on the other side; nil for nil.
func (f *failure) err() error {
	switch {
	case f == nil:
		return nil
	case f.Protocol != nil:
		return f.Protocol
	case f.Problems != nil:
		return &report.Error{Problems: f.reported(), Sources: f.Sources}
	case f.NoFile:
		return load.ErrNoFile
	case f.Cancelled:
		return context.Canceled
	}
	return errors.New(f.Text)
}

func (f *failure) reported() []*engine.Problem {
	var list []*engine.Problem
	for _, p := range f.Problems {
		out := p.Problem
		for i, l := range p.Labels {
			label := engine.Label{Span: engine.Span{Start: l.Start.position(), End: l.End.position()}, Text: l.Text}
			if i == 0 {
				out.At = label
				continue
			}
			out.Also = append(out.Also, label)
		}
		list = append(list, &out)
	}
	return slices.Clip(list)
}
