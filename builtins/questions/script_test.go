package questions_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"go.starlark.net/starlark"
	"go.starlark.net/syntax"

	"github.com/mcpstar/mcpstar/builtins/content"
	"github.com/mcpstar/mcpstar/builtins/questions"
	"github.com/mcpstar/mcpstar/builtins/types"
	"github.com/mcpstar/mcpstar/engine"
	"github.com/mcpstar/mcpstar/engine/exactjson"
)

// TestScripts runs the chunks of testdata/*.star: a chunk ends without an error,
// or with the one that stands beside its line.
func TestScripts(t *testing.T) {
	files, err := filepath.Glob("testdata/*.star")
	require.NoError(t, err)
	require.NotEmpty(t, files)
	for _, file := range files {
		data, err := os.ReadFile(file)
		require.NoError(t, err)
		line := 1
		for _, chunk := range strings.Split(string(data), "\n---\n") {
			t.Run(fmt.Sprintf("%s:%d", filepath.Base(file), line), func(t *testing.T) {
				runChunk(t, file, chunk, line)
			})
			line += strings.Count(chunk, "\n") + 2
		}
	}
}

func runChunk(t *testing.T, file, chunk string, first int) {
	wantLine, want := expectation(t, chunk, first)
	_, err := run(file, strings.Repeat("\n", first-1)+chunk)
	if want == nil {
		require.NoError(t, err)
		return
	}
	require.Error(t, err, "line %d must fail", wantLine)
	require.Regexp(t, want, err.Error())
	require.Equal(t, wantLine, failingLine(t, file, err), "the line that fails; error: %v", err)
}

// expectation is the one `### "regexp"` of a chunk and its line, or nil.
func expectation(t *testing.T, chunk string, first int) (int, *regexp.Regexp) {
	for i, line := range strings.Split(chunk, "\n") {
		if _, text, ok := strings.Cut(line, "###"); ok {
			pattern, err := strconv.Unquote(strings.TrimSpace(text))
			require.NoError(t, err, "line %d", first+i)
			return first + i, regexp.MustCompile(pattern)
		}
	}
	return 0, nil
}

func failingLine(t *testing.T, file string, err error) int {
	var eval *starlark.EvalError
	require.ErrorAs(t, err, &eval)
	for depth := range len(eval.CallStack) {
		if pos := eval.CallStack.At(depth).Pos; pos.Filename() == file {
			return int(pos.Line)
		}
	}
	return 0
}

var fileOptions = &syntax.FileOptions{TopLevelControl: true, GlobalReassign: true, Set: true}

func run(file, source string) (starlark.StringDict, error) {
	thread := new(starlark.Thread)
	types.SetNaming(thread, assignments(strings.Split(source, "\n")))
	return starlark.ExecFileOptions(fileOptions, thread, file, source, environment())
}

// assignments names a model by the line that makes it.
type assignments []string

func (lines assignments) AssignedName(pos syntax.Position) string {
	name, _, _ := strings.Cut(lines[pos.Line-1], " = model(")
	return name
}

// ask makes the question that an expression gives.
func ask(t testing.TB, expression string) engine.Question {
	t.Helper()
	v, err := starlark.EvalOptions(fileOptions, new(starlark.Thread), "shop.star", expression, environment())
	require.NoError(t, err)
	require.Implements(t, (*engine.Question)(nil), v)
	return v.(engine.Question)
}

// environment has the words under test, a form of each kind, the blocks of
// content, and builtins that answer a question.
func environment() starlark.StringDict {
	env := questions.Words()
	env["Backorder"] = &model{name: "Backorder", fields: []string{"confirm"}}
	env["Schema"] = form{&model{name: "schema", fields: []string{"confirm"}}}
	env["Dialect"] = &model{name: "Dialect", schema: exactjson.Object{
		{Name: "type", Value: "object"}, {Name: "properties", Value: exactjson.Object{}},
		{Name: "$schema", Value: "https://json-schema.org/draft/2020-12/schema"}, {Name: "title", Value: "Dialect"},
	}}
	env["Nested"] = &model{name: "Nested", broken: errors.New("field stock is a model, and a form is flat")}
	env["Number"] = single{starlark.None}
	for _, words := range []starlark.StringDict{types.Words(), content.Words()} {
		maps.Copy(env, words)
	}
	for name, fn := range map[string]func(args starlark.Tuple) (starlark.Value, error){
		"text": func(args starlark.Tuple) (starlark.Value, error) {
			return content.Text(string(args[0].(starlark.String))), nil
		},
		"answer": answer,
		"refusal": func(args starlark.Tuple) (starlark.Value, error) {
			v, err := answer(args)
			if err == nil {
				return nil, fmt.Errorf("accepted as %v", v)
			}
			return starlark.String(err.Error()), nil
		},
		"params": func(args starlark.Tuple) (starlark.Value, error) {
			revision := engine.Rounds
			if len(args) > 1 { // "handshake"
				revision = engine.Handshake
			}
			return starlark.String(args[0].(engine.Question).Params(revision)), nil
		},
		"same": func(args starlark.Tuple) (starlark.Value, error) { // JSON texts, in any order of keys
			x, err := exactjson.Decode([]byte(args[0].(starlark.String)), exactjson.Limits{})
			if err != nil {
				return nil, err
			}
			y, err := exactjson.Decode([]byte(args[1].(starlark.String)), exactjson.Limits{})
			if err != nil {
				return nil, err
			}
			return starlark.None, equal(x, y)
		},
		"json": func(args starlark.Tuple) (starlark.Value, error) {
			data, err := exactjson.Marshal(args[0])
			return starlark.String(data), err
		},
		"eq": func(args starlark.Tuple) (starlark.Value, error) {
			return starlark.None, equal(args[0], args[1])
		},
	} {
		env[name] = starlark.NewBuiltin(name, func(_ *starlark.Thread, _ *starlark.Builtin, args starlark.Tuple, _ []starlark.Tuple) (starlark.Value, error) {
			return fn(args)
		})
	}
	return env
}

func equal(x, y starlark.Value) error {
	if same, err := starlark.EqualDepth(x, y, 50); err != nil || !same {
		return fmt.Errorf("%v != %v (%v)", x, y, err)
	}
	return nil
}

// answer is answer(question, json): what its consumer gets.
func answer(args starlark.Tuple) (starlark.Value, error) {
	outcome, err := args[0].(engine.Question).Accept(json.RawMessage(args[1].(starlark.String)))
	if err != nil {
		return nil, err
	}
	if outcome.Action != engine.Accepted {
		return starlark.String(outcome.Action), nil
	}
	return outcome.Value, nil
}

// form is a raw schema: it can't be called, and accepts a dict that has
// its fields.
type form struct{ *model }

// CallInternal is hidden, so that a form is no starlark.Callable.
func (form) CallInternal() {}

// model stands in for a model: each field is a bool.
type model struct {
	name   string
	fields []string
	schema exactjson.Object // instead of the one that fields give
	broken error
}

func (m *model) String() string        { return m.name }
func (m *model) Type() string          { return "model" }
func (m *model) Freeze()               {}
func (m *model) Truth() starlark.Bool  { return true }
func (m *model) Hash() (uint32, error) { return 0, errors.New("unhashable") }
func (m *model) Name() string          { return m.name }
func (m *model) TypeName() string      { return m.name }

func (m *model) CallInternal(*starlark.Thread, starlark.Tuple, []starlark.Tuple) (starlark.Value, error) {
	return nil, errors.New("not needed here")
}

func (m *model) FormSchema() (exactjson.Object, error) {
	if m.broken != nil {
		return nil, m.broken
	}
	if m.schema != nil {
		return m.schema, nil
	}
	var properties exactjson.Object
	for _, f := range m.fields {
		properties = properties.With(f, exactjson.Object{{Name: "title", Value: strings.ToTitle(f)}, {Name: "type", Value: "boolean"}})
	}
	return exactjson.Object{
		{Name: "additionalProperties", Value: false}, {Name: "description", Value: "An order that waits."},
		{Name: "properties", Value: properties}, {Name: "required", Value: m.fields},
		{Name: "title", Value: m.name}, {Name: "type", Value: "object"},
	}, nil
}

func (m *model) Accept(v starlark.Value, path string) (starlark.Value, []engine.Mismatch) {
	out := new(starlark.Dict)
	for _, f := range m.fields {
		got, _, _ := v.(*starlark.Dict).Get(starlark.String(f))
		if _, ok := got.(starlark.Bool); !ok {
			return nil, []engine.Mismatch{{Path: path + f, Want: "True or False", Got: engine.Describe(got)}}
		}
		_ = out.SetKey(starlark.String(f), got)
	}
	return out, nil
}

// single is a type that is not a form.
type single struct{ starlark.Value }

func (single) TypeName() string                                                      { return "int" }
func (single) Accept(v starlark.Value, _ string) (starlark.Value, []engine.Mismatch) { return v, nil }
