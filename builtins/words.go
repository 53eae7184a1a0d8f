package builtins

import (
	"go.starlark.net/starlark"

	"github.com/mcpstar/mcpstar/builtins/callctx"
	"github.com/mcpstar/mcpstar/builtins/clock"
	"github.com/mcpstar/mcpstar/builtins/content"
	"github.com/mcpstar/mcpstar/builtins/declare"
	"github.com/mcpstar/mcpstar/builtins/dialect"
	"github.com/mcpstar/mcpstar/builtins/guard"
	"github.com/mcpstar/mcpstar/builtins/questions"
	"github.com/mcpstar/mcpstar/builtins/result"
	"github.com/mcpstar/mcpstar/builtins/store"
	"github.com/mcpstar/mcpstar/builtins/types"
)

// Words are all words of the language, Starlark's own functions among them. The
// map is new at each call; the values are immutable. Two families with one word
// would be a mistake of ours and panics.
func Words() starlark.StringDict {
	all := starlark.StringDict{}
	starlarks := guard.Words()
	for _, family := range []starlark.StringDict{
		types.WordsCalling(starlarks), declare.Words(), questions.Words(), content.Words(), result.Words(), callctx.Words(),
		dialect.Words(), clock.Words(), store.Words(),
	} {
		for name, v := range family {
			if all.Has(name) {
				panic("two families have the word " + name)
			}
			v.Freeze()
			all[name] = v
		}
	}
	for name, v := range starlarks {
		if !all.Has(name) { // such as str, which is a type that calls it, and print
			all[name] = v
		}
	}
	return all
}
