package questions

import "go.starlark.net/starlark"

// What sample() takes besides the conversation, in wire shape.

var includeContext = oneOf(map[string]string{
	"this_server": `did you mean "thisServer"?`,
	"all_servers": `did you mean "allServers"?`,
}, "none", "thisServer", "allServers")

var modelPreferences = record(`a dict such as {"hints": [{"name": "sonnet"}], "speedPriority": 0.8}`,
	optional("hints", listOf("a list of hints", modelHint)),
	optional("costPriority", portion),
	optional("speedPriority", portion),
	optional("intelligencePriority", portion),
)

// modelHint may hold more than a name: those keys are the client's to interpret.
func modelHint(v starlark.Value, how direction) (starlark.Value, *misfit) {
	hint, m := anyDict(`a hint such as {"name": "sonnet"}`)(v, how)
	if m != nil {
		return nil, m
	}
	if name := get(hint.(*starlark.Dict), "name"); name != nil {
		if _, m := text("a part of a model's name")(name, how); m != nil {
			return nil, m.in(".name")
		}
	}
	return hint, nil
}

var toolChoice = record(`a dict such as {"mode": "auto"}`,
	optional("mode", oneOf(nil, "auto", "required", "none")))

var offeredTool = record(`a tool such as {"name": "...", "inputSchema": {"type": "object", ...}}`,
	required("name", textThat("the tool's name", func(s string) bool { return s != "" })),
	required("inputSchema", objectSchema),
	optional("title", text("text")),
	optional("description", text("text")),
	optional("outputSchema", anyDict("a JSON Schema as a dict")),
	optional("annotations", anyDict("a dict")),
	optional("icons", listOf("a list of icons", anyDict("a dict"))),
	optional("execution", anyDict("a dict")),
	meta)

// objectSchema is a JSON Schema of the only kind that a tool's arguments have.
func objectSchema(v starlark.Value, _ direction) (starlark.Value, *misfit) {
	dict, ok := v.(*starlark.Dict)
	if !ok {
		return nil, expected(`a JSON Schema such as {"type": "object", "properties": {...}}`, v)
	}
	if got := get(dict, "type"); got != starlark.String("object") {
		return nil, expected(`"object"`, got).in(".type")
	}
	return dict, nil
}
