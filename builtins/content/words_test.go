package content

import (
	"testing"

	"github.com/stretchr/testify/require"
	"go.starlark.net/starlark"

	"github.com/mcpstar/mcpstar/builtins/internal/startest"
	"github.com/mcpstar/mcpstar/engine/exactjson"
)

func TestScripts(t *testing.T) {
	words := Words()
	words["hi"] = Text("hi")
	startest.Run(t, "testdata/*.star", words)
}

var picture = Block{kind: "image", data: "iVBORw==", mime: "image/png"}

func TestBlocksEncodeAsOnTheWire(t *testing.T) {
	for _, test := range []struct {
		block Block
		want  string
	}{
		{Text("a \"b\" é"), `{"type":"text","text":"a \"b\" é"}`},
		{Text(""), `{"type":"text","text":""}`},
		{picture, `{"type":"image","data":"iVBORw==","mimeType":"image/png"}`},
		{Block{kind: "audio", mime: "audio/wav"}, `{"type":"audio","data":"","mimeType":"audio/wav"}`},
	} {
		text, err := exactjson.Marshal(test.block)
		require.NoError(t, err)
		require.Equal(t, test.want, string(text))
	}
}

func TestOnlyBlocksAndListsOfBlocksAreContent(t *testing.T) {
	for _, test := range []struct {
		name  string
		value starlark.Value
		want  int // blocks; 0: no content
	}{
		{"a block", Text("a"), 1},
		{"a list of blocks", starlark.NewList([]starlark.Value{Text("a"), picture}), 2},
		{"a tuple of blocks", starlark.Tuple{Text("a")}, 1},
		{"a mixed list", starlark.NewList([]starlark.Value{Text("a"), starlark.String("b")}), 0},
		{"a list in a list", starlark.NewList([]starlark.Value{starlark.NewList([]starlark.Value{Text("a")})}), 0},
		{"an empty list", starlark.NewList(nil), 0},
		{"an empty tuple", starlark.Tuple{}, 0},
		{"text", starlark.String("a"), 0},
		{"None", starlark.None, 0},
	} {
		blocks, ok := Blocks(test.value)
		require.Equal(t, test.want > 0, ok, test.name)
		require.Len(t, blocks, test.want, test.name)
	}
	blocks, _ := Blocks(starlark.NewList([]starlark.Value{Text("a"), picture}))
	require.Equal(t, []exactjson.Object{Text("a").object(), picture.object()}, blocks)
}
