package auth_test

import (
	"bytes"
	"crypto/sha256"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/mcpstar/mcpstar/starhost/wire/auth"
)

// written writes a file of tokens.
func written(t *testing.T, text string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "tokens")
	require.NoError(t, os.WriteFile(path, []byte(text), 0o600))
	return path
}

func hashed(token string) string { return fmt.Sprintf("sha256:%x", sha256.Sum256([]byte(token))) }

func TestTokensInAFile(t *testing.T) {
	v, err := auth.OpenTokens(written(t, "\ufeff# who may come\r\n\r\n"+
		"ann\t"+hashed("a secret of ann's")+"  books:read books:write\r\n"+
		"  robot 0123456789abcdef\n"), auth.TokensOptions{})
	require.NoError(t, err)

	ann, err := v.Verify(t.Context(), "a secret of ann's")
	require.NoError(t, err)
	require.Equal(t, "ann", ann.Subject)
	require.Equal(t, []string{"books:read", "books:write"}, ann.Scopes)
	require.JSONEq(t, `{"sub":"ann"}`, string(ann.Claims))
	robot, err := v.Verify(t.Context(), "0123456789abcdef")
	require.NoError(t, err)
	require.Empty(t, robot.Scopes)
	require.NotEqual(t, ann.Principal(), robot.Principal())

	for _, token := range []string{"", "0123456789abcde", "0123456789abcdeF", hashed("a secret of ann's"), "ann"} {
		_, err := v.Verify(t.Context(), token)
		require.Equal(t, auth.Invalid("the token is not known"), err, token)
	}
}

func TestBadFilesOfTokensAreErrors(t *testing.T) {
	for text, says := range map[string]string{
		"":                          "tokens:1: there is no token in it",
		"# ann\n":                   "tokens:1: there is no token in it",
		"ann\n":                     "tokens:1: a line has a name, a token and scopes",
		"\nann short":               "tokens:2: a token of 5 characters can be guessed",
		"ann sha256:abc":            "tokens:1: after sha256: come 64 hexadecimal digits",
		"ann 0123456789abcde!":      "tokens:1: a token is made of letters",
		"ann 0123456789abcdef a\"b": `tokens:1: "a\"b" is no scope`,
		"a 0123456789abcdef\nb " + hashed("0123456789abcdef"): "tokens:2: the token of line 1 again",
		"ann \xff": "tokens:1: the file is not UTF-8",
	} {
		_, err := auth.OpenTokens(written(t, text), auth.TokensOptions{})
		require.ErrorContains(t, err, says)
		require.NotContains(t, err.Error(), "0123456789", "an error tells no token")
	}
	_, err := auth.OpenTokens(filepath.Join(t.TempDir(), "none"), auth.TokensOptions{})
	require.ErrorContains(t, err, "no such file")
	_, err = auth.OpenTokens(written(t, strings.Repeat("x", 100_000)), auth.TokensOptions{})
	require.Error(t, err)
}

func TestAChangedFileOfTokensIsReadAgain(t *testing.T) {
	var log bytes.Buffer
	now := time.Now()
	path := written(t, "ann 0123456789abcdef\n")
	v, err := auth.OpenTokens(path, auth.TokensOptions{
		Now: func() time.Time { return now }, Logger: slog.New(slog.NewTextHandler(&log, nil)),
	})
	require.NoError(t, err)
	verify := func(token string) error {
		_, err := v.Verify(t.Context(), token)
		return err
	}
	require.NoError(t, verify("0123456789abcdef"))

	require.NoError(t, os.WriteFile(path, []byte("bob fedcba98765432100\n"), 0o600))
	now = now.Add(3 * time.Second)
	require.NoError(t, verify("fedcba98765432100"))
	require.Equal(t, auth.Invalid("the token is not known"), verify("0123456789abcdef"), "it was taken out")

	require.NoError(t, os.WriteFile(path, []byte("bob short\n"), 0o600))
	for range 3 {
		now = now.Add(3 * time.Second)
		require.NoError(t, verify("fedcba98765432100"), "a bad file changes nothing")
	}
	require.Equal(t, 1, strings.Count(log.String(), "tokens not read again"))
}
