package calls

import (
	"encoding/json"

	"github.com/mcpstar/mcpstar/engine/exactjson"
	"github.com/mcpstar/mcpstar/starhost/load"
)

// ToolJSON is a tool as tools/list shows it.
func ToolJSON(t *load.Tool) exactjson.Object {
	o := named(t.Name, t.Title).With("description", t.Description).With("inputSchema", t.InputSchema)
	o = withRaw(o, "outputSchema", t.OutputSchema)
	o = withRaw(o, "annotations", t.Annotations)
	return withRaw(withRaw(o, "icons", t.Icons), "_meta", t.Meta)
}

// PromptJSON is a prompt as prompts/list shows it.
func PromptJSON(p *load.Prompt) exactjson.Object {
	arguments := make([]any, len(p.Parameters))
	for i, param := range p.Parameters {
		arg := exactjson.Object{{Name: "name", Value: param.Name}}
		if param.Field.Title != "" {
			arg = arg.With("title", param.Field.Title)
		}
		text := param.Field.Description
		if text == "" {
			text = param.Description
		}
		if text != "" {
			arg = arg.With("description", text)
		}
		arguments[i] = arg.With("required", param.Field.Required())
	}
	o := named(p.Name, p.Title).With("description", p.Description).With("arguments", arguments)
	return withRaw(withRaw(o, "icons", p.Icons), "_meta", p.Meta)
}

// ResourceJSON is a resource as resources/list shows it, or a template as
// resources/templates/list does.
func ResourceJSON(r *load.Resource) exactjson.Object {
	o := named(r.Name, r.Title)
	if r.Template != nil {
		o = o.With("uriTemplate", r.URI)
	} else {
		o = o.With("uri", r.URI)
	}
	o = o.With("description", r.Description)
	if r.MIMEType != "" {
		o = o.With("mimeType", r.MIMEType)
	}
	if r.Size != nil && r.Template == nil {
		o = o.With("size", *r.Size)
	}
	o = withRaw(o, "annotations", r.Annotations)
	return withRaw(withRaw(o, "icons", r.Icons), "_meta", r.Meta)
}

func named(name, title string) exactjson.Object {
	o := exactjson.Object{{Name: "name", Value: name}}
	if title != "" {
		o = o.With("title", title)
	}
	return o
}

func withRaw(o exactjson.Object, name string, text json.RawMessage) exactjson.Object {
	if text == nil {
		return o
	}
	return o.With(name, text)
}

// WithCache says how long a client may keep a result.
func WithCache(o exactjson.Object, cache load.Cache) exactjson.Object {
	scope := "private"
	if cache.Public {
		scope = "public"
	}
	return o.With("ttlMs", cache.TTL.Milliseconds()).With("cacheScope", scope)
}
