package report_test

import (
	"bytes"
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/mcpstar/mcpstar/engine"
	"github.com/mcpstar/mcpstar/starhost/load/report"
)

func TestJSON(t *testing.T) {
	data, err := report.JSON(shopProblems())
	require.NoError(t, err)
	var b bytes.Buffer
	require.NoError(t, json.Indent(&b, data, "", "  "))
	golden(t, "shop.json", b.String()+"\n")
}

func TestJSONForOddPlaces(t *testing.T) {
	end := func(label engine.Label, name string, line, col int32) engine.Label {
		label.Span.End = pos(name, line, col)
		return label
	}
	for name, test := range map[string]struct {
		at   engine.Label
		want string
	}{
		"no place":                 {engine.Label{}, `"file":"","line":0,"column":0,"endLine":0,"endColumn":0`},
		"a file":                   {engine.Label{Span: engine.Span{Start: pos("a.star", 0, 0)}}, `"file":"a.star","line":0,"column":0,"endLine":0,"endColumn":0`},
		"a column of no line":      {point("a.star", 0, 7, ""), `"file":"a.star","line":0,"column":0,"endLine":0,"endColumn":0`},
		"a line":                   {point("a.star", 3, 0, ""), `"file":"a.star","line":3,"column":0,"endLine":3,"endColumn":0`},
		"a start without an end":   {engine.Label{Span: engine.Span{Start: pos("a.star", 3, 4)}}, `"file":"a.star","line":3,"column":4,"endLine":3,"endColumn":4`},
		"an end before the start":  {end(point("a.star", 3, 4, ""), "a.star", 2, 9), `"file":"a.star","line":3,"column":4,"endLine":3,"endColumn":4`},
		"an end in another file":   {end(point("a.star", 3, 4, ""), "b.star", 5, 9), `"file":"a.star","line":3,"column":4,"endLine":3,"endColumn":4`},
		"over lines, with a label": {end(point("a.star", 3, 4, "l"), "a.star", 5, 1), `"file":"a.star","line":3,"column":4,"endLine":5,"endColumn":1,"label":"l"`},
		"below zero":               {point("a.star", -3, -4, ""), `"file":"a.star","line":0,"column":0,"endLine":0,"endColumn":0`},
	} {
		t.Run(name, func(t *testing.T) {
			data, err := report.JSON([]*engine.Problem{{Code: "c", Message: "a <b> & \"c\"", At: test.at}})
			require.NoError(t, err)
			require.Equal(t, `[{"code":"c","severity":"error","message":"a <b> & \"c\"",`+test.want+`,"related":[]}]`, string(data))
		})
	}
}

func TestJSONOfNoProblemsIsAList(t *testing.T) {
	data, err := report.JSON(nil)
	require.NoError(t, err)
	require.Equal(t, `[]`, string(data))
}

func TestJSONKeepsTextsAndSpellsOutControls(t *testing.T) {
	const text = "é日😀 \n\t\x1b[0m\x7f\u009b\u202e\U000e0041"
	data, err := report.JSON([]*engine.Problem{{Message: text, Notes: []string{"\xff"}}})
	require.NoError(t, err)
	require.Contains(t, string(data), `"é日😀 \n\t\u001b[0m\u007f\u009b\u202e\udb40\udc41"`)
	var list []struct {
		Message string
		Notes   []string
	}
	require.NoError(t, json.Unmarshal(data, &list))
	require.Equal(t, text, list[0].Message)
	require.Equal(t, []string{"\ufffd"}, list[0].Notes)
}
