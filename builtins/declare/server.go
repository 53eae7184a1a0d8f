package declare

import (
	"encoding/json"
	"errors"
	"fmt"
	"strconv"

	"go.starlark.net/starlark"

	"github.com/mcpstar/mcpstar/engine"
)

// A Server is server(...) as it was written.
type Server struct {
	Span engine.Span
	// Nil where nothing is written.
	Name, Title, Version, Instructions, WebsiteURL *string
	// Requires is the version of mcpstar that the script wants: ">=0.1".
	Requires *string
	Icons    json.RawMessage
	// Hint is for the server's lists, and for resources that say none themselves.
	Hint Hint
}

// declareServer is server(name =, title =, version =, instructions =, website_url =, icons =, requires =, ttl =, scope =).
func declareServer(r *Registry, thread *starlark.Thread, b *starlark.Builtin, args starlark.Tuple, kwargs []starlark.Tuple) error {
	s := &Server{Span: callSpan(thread)}
	if len(args) > 0 {
		name := `"..."`
		if text, ok := starlark.AsString(args[0]); ok && len(text) <= 64 {
			name = strconv.Quote(text)
		}
		return fmt.Errorf("server() takes its options by name; write server(name = %s)", name)
	}
	if err := unpack(b, args, kwargs, "name?", &optional{&s.Name}, "title?", &optional{&s.Title},
		"version?", &optional{&s.Version}, "instructions?", &optional{&s.Instructions},
		"website_url?", &optional{&s.WebsiteURL}, "icons?", iconsInto(&s.Icons), "requires?", &optional{&s.Requires},
		"ttl?", s.Hint.ttl(), "scope?", s.Hint.scope()); err != nil {
		return err
	}
	if s.Name != nil && *s.Name == "" {
		return &optionError{"name", errors.New("server() has an empty name; leave it out to use the file's")}
	}
	r.Servers = append(r.Servers, s)
	return nil
}

// A Lifespan is lifespan(start, stop) as it was written: start makes what
// ctx.state holds when the server starts, stop gets it when the server ends.
type Lifespan struct {
	Span  engine.Span
	Start *starlark.Function
	Stop  *starlark.Function // nil: nothing to do
}

// declareLifespan is lifespan(start, stop = None).
func declareLifespan(r *Registry, thread *starlark.Thread, b *starlark.Builtin, args starlark.Tuple, kwargs []starlark.Tuple) (err error) {
	var start, stop starlark.Value
	if err := unpack(b, args, kwargs, "start", &start, "stop?", &stop); err != nil {
		return err
	}
	l := &Lifespan{Span: callSpan(thread)}
	if l.Start, err = lifespanFunc("start", start, 0); err != nil {
		return err
	}
	if stop != nil && stop != starlark.None {
		if l.Stop, err = lifespanFunc("stop", stop, 1); err != nil {
			return err
		}
	}
	r.Lifespan = append(r.Lifespan, l)
	return nil
}

func lifespanFunc(what string, v starlark.Value, params int) (*starlark.Function, error) {
	fn, ok := v.(*starlark.Function)
	if !ok {
		return nil, fmt.Errorf("lifespan() wants %s as a function made with def, got %s; write it without calling it", what, engine.Describe(v))
	}
	required := 0
	for i := range fn.NumParams() {
		if fn.ParamDefault(i) == nil {
			required++
		}
	}
	if required > params || fn.NumParams() < params {
		takes := "no parameters"
		if params == 1 {
			takes = "one parameter, what start returned"
		}
		return nil, fmt.Errorf("lifespan(): %s() takes %s", fn.Name(), takes)
	}
	return fn, nil
}
