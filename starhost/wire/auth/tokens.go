package auth

import (
	"bufio"
	"bytes"
	"context"
	"crypto/sha256"
	"crypto/subtle"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"strings"
	"sync"
	"time"
	"unicode/utf8"

	"github.com/mcpstar/mcpstar/engine/exactjson"
)

const (
	tokenShortest = 16              // characters of a token that stands in the file as it is
	tokensMost    = 1000            // lines: each request is compared with all of them
	tokensLook    = 2 * time.Second // between two looks whether the file has changed
)

// TokensOptions are those of [OpenTokens]; the zero value is good.
type TokensOptions struct {
	// Logger is told when a changed file can't be read. Default: nobody.
	Logger *slog.Logger
	// Now is the time. Default: the machine's.
	Now func() time.Time
}

// OpenTokens is the verifier of the tokens in a file: a name, a token, and the scopes
// it has, one a line, separated by spaces. The token is written as it is, or as
// sha256: and the hexadecimal hash of it. Lines that are empty or begin with # don't
// count.
//
//	ann    sha256:9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08  books:read books:write
//	robot  mT0pXkq3Zr8vN1wYc5sLhd                                                    books:read
//
// The name is the identity's subject. The file is read again when it has changed; if
// it is no good then, the tokens from before remain.
func OpenTokens(path string, o TokensOptions) (Verifier, error) {
	t := &tokenFile{path: path, log: o.Logger, now: o.Now}
	if t.now == nil {
		t.now = time.Now
	}
	if t.log == nil {
		t.log = slog.New(slog.DiscardHandler)
	}
	return t, t.read()
}

type tokenFile struct {
	path string
	log  *slog.Logger
	now  func() time.Time

	mu     sync.Mutex
	looked time.Time
	stamp  string // of the file that was read
	lines  []tokenLine
}

type tokenLine struct {
	hash     [sha256.Size]byte
	identity *Identity
}

// Verify implements [Verifier]. How long it takes tells nothing about the tokens.
func (t *tokenFile) Verify(_ context.Context, token string) (*Identity, error) {
	hash := sha256.Sum256([]byte(token))
	var id *Identity
	for _, line := range t.current() {
		if subtle.ConstantTimeCompare(hash[:], line.hash[:]) == 1 {
			id = line.identity
		}
	}
	if id == nil {
		return nil, unknown
	}
	return id, nil
}

// current are the lines of the file as it is now.
func (t *tokenFile) current() []tokenLine {
	t.mu.Lock()
	defer t.mu.Unlock()
	if now := t.now(); now.Sub(t.looked) >= tokensLook {
		t.looked = now
		if stamp := t.look(); stamp != t.stamp {
			t.stamp = stamp // a bad file is complained of once
			if err := t.read(); err != nil {
				t.log.Error("tokens not read again; those from before remain", "error", err)
			}
		}
	}
	return t.lines
}

func (t *tokenFile) look() string {
	info, err := os.Stat(t.path)
	if err != nil {
		return err.Error()
	}
	return fmt.Sprint(info.ModTime().UnixNano(), info.Size())
}

func (t *tokenFile) read() error {
	stamp := t.look()
	f, err := os.Open(t.path)
	if err != nil {
		return err
	}
	defer f.Close()
	text, err := io.ReadAll(io.LimitReader(f, 1<<20))
	if err != nil {
		return err
	}
	lines, err := parseTokens(text)
	if err != nil {
		return fmt.Errorf("%s:%w", t.path, err)
	}
	t.lines, t.stamp = lines, stamp
	return nil
}

// parseTokens reads a file of tokens. An error begins with the line's number, and
// never quotes a token.
func parseTokens(text []byte) ([]tokenLine, error) {
	if !utf8.Valid(text) {
		return nil, errors.New("1: the file is not UTF-8")
	}
	var lines []tokenLine
	seen := map[[sha256.Size]byte]int{}
	in := bufio.NewScanner(bytes.NewReader(text))
	n := 0
	for in.Scan() {
		n++
		fields := strings.Fields(strings.TrimPrefix(in.Text(), "\ufeff"))
		if len(fields) == 0 || strings.HasPrefix(fields[0], "#") {
			continue
		}
		if len(fields) < 2 {
			return nil, fmt.Errorf("%d: a line has a name, a token and scopes, separated by spaces", n)
		}
		hash, err := tokenHash(fields[1])
		if err != nil {
			return nil, fmt.Errorf("%d: %w", n, err)
		}
		if first := seen[hash]; first > 0 {
			return nil, fmt.Errorf("%d: the token of line %d again", n, first)
		}
		for _, scope := range fields[2:] {
			if !IsScope(scope) {
				return nil, fmt.Errorf("%d: %q is no scope", n, scope)
			}
		}
		if len(lines) == tokensMost {
			return nil, fmt.Errorf("%d: more than %d tokens: use an authorization server", n, tokensMost)
		}
		seen[hash] = n
		name := exactjson.MustMarshal(exactjson.Object{{Name: "sub", Value: fields[0]}})
		lines = append(lines, tokenLine{hash, &Identity{Subject: fields[0], Scopes: fields[2:], Claims: name}})
	}
	if err := in.Err(); err != nil {
		return nil, fmt.Errorf("%d: %w", n+1, err)
	}
	if lines == nil {
		return nil, fmt.Errorf("%d: there is no token in it, so nobody could call", max(n, 1))
	}
	return lines, nil
}

func tokenHash(text string) (hash [sha256.Size]byte, err error) {
	if written, ok := strings.CutPrefix(text, "sha256:"); ok {
		sum, err := hex.DecodeString(written)
		if err != nil || len(sum) != sha256.Size {
			return hash, errors.New("after sha256: come 64 hexadecimal digits")
		}
		return [sha256.Size]byte(sum), nil
	}
	if len(text) < tokenShortest {
		return hash, fmt.Errorf("a token of %d characters can be guessed: write at least %d random ones", len(text), tokenShortest)
	}
	if !isToken(text) {
		return hash, errors.New("a token is made of letters, digits and -._~+/, perhaps with = at its end")
	}
	return sha256.Sum256([]byte(text)), nil
}

// IsScope reports whether a text can be a scope (RFC 6749, 3.3).
func IsScope(text string) bool {
	for _, c := range []byte(text) {
		if c <= ' ' || c > '~' || c == '"' || c == '\\' {
			return false
		}
	}
	return text != ""
}
