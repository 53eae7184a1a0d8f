package engine_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/mcpstar/mcpstar/engine"
)

func TestNearestIsTheWordThatWasMeant(t *testing.T) {
	for _, c := range []struct {
		word       string
		candidates []string
		want       string
	}{
		{"titel", []string{"copies", "title"}, "title"},
		{"tilte", []string{"title", "tilt"}, "title"},
		{"xs", []string{"as", "zs"}, "as"},
		{"A", []string{"b", "a"}, "a"},
		{"c", []string{"a", "b"}, ""},
		{"y", []string{"x"}, "x"},
		{"y", []string{"x", "name"}, "x"},
		{"", []string{"a"}, ""},
		{"lamp", []string{"book"}, ""},
	} {
		require.Equal(t, c.want, engine.Nearest(c.word, c.candidates), "%s of %v", c.word, c.candidates)
	}
}
