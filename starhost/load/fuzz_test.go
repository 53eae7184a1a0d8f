package load_test

import (
	"errors"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/mcpstar/mcpstar/starhost/load"
	"github.com/mcpstar/mcpstar/starhost/load/report"
)

// Whatever a file says, it loads or is refused with words at a place in it, soon.
func FuzzLoad(f *testing.F) {
	for _, pattern := range []string{"testdata/*.star", "testdata/reports/*.star", "../../examples/*/*.star"} {
		paths, err := filepath.Glob(pattern)
		require.NoError(f, err)
		for _, path := range paths {
			for _, s := range servers(f, path) {
				f.Add(string(s.files[entry].Data))
			}
		}
	}
	f.Fuzz(func(t *testing.T, text string) {
		files := one(text)
		files["lib/stock.star"] = declaring("check")
		o := optionsFor(files)
		o.Limits.Steps = 10_000
		start := time.Now()
		_, err := load.Load(t.Context(), o)
		require.Less(t, time.Since(start), time.Minute)
		if err == nil {
			return
		}
		var bad *report.Error
		require.True(t, errors.As(err, &bad))
		require.NotEmpty(t, err.Error())
		for _, p := range bad.Problems {
			require.NotEmpty(t, p.Code)
			require.NotEqual(t, "internal", p.Code, "%v", p.Notes)
			require.NotEmpty(t, p.Message)
			require.Positive(t, p.At.Span.Start.Line)
			require.Positive(t, p.At.Span.Start.Col)
		}
	})
}
