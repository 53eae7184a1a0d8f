package seal

import (
	"bufio"
	"encoding/base64"
	"errors"
	"fmt"
	"io"
	"strings"
)

// ParseKeys reads secrets from one line of text, as an environment variable holds
// them: base64, standard or URL-safe, padded or not, separated by commas. Space
// around a key does not count.
//
// The secrets are fit for [NewRing]: none, a short and a repeated one are errors
// already here, where they can be named by their place in the text. No error
// holds any of it.
func ParseKeys(text string) ([][]byte, error) {
	if strings.TrimSpace(text) == "" {
		return nil, errNoKeys
	}
	place := func(i int) string { return fmt.Sprintf("key %d", i+1) }
	var secrets [][]byte
	for i, word := range strings.Split(text, ",") {
		secret, err := decodeSecret(strings.TrimSpace(word))
		if err != nil {
			return nil, fmt.Errorf("%s %w", place(i), err)
		}
		secrets = append(secrets, secret)
	}
	return secrets, checked(&secrets, place)
}

// ReadKeyFile reads secrets as [ParseKeys] does, but one a line. Blank lines do not
// count, nor does what follows a #.
func ReadKeyFile(r io.Reader) ([][]byte, error) {
	const longest = 1 << 20
	var secrets [][]byte
	var lines []int
	place := func(i int) string { return fmt.Sprintf("the key in line %d", lines[i]) }

	limited := &io.LimitedReader{R: r, N: longest + 1}
	scanner := bufio.NewScanner(limited)
	scanner.Buffer(nil, longest+1)
	for n := 1; scanner.Scan(); n++ {
		word, _, _ := strings.Cut(strings.TrimPrefix(scanner.Text(), "\ufeff"), "#")
		if word = strings.TrimSpace(word); word == "" {
			continue
		}
		lines = append(lines, n)
		secret, err := decodeSecret(word)
		if err != nil {
			return nil, fmt.Errorf("%s %w", place(len(lines)-1), err)
		}
		secrets = append(secrets, secret)
	}
	if limited.N == 0 {
		return nil, errors.New("the file is larger than 1 MiB: this is no file of state keys")
	}
	if err := scanner.Err(); err != nil {
		return nil, fmt.Errorf("reading state keys: %w", err)
	}
	return secrets, checked(&secrets, place)
}

// checked checks secrets, and drops them where one is bad.
func checked(secrets *[][]byte, place func(i int) string) error {
	err := checkSecrets(*secrets, place)
	if err != nil {
		*secrets = nil
	}
	return err
}

var urlToStd = strings.NewReplacer("-", "+", "_", "/")

// decodeSecret decodes one secret. Its errors complete "key 2 …".
func decodeSecret(word string) ([]byte, error) {
	switch {
	case word == "":
		return nil, errors.New("is empty: separate keys with one comma")
	case strings.ContainsAny(word, "\r\n"): // the decoder would skip these
		return nil, errors.New("is broken over two lines: separate keys with a comma")
	case strings.ContainsAny(word, "+/") && strings.ContainsAny(word, "-_"):
		return nil, errors.New("mixes two kinds of base64: one has + and /, the other - and _")
	}
	encoding := base64.RawStdEncoding
	if strings.HasSuffix(word, "=") {
		encoding = base64.StdEncoding
	}
	secret, err := encoding.Strict().DecodeString(urlToStd.Replace(word))
	if err != nil {
		// Not the decoder's own words: they tell little, and not where it was cut.
		return nil, errors.New("is not base64: it was cut or mistyped")
	}
	return secret, nil
}
