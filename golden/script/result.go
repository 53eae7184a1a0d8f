package script

import (
	"encoding/json"
	"fmt"

	"go.starlark.net/starlark"
	"go.starlark.net/starlarkstruct"

	"github.com/mcpstar/mcpstar/engine/exactjson"
	"github.com/mcpstar/mcpstar/starhost/testing"
)

// result is what call() gives:
//
//	.value     what the tool returned, as its client reads it; None for an error
//	.error     what the model or the client reads of an error, else None
//	.code      that of a JSON-RPC error, else None
//	.asked     the questions: each .resolver, .method, .message, .params
//	.rounds    how many requests it took
//	.content   the content blocks, as dicts
func (p *played) result(done *testing.Played) (starlark.Value, error) {
	members := starlark.StringDict{
		"value": starlark.None, "error": starlark.None, "code": starlark.None,
		"rounds": starlark.MakeInt(done.Rounds), "content": starlark.NewList(nil),
	}
	asked, err := p.questions()
	if err != nil {
		return nil, err
	}
	members["asked"] = asked
	if done.Error != nil {
		members["error"] = starlark.String(done.Error.Message)
		members["code"] = starlark.MakeInt64(done.Error.Code)
		return p.made(members), nil
	}
	v, err := exactjson.Decode(done.Result, exactjson.Limits{})
	if err != nil {
		return nil, err
	}
	dict, ok := v.(*starlark.Dict)
	if !ok {
		return nil, fmt.Errorf("the result is no object: %s", done.Result)
	}
	content, _ := member(dict, "content").(*starlark.List)
	if content == nil {
		content = starlark.NewList(nil)
	}
	members["content"] = content
	value := p.value(dict, content)
	if failed := member(dict, "isError"); failed == starlark.True {
		members["error"] = value
		if value == starlark.None {
			members["error"] = starlark.String("")
		}
		return p.made(members), nil
	}
	members["value"] = value
	return p.made(members), nil
}

func (p *played) made(members starlark.StringDict) starlark.Value {
	v := starlarkstruct.FromStringDict(starlark.String("result"), members)
	v.Freeze()
	return v
}

// value is a result as its reader takes it: the structured content, or the text.
func (p *played) value(result *starlark.Dict, content *starlark.List) starlark.Value {
	if structured := member(result, "structuredContent"); structured != nil {
		if inner, ok := structured.(*starlark.Dict); ok && p.tool.Wrapped {
			return member(inner, "result")
		}
		return structured
	}
	var texts []starlark.Value
	for i := range content.Len() {
		if block, ok := content.Index(i).(*starlark.Dict); ok {
			if text := member(block, "text"); text != nil {
				texts = append(texts, text)
			}
		}
	}
	switch len(texts) {
	case 0:
		return starlark.None
	case 1:
		return texts[0]
	}
	return starlark.NewList(texts)
}

// member is a member of an object, or nil.
func member(dict *starlark.Dict, name string) starlark.Value {
	v, found, err := dict.Get(starlark.String(name))
	if !found || err != nil {
		return nil
	}
	return v
}

// questions are what was asked, in order.
func (p *played) questions() (starlark.Value, error) {
	var list []starlark.Value
	for _, q := range p.asked {
		params := starlark.Value(starlark.None)
		if q.params != nil {
			var err error
			if params, err = exactjson.Decode(q.params, exactjson.Limits{}); err != nil {
				return nil, err
			}
		}
		var said struct{ Message json.RawMessage }
		message := starlark.Value(starlark.None)
		if json.Unmarshal(q.params, &said) == nil && said.Message != nil {
			if v, err := exactjson.Decode(said.Message, exactjson.Limits{}); err == nil {
				message = v
			}
		}
		list = append(list, starlarkstruct.FromStringDict(starlark.String("question"), starlark.StringDict{
			"resolver": starlark.String(q.key),
			"method":   starlark.String(q.method),
			"message":  message,
			"params":   params,
		}))
	}
	return starlark.NewList(list), nil
}
