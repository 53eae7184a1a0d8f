package declare

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"unicode/utf8"

	"go.starlark.net/starlark"

	"github.com/mcpstar/mcpstar/builtins/content"
	"github.com/mcpstar/mcpstar/engine"
)

// A Resource is resource(uri, ...) as it was written: a template when the URI has
// variables.
type Resource struct {
	URI  string
	Span engine.Span // of the resource(...) call
	// Func makes the contents; nil where they are Text.
	Func *starlark.Function
	// Text is the contents as text, bytes or a content block; nil where Func makes them.
	Text starlark.Value
	// Name, Title, Description and MIMEType are nil where nothing is written.
	Name, Title, Description, MIMEType *string
	// Size is in bytes, nil where nothing is written.
	Size *int64
	// Annotations, Icons and Meta are wire JSON, or nil.
	Annotations, Icons, Meta json.RawMessage
	// Hint is for what is read.
	Hint Hint
	// AnyPath lets variables hold paths that climb (..) or begin at a root.
	AnyPath bool
	// Enabled says that it is on the list when the server starts.
	Enabled bool
}

// declareResource is resource(uri, content, name =, title =, description =, mime_type =,
// size =, annotations =, icons =, meta =, ttl =, scope =, any_path = False,
// enabled = True). content is a function, text, bytes or a content block.
func declareResource(r *Registry, thread *starlark.Thread, b *starlark.Builtin, args starlark.Tuple, kwargs []starlark.Tuple) (err error) {
	d := &Resource{Span: callSpan(thread), Enabled: true}
	var uri, held, size starlark.Value
	if err := unpack(b, args, kwargs, "uri", &uri, "content", &held, "name?", &optional{&d.Name}, "title?", &optional{&d.Title},
		"description?", &optional{&d.Description}, "mime_type?", &optional{&d.MIMEType}, "size?", &size,
		"annotations?", annotationsInto(&d.Annotations), "icons?", iconsInto(&d.Icons), "meta?", metaInto(&d.Meta),
		"ttl?", d.Hint.ttl(), "scope?", d.Hint.scope(), "any_path?", &d.AnyPath, "enabled?", &d.Enabled); err != nil {
		return err
	}
	text, ok := starlark.AsString(uri)
	if _, isFunction := uri.(starlark.Callable); isFunction {
		return errors.New(`resource() wants the URI first; write resource("config://app", config)`)
	}
	if !ok {
		return fmt.Errorf("resource() wants a URI as text, got %s", engine.Describe(uri))
	}
	d.URI = text
	if err := d.holds(held); err != nil {
		return err
	}
	if d.MIMEType != nil {
		if err := content.CheckMIMEType(*d.MIMEType); err != nil {
			return err
		}
	}
	if size != nil && size != starlark.None {
		n, err := content.Size(size)
		if err != nil {
			return err
		}
		d.Size = &n
	}
	r.Resources = append(r.Resources, d)
	return nil
}

// holds takes in what the resource is made of.
func (d *Resource) holds(v starlark.Value) (err error) {
	switch v := v.(type) {
	case starlark.String:
		if !utf8.ValidString(string(v)) {
			return errors.New("resource(): the text is not valid UTF-8; give it as bytes")
		}
		d.Text = v
	case starlark.Bytes:
		d.Text = v
	case content.Block:
		if _, ok := v.Held(d.URI, ""); !ok {
			return errors.New("resource() got a link, which holds nothing; give it what the link leads to")
		}
		d.Text = v
	case *starlark.Dict, *starlark.List:
		return fmt.Errorf("resource() wants a function, text or bytes, got %s; write json.encode(...), or a function that returns it", engine.Describe(v))
	default:
		d.Func, err = ownFunction("resource", v)
		return err
	}
	if strings.ContainsAny(d.URI, "{}") {
		return errors.New("resource(): a URI with variables wants a function that takes them, not text or bytes")
	}
	return nil
}
