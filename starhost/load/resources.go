package load

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/yosida95/uritemplate/v3"
	"go.starlark.net/starlark"

	"github.com/mcpstar/mcpstar/builtins/content"
	"github.com/mcpstar/mcpstar/builtins/declare"
	"github.com/mcpstar/mcpstar/builtins/result"
	"github.com/mcpstar/mcpstar/builtins/types"
	"github.com/mcpstar/mcpstar/engine"
	"github.com/mcpstar/mcpstar/engine/graph"
)

// A Resource is one resource of a [Snapshot], or a template of many.
type Resource struct {
	// URI is as it was written: of a template with its variables.
	URI         string
	Template    *Template // nil of a resource that is no template
	Name        string
	Title       string // "" without
	Description string
	MIMEType    string // "" where it follows from what is read
	Size        *int64 // in bytes; nil where it is not known
	// Function is the name of the function, "" without: errors use it.
	Function string
	// Parameters are the template's variables.
	Parameters types.Parameters
	// Returns is the type after ->, or nil.
	Returns engine.Type
	// Text is what the resource holds, when it holds always the same: text, bytes or a
	// content block.
	// Else Plan makes it.
	Text starlark.Value
	Plan *graph.Plan
	// Annotations, Icons and Meta are wire JSON, or nil.
	Annotations, Icons, Meta json.RawMessage
	Cache                    Cache
	// Enabled says that it is on the list when the server starts.
	Enabled bool
	// Completions complete variables, by name.
	Completions map[string]*Completion

	hint declare.Hint
}

// Resource is the resource or template with that URI as it was written, or nil.
func (s *Snapshot) Resource(uri string) *Resource { return s.resources[uri] }

// Matching are the templates in the order in which a URI is tried on them.
func (s *Snapshot) Matching() []*Resource { return s.matching }

// resources makes the resources and templates of all files.
func (l *loader) resources(s *Snapshot, fns *functions, compiler *graph.Compiler) {
	declared := map[string]engine.Span{}
	for _, m := range l.order {
		if !m.ran {
			continue
		}
		for _, d := range m.declared.Resources {
			d.Span = l.whole(d.Span)
			r := l.resource(d, fns)
			if r == nil {
				continue
			}
			if first, ok := declared[r.URI]; ok {
				l.duplicate("resource", fmt.Sprintf("have the URI %q", r.URI), d.Span, first, "give one of them another URI")
				continue
			}
			declared[r.URI] = d.Span
			if d.Func != nil {
				r.Plan = l.plan(compiler, "resource", r.Name, fns.lookup(d.Func))
			}
			s.resources[r.URI] = r
			if r.Template != nil {
				s.Templates = append(s.Templates, r)
			} else {
				s.Resources = append(s.Resources, r)
			}
		}
	}
	s.matching = slices.Clone(s.Templates)
	byURI := func(a, b *Resource) int { return strings.Compare(a.URI, b.URI) }
	slices.SortFunc(s.Resources, byURI)
	slices.SortFunc(s.Templates, byURI)
}

// resource makes one resource, all but its plan; nil if there is no way to.
func (l *loader) resource(d *declare.Resource, fns *functions) *Resource {
	r := &Resource{
		URI: d.URI, Text: d.Text, Size: d.Size, Annotations: d.Annotations, Icons: d.Icons, Meta: d.Meta,
		Enabled: d.Enabled, Completions: map[string]*Completion{}, hint: d.Hint,
	}
	template, err := ParseTemplate(d.URI, d.AnyPath)
	if err != nil {
		message, help := splitRemedy(err.Error())
		l.report(&engine.Problem{Code: "resource-uri", Message: message, At: engine.Label{Span: d.Span}, Help: help})
		return nil
	}
	r.Template = template
	take(&r.MIMEType, d.MIMEType)
	if d.Func == nil {
		r.Name = d.URI
		r.holdsText()
	} else if !l.resourceFunction(r, d, fns) {
		return nil
	}
	take(&r.Name, d.Name)
	take(&r.Title, d.Title)
	take(&r.Description, d.Description)
	if r.Name == "" {
		l.report(&engine.Problem{Code: "resource-name", Message: "a resource's name is empty", At: engine.Label{Span: d.Span}, Help: "leave out `name =`"})
	}
	return r
}

// holdsText says of text and bytes what can be known.
func (r *Resource) holdsText() {
	n, kind := int64(0), result.TextType
	switch v := r.Text.(type) {
	case starlark.String:
		n = int64(len(v))
	case starlark.Bytes:
		n, kind = int64(len(v)), result.BytesType
	case content.Block:
		mime, _ := v.Attr("mime_type")
		if r.MIMEType == "" {
			r.MIMEType, _ = starlark.AsString(mime)
		}
		return
	}
	if r.Size == nil {
		r.Size = &n
	}
	if r.MIMEType == "" {
		r.MIMEType = kind
	}
}

// resourceFunction takes in the function that makes a resource's contents.
func (l *loader) resourceFunction(r *Resource, d *declare.Resource, fns *functions) bool {
	name, ok := l.named("resource", d.Name, d.Func, d.Span)
	if !ok {
		return false
	}
	r.Name, r.Function = name, d.Func.Name()
	doc := declare.ParseDoc(d.Func.Doc())
	r.Description = doc.Description
	g := fns.lookup(d.Func)
	r.Returns, _ = withoutManual(g.Returns)
	if r.MIMEType == "" && r.Returns != nil {
		r.MIMEType = result.JSONType
		if types.TakesText(r.Returns) {
			r.MIMEType = "" // text, or a number that is shown as JSON
			if r.Returns.TypeName() == "str" {
				r.MIMEType = result.TextType
			}
		}
	}
	r.Parameters = l.parameters("resource", true, d.Func, g, &doc)
	l.checkDoc(d.Func, g, &doc)
	l.checkVariables(r, d, g)
	return true
}

// checkVariables compares the variables of a URI with the parameters of its function.
func (l *loader) checkVariables(r *Resource, d *declare.Resource, g *graph.Func) {
	have := argumentNames(r.Parameters)
	var variables []Variable
	if r.Template != nil {
		variables = r.Template.Variables
	}
	misspelt := map[string]bool{} // parameters that a variable seems to mean
	for _, v := range variables {
		i := slices.Index(have, v.Name)
		if i < 0 {
			misspelt[engine.Nearest(v.Name, have)] = true
			help := engine.DidYouMean(v.Name, have)
			if help == "" {
				help = fmt.Sprintf("give %s() a parameter `%s: str`, or take {%s} out of the URI", d.Func.Name(), v.Name, v.Name)
			}
			l.report(&engine.Problem{
				Code:    "unbound-variable",
				Message: fmt.Sprintf("the URI has {%s}, and %s() has no parameter of that name", v.Name, d.Func.Name()),
				At:      engine.Label{Span: d.Span},
				Also:    []engine.Label{{Span: g.Span, Text: "the parameters are declared here"}},
				Help:    help,
			})
			continue
		}
		l.checkVariable(v, &r.Parameters[i], d, g)
	}
	for _, p := range r.Parameters {
		if !misspelt[p.Name] && !slices.ContainsFunc(variables, func(v Variable) bool { return v.Name == p.Name }) {
			l.unboundParameter(p.Name, variables, d, g)
		}
	}
}

// checkVariable compares one variable with its parameter.
func (l *loader) checkVariable(v Variable, p *types.Parameter, d *declare.Resource, g *graph.Func) {
	at := engine.Label{Span: d.Span}
	for _, param := range g.Params {
		if param.Name == p.Name {
			at.Span = param.TypeSpan
		}
	}
	switch {
	case v.Many && !types.TakesTexts(p.Field.Type):
		l.report(&engine.Problem{
			Code:    "not-text",
			Message: fmt.Sprintf("{%s*} may hold several values, and parameter %q is %s", v.Name, v.Name, p.Field.Type.TypeName()),
			At:      at, Help: fmt.Sprintf("write `%s: list[str]`", v.Name),
		})
	case !v.Many:
		l.textParameter("resource", d.Func, p, g)
	}
	if v.Optional && p.Field.Required() {
		l.report(&engine.Problem{
			Code:    "optional-variable",
			Message: fmt.Sprintf("a URI may leave out {?%s}, and parameter %q has no default", v.Name, v.Name),
			At:      at, Help: "give the parameter a default: that is what it holds then",
		})
	}
}

func (l *loader) unboundParameter(name string, variables []Variable, d *declare.Resource, g *graph.Func) {
	var at engine.Label
	for _, param := range g.Params {
		if param.Name == name {
			at.Span = param.Span
		}
	}
	names := make([]string, len(variables))
	for i, v := range variables {
		names[i] = v.Name
	}
	help := engine.DidYouMean(name, names)
	if help == "" {
		help = fmt.Sprintf("put {%s} into the URI, or write `%s: resolve(fn)`", name, name)
	}
	l.report(&engine.Problem{
		Code:    "unbound-parameter",
		Message: fmt.Sprintf("parameter %q of %s() is not in the URI %s, so nothing would fill it", name, d.Func.Name(), d.URI),
		At:      at,
		Also:    []engine.Label{{Span: d.Span, Text: "the URI is here"}},
		Help:    help,
	})
}

// A Template is a URI with variables (RFC 6570).
type Template struct {
	Variables []Variable
	// AnyPath says that a value may climb: "../secret".
	AnyPath bool

	parsed *uritemplate.Template
}

// A Variable is one of a template.
type Variable struct {
	Name string
	// Optional says that a URI may leave it out: {?name} and {&name}.
	Optional bool
	// Many says that it may hold several values: {name*}.
	Many bool
}

// ParseTemplate reads a URI; nil where it has no variables. anyPath is
// [Template.AnyPath].
func ParseTemplate(uri string, anyPath bool) (*Template, error) {
	if !strings.ContainsAny(uri, "{}") {
		return nil, content.CheckURI(uri)
	}
	parsed, err := uritemplate.New(uri)
	if err != nil {
		return nil, fmt.Errorf("%q is no URI template (%w); variables are written {name}, {+path}, {?name} or {name*}", uri, err)
	}
	if before, _, _ := strings.Cut(uri, "{"); content.CheckURI(before+"x") != nil {
		return nil, fmt.Errorf(`%q has no scheme before its first variable; write it like "users://{id}"`, uri)
	}
	t := &Template{parsed: parsed, AnyPath: anyPath}
	for _, v := range variablesOf(uri) {
		if slices.ContainsFunc(t.Variables, func(o Variable) bool { return o.Name == v.Name }) {
			return nil, fmt.Errorf("the URI %q has {%s} twice; give each variable a name of its own", uri, v.Name)
		}
		t.Variables = append(t.Variables, v)
	}
	return t, nil
}

// variablesOf takes the expressions of a well-formed template apart.
func variablesOf(uri string) []Variable {
	var list []Variable
	for _, part := range strings.Split(uri, "{")[1:] {
		expression, _, _ := strings.Cut(part, "}")
		optional := strings.HasPrefix(expression, "?") || strings.HasPrefix(expression, "&")
		for _, spec := range strings.Split(strings.TrimLeft(expression, "+#./;?&"), ",") {
			name, many := strings.CutSuffix(spec, "*")
			name, _, _ = strings.Cut(name, ":")
			list = append(list, Variable{Name: name, Optional: optional, Many: many})
		}
	}
	return list
}

// Match takes a URI apart: text, or a list of texts, for each variable that it says.
// ok is false when the URI is none of the template's, or when a value would climb out
// of a folder.
func (t *Template) Match(uri string) (args *starlark.Dict, ok bool) {
	match := t.parsed.Match(uri)
	if match == nil {
		return nil, false
	}
	args = new(starlark.Dict)
	for _, v := range t.Variables {
		value := match.Get(v.Name)
		if !value.Valid() {
			continue
		}
		texts := value.List()
		if value.T == uritemplate.ValueTypeString {
			texts = []string{value.String()}
		}
		list := make([]starlark.Value, len(texts))
		for i, text := range texts {
			if !t.AnyPath && climbs(text) || strings.ContainsRune(text, 0) {
				return nil, false
			}
			list[i] = starlark.String(text)
		}
		switch {
		case v.Many:
			_ = args.SetKey(starlark.String(v.Name), starlark.NewList(list)) // text keys can't fail
		case len(list) > 0:
			_ = args.SetKey(starlark.String(v.Name), list[0])
		}
	}
	return args, true
}

// climbs reports whether a value, used as a path, would lead out of the folder it is
// meant for.
func climbs(path string) bool {
	path = strings.ReplaceAll(path, `\`, "/")
	if strings.HasPrefix(path, "/") || len(path) > 1 && path[1] == ':' {
		return true
	}
	return slices.Contains(strings.Split(path, "/"), "..")
}
