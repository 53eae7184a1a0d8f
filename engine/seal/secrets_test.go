package seal_test

import (
	"encoding/base64"
	"errors"
	"io"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/stretchr/testify/require"

	"github.com/mcpstar/mcpstar/engine/seal"
)

// Two secrets whose base64 has padding and, both, the characters in which the two
// alphabets differ.
var (
	one    = []byte("\xfb\xff\xbfone: 32 bytes of secret text.\x00")[:32]
	two    = []byte("\xff\xfb\xefTwo: 32 bytes of secret text.\x00")[:32]
	oneStd = base64.StdEncoding.EncodeToString(one)
	twoStd = base64.StdEncoding.EncodeToString(two)
	oneURL = base64.URLEncoding.EncodeToString(one)
	twoRaw = base64.RawURLEncoding.EncodeToString(two)
)

func TestKeysAreReadFromText(t *testing.T) {
	for name, test := range map[string]struct {
		text string
		want [][]byte
	}{
		"one":              {oneStd, [][]byte{one}},
		"URL-safe":         {oneURL, [][]byte{one}},
		"without padding":  {strings.TrimRight(oneStd, "="), [][]byte{one}},
		"two":              {oneStd + "," + twoStd, [][]byte{one, two}},
		"two kinds":        {oneStd + "," + twoRaw, [][]byte{one, two}},
		"space around":     {" " + oneStd + " ,\n\t" + twoStd + "\r\n", [][]byte{one, two}},
		"order is kept":    {twoStd + "," + oneStd, [][]byte{two, one}},
		"more than needed": {base64.StdEncoding.EncodeToString(secret(7, 48)), [][]byte{secret(7, 48)}},
	} {
		t.Run(name, func(t *testing.T) {
			got, err := seal.ParseKeys(test.text)
			require.NoError(t, err)
			require.Equal(t, test.want, got)
		})
	}
}

func TestBadKeysInTextAreNamedByPlace(t *testing.T) {
	short := base64.StdEncoding.EncodeToString(secret(1, 16))
	for name, test := range map[string]struct{ text, want string }{
		"nothing":        {"", "at least one state key"},
		"space":          {" \n", "at least one state key"},
		"trailing comma": {oneStd + ",", "key 2 is empty"},
		"double comma":   {oneStd + ",," + twoStd, "key 2 is empty"},
		"short":          {oneStd + "," + short, "key 2 is 16 bytes"},
		"repeated":       {oneStd + "," + twoStd + "," + oneURL, "key 3 is the same state key as key 1"},
		"other letters":  {"hunter2 hunter2 hunter2 hunter2 hunter2 hunter2 hunter2", "key 1 is not base64"},
		"cut":            {oneStd[:41], "key 1 is not base64"},
		"stray bits":     {strings.TrimRight(oneStd, "=")[:42] + "B", "key 1 is not base64"},
		"half padding":   {twoStd[:42] + "=", "key 1 is not base64"},
		"two alphabets":  {"+" + oneURL[1:], "key 1 mixes two kinds of base64"},
		"line break":     {oneStd[:20] + "\n" + oneStd[20:], "key 1 is broken over two lines"},
	} {
		t.Run(name, func(t *testing.T) {
			got, err := seal.ParseKeys(test.text)
			require.ErrorContains(t, err, test.want)
			require.Nil(t, got)
			requireNothingOf(t, err, test.text)
		})
	}
}

func TestKeysAreReadFromAFile(t *testing.T) {
	file := "\ufeff# the ring of the shop\r\n\r\n" + oneStd + "\r\n   \n  " + twoRaw + "   # the old one, until Monday"
	got, err := seal.ReadKeyFile(strings.NewReader(file))
	require.NoError(t, err)
	require.Equal(t, [][]byte{one, two}, got)

	got, err = seal.ReadKeyFile(strings.NewReader("\ufeff" + oneStd))
	require.NoError(t, err)
	require.Equal(t, [][]byte{one}, got)
}

func TestBadKeysInAFileAreNamedByLine(t *testing.T) {
	for name, test := range map[string]struct{ file, want string }{
		"empty":         {"", "at least one state key"},
		"only comments": {"# nothing\n\n  # yet\n", "at least one state key"},
		"short":         {"# ring\n\nc2hvcnQ=\n", "the key in line 3 is 5 bytes"},
		"not base64":    {oneStd + "\n\n\nnot a key\n", "the key in line 4 is not base64"},
		"commas":        {oneStd + "," + twoStd, "the key in line 1 is not base64"},
		"repeated":      {oneStd + "\n# again\n" + oneURL, "the key in line 3 is the same state key as the key in line 1"},
	} {
		t.Run(name, func(t *testing.T) {
			got, err := seal.ReadKeyFile(strings.NewReader(test.file))
			require.ErrorContains(t, err, test.want)
			require.Nil(t, got)
			requireNothingOf(t, err, test.file)
		})
	}
}

func TestReadingAKeyFileFails(t *testing.T) {
	broken := io.MultiReader(strings.NewReader(oneStd+"\n"), iotest.ErrReader(errors.New("disk on fire")))
	_, err := seal.ReadKeyFile(broken)
	require.ErrorContains(t, err, "disk on fire")

	for _, endless := range []string{"a", "\n", "# comment\n"} {
		_, err = seal.ReadKeyFile(forever(endless))
		require.ErrorContains(t, err, "larger than 1 MiB")
	}
}

// forever repeats itself, as a device does.
type forever string

func (f forever) Read(p []byte) (int, error) {
	n := 0
	for n < len(p) {
		n += copy(p[n:], f)
	}
	return n, nil
}

// requireNothingOf checks that err repeats no four characters of a key in text.
func requireNothingOf(t *testing.T, err error, text string) {
	t.Helper()
	for i := 0; i+4 <= len(text); i++ {
		part := text[i : i+4]
		if strings.TrimSpace(part) == part && !strings.HasPrefix(part, "#") && !strings.Contains("not a key", part) {
			require.NotContains(t, err.Error(), part)
		}
	}
}
