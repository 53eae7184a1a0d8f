package guard

import (
	"strconv"
	"strings"

	"go.starlark.net/starlark"
)

// beforeFormat charges format % y.
func (g *Gate) beforeFormat(format string, y starlark.Value) error {
	if !strings.Contains(format, "%") {
		return nil
	}
	total := len(format)
	if t, ok := y.(starlark.Tuple); ok {
		for _, arg := range t {
			n, err := g.printed(arg)
			if err != nil {
				return err
			}
			if total += n; total > maxText {
				break
			}
		}
		return g.budget.Charge(int64(total))
	}
	fields, named := y.(starlark.Mapping)
	if !named || !strings.Contains(format, "%(") {
		n, err := g.printed(y)
		if err != nil {
			return err
		}
		return g.budget.Charge(int64(total + n))
	}
	sizes := sizes{gate: g, known: map[string]int{}}
	for rest := format; total <= maxText; {
		i := strings.Index(rest, "%(")
		if i < 0 {
			break
		}
		name, after, ok := strings.Cut(rest[i+2:], ")")
		if !ok {
			break // an error
		}
		rest = after
		n, err := sizes.of(name, func() starlark.Value {
			v, _, _ := fields.Get(starlark.String(name))
			return v
		})
		if err != nil {
			return err
		}
		total += n
	}
	return g.budget.Charge(int64(total))
}

// maxText is beyond what a budget allows.
const maxText = 1 << 30

// sizes are the printed sizes of what a template names, each found out once.
type sizes struct {
	gate  *Gate
	known map[string]int
}

func (s *sizes) of(name string, value func() starlark.Value) (int, error) {
	if n, ok := s.known[name]; ok {
		return n, nil
	}
	v := value()
	if v == nil {
		return 0, nil // an error
	}
	n, err := s.gate.printed(v)
	s.known[name] = n
	return n, err
}

// beforeTemplate charges template.format(*args, **kwargs).
func (g *Gate) beforeTemplate(template string, args starlark.Tuple, kwargs []starlark.Tuple) error {
	sizes := sizes{gate: g, known: map[string]int{}}
	total, next := len(template), 0
	for rest := template; total <= maxText; {
		i := strings.IndexByte(rest, '{')
		if i < 0 {
			break
		}
		rest = rest[i+1:]
		if strings.HasPrefix(rest, "{") {
			rest = rest[1:]
			continue
		}
		field, after, ok := strings.Cut(rest, "}")
		if !ok {
			break // an error
		}
		rest = after
		name, _, _ := strings.Cut(field, "!")
		name, _, _ = strings.Cut(name, ":")
		if name == "" {
			name = strconv.Itoa(next)
			next++
		}
		n, err := sizes.of(name, func() starlark.Value { return argument(name, args, kwargs) })
		if err != nil {
			return err
		}
		total += n
	}
	return g.budget.Charge(int64(total))
}

// argument is what a field of a template names, or nil.
func argument(name string, args starlark.Tuple, kwargs []starlark.Tuple) starlark.Value {
	if i, err := strconv.Atoi(name); err == nil {
		if i >= 0 && i < len(args) {
			return args[i]
		}
		return nil
	}
	for _, kw := range kwargs {
		if kw[0] == starlark.String(name) {
			return kw[1]
		}
	}
	return nil
}
