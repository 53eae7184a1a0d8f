package load

import (
	"fmt"
	"regexp"
	"slices"
	"strings"

	"go.starlark.net/starlark"

	"github.com/mcpstar/mcpstar/builtins/declare"
	"github.com/mcpstar/mcpstar/builtins/types"
	"github.com/mcpstar/mcpstar/engine"
	"github.com/mcpstar/mcpstar/engine/exactjson"
	"github.com/mcpstar/mcpstar/engine/graph"
)

// tools makes the tools of all files, reporting what doesn't fit.
func (l *loader) tools(fns *functions, compiler *graph.Compiler) []*Tool {
	declared := map[string]*declare.Tool{}
	var tools []*Tool
	for _, m := range l.order {
		if !m.ran {
			continue
		}
		for _, d := range m.declared.Tools {
			d.Span = l.whole(d.Span)
			t := l.tool(d, fns)
			if t == nil {
				continue
			}
			if first := declared[t.Name]; first != nil {
				l.report(duplicateTool(t.Name, d, first))
				continue
			}
			declared[t.Name] = d
			t.Plan = l.plan(compiler, "tool", t.Name, fns.lookup(d.Func))
			tools = append(tools, t)
		}
	}
	slices.SortFunc(tools, func(a, b *Tool) int { return strings.Compare(a.Name, b.Name) })
	return tools
}

func duplicateTool(name string, again, first *declare.Tool) *engine.Problem {
	return &engine.Problem{
		Code:    "duplicate-tool",
		Message: fmt.Sprintf("two tools are named %q", name),
		At:      engine.Label{Span: again.Span, Text: "declared again here"},
		Also:    []engine.Label{{Span: first.Span, Text: "first declared here"}},
		Help:    fmt.Sprintf("give one another name: `tool(%s, name = \"...\")`", again.Func.Name()),
	}
}

// tool makes one tool, all but its plan; nil if it can't have a name.
func (l *loader) tool(d *declare.Tool, fns *functions) *Tool {
	fn := d.Func.(*starlark.Function)
	t := &Tool{
		Name: fn.Name(), Function: fn.Name(), Annotations: d.Annotations, Icons: d.Icons, Meta: d.Meta,
		Scopes: d.Scopes, Timeout: d.Timeout, Enabled: d.Enabled,
	}
	if d.Name != nil {
		t.Name = *d.Name
	} else if fn.Name() == "lambda" {
		l.report(&engine.Problem{
			Code: "no-name", Message: "a lambda has no name that a tool could take",
			At: engine.Label{Span: d.Span}, Help: "write `tool(lambda ..., name = \"...\")`, or make it a def",
		})
		return nil
	}
	if d.Title != nil {
		t.Title = *d.Title
	}
	l.checkName("tool", t.Name, d.Span)

	doc := declare.ParseDoc(fn.Doc())
	t.Description = doc.Description
	if d.Description != nil {
		t.Description = *d.Description
	}
	g := fns.lookup(fn)
	t.Returns, _ = withoutManual(g.Returns)
	raw := d.InputSchema != nil
	t.Parameters = l.parameters("tool", raw, fn, g, &doc)
	l.checkDoc(fn, g, &doc)
	t.InputSchema = exactjson.MustMarshal(t.Parameters.Schema(t.Function + "Arguments"))
	if raw {
		l.rawInput(t, d, g)
	}
	l.checkHeaders(t, d)
	if t.Returns != nil {
		if schema, wrapped := types.OutputSchema(t.Returns, t.Function+"Output"); schema != nil {
			t.OutputSchema, t.Wrapped = exactjson.MustMarshal(schema), wrapped
		}
	}
	return t
}

// parameters are the parameters of a tool, prompt or template that are not resolved.
// loose says that one without a type is no oversight.
func (l *loader) parameters(kind string, loose bool, fn *starlark.Function, g *graph.Func, doc *declare.Doc) types.Parameters {
	var sig *signature
	if m := l.modules[fn.Position().Filename()]; m != nil {
		sig = m.signatures[fn]
	}
	params := types.Parameters{}
	for i, p := range g.Params {
		if p.Resolve != nil || p.Rest || p.Name == graph.ContextParam {
			continue
		}
		var field *types.Field
		if sig != nil {
			field = sig.params[p.Name].field
		}
		if sig == nil || !sig.params[p.Name].wrong {
			field = l.field(loose, fn, p, field, fn.ParamDefault(i))
		}
		l.checkParameterName(kind, fn, p)
		params = append(params, types.Parameter{Name: p.Name, Field: field, Description: doc.Param(p.Name)})
	}
	return params
}

// clientName is what a big client takes as the name of a property.
var clientName = regexp.MustCompile(`^[A-Za-z0-9_.-]{1,64}$`)

func (l *loader) checkParameterName(kind string, fn *starlark.Function, p graph.Param) {
	problem := &engine.Problem{Code: "parameter-name", At: engine.Label{Span: p.Span}}
	switch {
	case strings.HasPrefix(p.Name, "_"):
		problem.Message = fmt.Sprintf("parameter %q of %s %s starts with an underscore", p.Name, kind, fn.Name())
		problem.Help = "the model sees this name: drop the underscore"
		if kind != "tool" {
			problem.Help = "clients see this name: drop the underscore"
		}
	case len(p.Name) > 64:
		problem.Warning = true
		problem.Message = fmt.Sprintf("the name of parameter %q of %s %s is %d characters long", p.Name, kind, fn.Name(), len(p.Name))
		problem.Help = "big clients refuse a whole server for one name over 64"
	case !clientName.MatchString(p.Name):
		problem.Warning = true
		problem.Message = fmt.Sprintf("parameter %q of %s %s has letters that some clients refuse a whole server for", p.Name, kind, fn.Name())
		problem.Help = "name it with a to z, digits and _"
	default:
		return
	}
	l.report(problem)
}

// field is what a tool's parameter holds: from its annotation, its default, or
// neither.
func (l *loader) field(loose bool, fn *starlark.Function, p graph.Param, field *types.Field, def starlark.Value) *types.Field {
	var err error
	switch {
	case field != nil && def != nil:
		var with *types.Field
		if with, err = field.WithDefault(def); err == nil {
			return with
		}
	case field != nil:
		return field
	case def != nil:
		var inferred *types.Field
		if inferred, err = types.Infer(def); err == nil {
			return inferred
		}
	case loose: // what comes is text and stays it, or a schema checks it
		return types.Untyped()
	default:
		l.report(&engine.Problem{
			Code: "untyped", Warning: true,
			Message: fmt.Sprintf("parameter %q of tool %s has no type, so any value is let through", p.Name, fn.Name()),
			At:      engine.Label{Span: p.Span},
			Help:    fmt.Sprintf("write `%s: str` or another type, or `%s: any` if that is meant", p.Name, p.Name),
		})
		return types.Untyped()
	}
	message, help := splitRemedy(err.Error())
	l.report(&engine.Problem{
		Code:    "bad-default",
		Message: fmt.Sprintf("parameter %q of %s(): %s", p.Name, fn.Name(), message),
		At:      engine.Label{Span: p.Span}, Help: called(p.Name, help),
	})
	return types.Untyped()
}

var legalName = regexp.MustCompile(`^[A-Za-z0-9_./-]+$`)

// checkName refuses names that the protocol or big clients refuse.
func (l *loader) checkName(kind, name string, span engine.Span) {
	p := &engine.Problem{Code: kind + "-name", At: engine.Label{Span: span}}
	switch {
	case name == "":
		p.Message, p.Help = "a "+kind+"'s name is empty", "leave out `name =` to use the function's"
	case !legalName.MatchString(name):
		p.Message = fmt.Sprintf("%q can't be a %s's name", name, kind)
		p.Help = "names are made of letters, digits, _ and -"
	case len(name) > 64:
		p.Message = fmt.Sprintf("the name of %s %s is %d characters long", kind, name, len(name))
		p.Help = "big clients refuse a whole server for one name over 64"
	case strings.ContainsAny(name, "./"):
		p.Warning = true
		p.Message = fmt.Sprintf("the name %q has a dot or a slash", name)
		p.Help = "the protocol allows it, some clients don't: use _ or -"
	case len(name) > 40:
		p.Warning = true
		p.Message = fmt.Sprintf("the name of %s %s is %d characters long", kind, name, len(name))
		p.Help = "some clients put the server's name before it and then refuse more than 64: keep it under 40"
	default:
		return
	}
	l.report(p)
}
