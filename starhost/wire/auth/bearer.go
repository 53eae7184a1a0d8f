package auth

import (
	"net/http"
	"strings"
)

// bearer is the token of a request. It comes in the Authorization header, once, and
// nowhere else: what stands in a URL ends up in logs.
func bearer(r *http.Request) (token string, refused *challenge) {
	values := r.Header.Values("Authorization")
	if r.URL.RawQuery != "" && r.URL.Query().Has("access_token") {
		return "", malformed("an access token must not be in the URL: send it in the Authorization header")
	}
	if len(values) == 0 {
		return "", unauthorized("a bearer token is needed")
	}
	if len(values) > 1 {
		return "", malformed("more than one Authorization header")
	}
	scheme, token, _ := strings.Cut(values[0], " ")
	if !strings.EqualFold(scheme, "Bearer") {
		return "", unauthorized("a bearer token is needed")
	}
	if token = strings.TrimLeft(token, " "); !isToken(token) {
		return "", malformed("the Authorization header holds no bearer token")
	}
	return token, nil
}

// isToken reports whether a text can be a bearer token (RFC 6750, 2.1).
func isToken(text string) bool {
	body := strings.TrimRight(text, "=")
	for _, c := range []byte(body) {
		switch {
		case 'a' <= c && c <= 'z', 'A' <= c && c <= 'Z', '0' <= c && c <= '9', strings.IndexByte("-._~+/", c) >= 0:
		default:
			return false
		}
	}
	return body != ""
}
