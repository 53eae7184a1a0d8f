package load_test

import (
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/mcpstar/mcpstar/starhost/load"
)

var update = flag.Bool("update", false, "write testdata/reports/*.txt anew")

// Whole reports, as their reader sees them.
func TestReports(t *testing.T) {
	paths, err := filepath.Glob("testdata/reports/*.star")
	require.NoError(t, err)
	require.NotEmpty(t, paths)
	for _, path := range paths {
		t.Run(filepath.Base(path), func(t *testing.T) {
			list := servers(t, path)
			require.Len(t, list, 1)
			_, err := load.Load(t.Context(), optionsFor(list[0].files))
			require.Error(t, err)
			got := err.Error() + "\n"
			golden := strings.TrimSuffix(path, ".star") + ".txt"
			if *update {
				require.NoError(t, os.WriteFile(golden, []byte(got), 0o644))
			}
			want, err := os.ReadFile(golden)
			require.NoError(t, err)
			require.Equal(t, string(want), got)
		})
	}
}
