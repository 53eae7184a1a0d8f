package types

import (
	"strings"

	"github.com/mcpstar/mcpstar/engine"
	"github.com/mcpstar/mcpstar/engine/exactjson"
)

// OutputSchema is the outputSchema of a tool that returns t, and whether its
// structured content is wrapped as {"result": ...}. There is none, nil, where
// nothing is said about the value: no type (nil), any, a bare dict or list, and types
// of other packages that show no schema.
//
// title is the schema's, "order_bookOutput".
func OutputSchema(t engine.Type, title string) (schema exactjson.Object, wrapped bool) {
	if t == nil {
		return nil, false
	}
	s := shapeOf(t)
	switch t := unwrap(s).(type) {
	case *anything:
		return nil, false
	case *foreign:
		if _, ok := t.outsider.(Schemed); !ok {
			return nil, false
		}
	case *listOf:
		if t.elem == nil {
			return nil, false
		}
	case *Model:
		o := t.render(output)
		if o.Get("title") == nil { // a model without a name
			o = sorted(set(o, "title", title))
		}
		return o, false
	case *rawSchema:
		if says(t.object, "type", "object") {
			return t.object, false
		}
	case *dictOf:
		if t.elem == nil {
			return nil, false
		}
		title = strings.TrimSuffix(title, "Output") + "DictOutput"
		return sorted(set(t.render(output), "title", title)), false
	}
	result := (&Field{Type: s}).property("result", output)
	return exactjson.Object{
		{Name: "properties", Value: exactjson.Object{{Name: "result", Value: result}}},
		{Name: "required", Value: []string{"result"}},
		{Name: "title", Value: title},
		{Name: "type", Value: "object"},
	}, true
}
