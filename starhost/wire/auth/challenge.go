package auth

import (
	"net/http"
	"strings"

	"github.com/mcpstar/mcpstar/engine/exactjson"
)

// A challenge is an answer to a request that is not let in, and says what would let
// it in.
type challenge struct {
	status int
	code   string // of RFC 6750; "" if the client has not tried
	text   string
	scopes []string // that a token needs
}

// unauthorized answers who has brought no token. RFC 6750 wants no error named then.
func unauthorized(text string) *challenge {
	return &challenge{status: http.StatusUnauthorized, text: text}
}

func malformed(text string) *challenge {
	return &challenge{status: http.StatusBadRequest, code: "invalid_request", text: text}
}

func invalidToken(text string) *challenge {
	return &challenge{status: http.StatusUnauthorized, code: "invalid_token", text: text}
}

func insufficientScope(needed, missing []string) *challenge {
	return &challenge{
		status: http.StatusForbidden, code: "insufficient_scope", scopes: needed,
		text: "the token lacks the scope " + strings.Join(missing, " "),
	}
}

// write answers. metadata is where the client learns who makes tokens.
func (c *challenge) write(w http.ResponseWriter, metadata string) {
	var params []string
	add := func(name, value string) {
		if value != "" {
			params = append(params, name+"="+quoted(value))
		}
	}
	add("error", c.code)
	if c.code != "" {
		add("error_description", c.text)
	}
	add("scope", strings.Join(c.scopes, " "))
	add("resource_metadata", metadata)
	w.Header().Set("WWW-Authenticate", "Bearer "+strings.Join(params, ", "))
	code := c.code
	if code == "" {
		code = "invalid_token" // the body has no other word for it
	}
	writeJSON(w, c.status, exactjson.Object{{Name: "error", Value: code}, {Name: "error_description", Value: c.text}})
}

func writeJSON(w http.ResponseWriter, status int, body exactjson.Object) {
	w.Header().Set("Content-Type", "application/json")
	w.Header().Set("Cache-Control", "no-store")
	w.WriteHeader(status)
	_, _ = w.Write(exactjson.MustMarshal(body))
}

// quoted is a text as a quoted string of HTTP, with what can't stand in one left out.
func quoted(text string) string {
	var out strings.Builder
	out.WriteByte('"')
	for _, c := range []byte(text) {
		switch {
		case c == '"' || c == '\\':
			out.WriteByte('\\')
			out.WriteByte(c)
		case ' ' <= c && c <= '~':
			out.WriteByte(c)
		}
	}
	out.WriteByte('"')
	return out.String()
}
