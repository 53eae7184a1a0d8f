package seal

import (
	"bytes"
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"crypto/subtle"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"sort"

	"go.starlark.net/starlark"

	"github.com/mcpstar/mcpstar/engine/exactjson"
)

// A Binding is the request that state belongs to. State is opened only with the
// binding that it was sealed with.
type Binding struct {
	// Method is the protocol's request: "tools/call".
	Method string
	// Target is the tool's or prompt's name, the resource's URI.
	Target string
	// Arguments is the [ArgumentsDigest] of the request.
	Arguments string
	// Audience names the service, so that two services which share keys do not
	// take each other's state. Empty: none.
	Audience string
	// Principal is who makes the call, in any form that identifies them. Empty:
	// nobody is authenticated. State sealed for somebody is not opened for
	// nobody, nor the other way round.
	Principal string
}

// ArgumentsDigest names the arguments of a request: 43 characters that are the
// same in every process.
//
// It covers what the engine reads (see [exactjson.Decode]), members that a tool
// does not know included. So neither the order of keys nor the spelling of a
// string or a float makes a difference, while 2 and 2.0 differ, as they do for a
// script. Missing arguments, null and {} are the same.
//
// What is no JSON, or beyond the limits of exactjson, is an error. Its text may
// repeat a part of raw: it is for the client that sent it, not for a log.
func ArgumentsDigest(raw json.RawMessage) (string, error) {
	var value starlark.Value = starlark.None
	if len(bytes.TrimSpace(raw)) > 0 {
		v, err := exactjson.Decode(raw, exactjson.Limits{})
		if err != nil {
			return "", fmt.Errorf("arguments: %w", err)
		}
		value = v
	}
	if value == starlark.None {
		value = new(starlark.Dict)
	}
	// The longest that text gets by being written again is one escape for each
	// byte, six times; a limit of our own keeps that from being an error.
	text, err := exactjson.Append(nil, sorted(value), "", exactjson.Limits{Bytes: 8*len(raw) + 64})
	if err != nil {
		return "", fmt.Errorf("arguments: %w", err)
	}
	// All 32 bytes: whoever picks the arguments could search for two sets of them
	// with one short digest.
	sum := sha256.Sum256(text)
	return base64.RawURLEncoding.EncodeToString(sum[:]), nil
}

// sorted is v with the keys of all its dicts in order.
func sorted(v starlark.Value) any {
	switch v := v.(type) {
	case *starlark.Dict:
		object := make(exactjson.Object, 0, v.Len())
		for _, item := range v.Items() {
			object = append(object, exactjson.Member{Name: string(item[0].(starlark.String)), Value: sorted(item[1])})
		}
		sort.Slice(object, func(i, j int) bool { return object[i].Name < object[j].Name })
		return object
	case *starlark.List:
		elems := make([]any, v.Len())
		for i := range elems {
			elems[i] = sorted(v.Index(i))
		}
		return elems
	}
	return v
}

const (
	principalSalt = 16
	principalTag  = 16
)

// principalClaim is what a payload holds in place of a principal: salted, so that
// not even somebody with the key can tell whose state it is, or compare two.
func principalClaim(principal string) []byte {
	salt := make([]byte, principalSalt)
	_, _ = rand.Read(salt) // never fails
	return append(salt, principalTagOf(salt, principal)...)
}

func principalMatches(claim []byte, principal string) bool {
	if len(claim) != principalSalt+principalTag {
		return false
	}
	salt, tag := claim[:principalSalt], claim[principalSalt:]
	return subtle.ConstantTimeCompare(tag, principalTagOf(salt, principal)) == 1
}

func principalTagOf(salt []byte, principal string) []byte {
	mac := hmac.New(sha256.New, salt)
	mac.Write([]byte("mcpstar requestState principal\n" + principal))
	return mac.Sum(nil)[:principalTag]
}
