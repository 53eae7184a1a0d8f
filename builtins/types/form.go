package types

import "github.com/mcpstar/mcpstar/engine/exactjson"

// FormSchema is the requestedSchema of a question that a person answers with the
// model's fields, or an error for the author when a form can't hold one of them.
func (m *Model) FormSchema() (exactjson.Object, error) {
	return m.render(input), nil
}
