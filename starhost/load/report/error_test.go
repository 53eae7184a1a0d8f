package report_test

import (
	"errors"
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/mcpstar/mcpstar/engine"
	"github.com/mcpstar/mcpstar/starhost/load/report"
)

func TestErrorIsTheReport(t *testing.T) {
	problems, src := quote("def f(:", ":", "here")
	problems = append(problems, &engine.Problem{Code: "style", Message: "careful", Warning: true})
	err := report.New(problems, src)
	require.EqualError(t, err, `error[code]: message
 --> a.star:1:7
  |
1 | def f(:
  |       ^ here

warning[style]: careful

1 error, 1 warning`)

	var found *report.Error
	require.ErrorAs(t, fmt.Errorf("loading: %w", err), &found)
	require.Equal(t, problems, found.Problems)
	require.Equal(t, src, found.Sources)
}

func TestWarningsAreNoError(t *testing.T) {
	for _, problems := range [][]*engine.Problem{nil, {}, {{Warning: true}, {Warning: true}}} {
		err := report.New(problems, nil)
		require.True(t, err == nil && !errors.As(err, new(*report.Error)))
	}
}

func TestTotals(t *testing.T) {
	bad, warning := &engine.Problem{Message: "m"}, &engine.Problem{Message: "m", Warning: true}
	for want, problems := range map[string][]*engine.Problem{
		"1 error":              {bad},
		"2 errors":             {bad, bad},
		"1 warning":            {warning},
		"1 error, 2 warnings":  {warning, bad, warning},
		"2 errors, 1 warning":  {bad, bad, warning},
		"3 errors, 2 warnings": {bad, warning, bad, warning, bad},
	} {
		require.Regexp(t, `(?m)\n\n`+want+`\n\z`, render(t, problems, nil, report.Options{}))
	}
}

func TestSummary(t *testing.T) {
	at := func(name string) *engine.Problem { return &engine.Problem{At: point(name, 1, 1, "")} }
	for want, problems := range map[string][]*engine.Problem{
		"no problems":           nil,
		"1 problem in 1 file":   {at("a.star")},
		"2 problems in 1 file":  {at("a.star"), at("a.star")},
		"3 problems in 2 files": {at("a.star"), at("b.star"), at("a.star")},
		"1 problem":             {{}},
		"4 problems in 1 file":  {{}, at("a.star"), {}, at("a.star")},
	} {
		require.Equal(t, want, report.Summary(problems))
	}
}
