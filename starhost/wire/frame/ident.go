package frame

import (
	"strconv"
	"strings"
)

// The SDK turns number ids into int64 by way of float64, so it is given strings
// that hold the id's JSON text, and every message that goes out gets the text back.
// The mapping needs no memory: 1 becomes "mcpstar/id::1" and "1" becomes
// "mcpstar/id::\"1\"". Between the colons a connection may put a serial number, so
// that an id which its client uses again (the first request having been cancelled)
// is a new one for the SDK.

const (
	idPrefix    = ownPrefix + "id:"
	tokenPrefix = ownPrefix + "token:"
)

// canonicalID is the JSON text by which an id is known: as it came, but a string
// with needless escapes loses them, since "a" and "\u0061" are the same id.
func canonicalID(raw []byte) string {
	if !isString(raw) {
		return string(raw)
	}
	text, exact := unquote(raw)
	if !exact {
		return string(raw)
	}
	return string(appendQuoted(nil, text))
}

// sdkID is the id under which the SDK knows the request with that canonical id.
// serial 0 stands for none.
func sdkID(id string, serial uint64) string {
	if serial == 0 {
		return idPrefix + ":" + id
	}
	return idPrefix + strconv.FormatUint(serial, 10) + ":" + id
}

// clientID undoes sdkID. ok is false for a string that sdkID did not make.
func clientID(sdk string) (id string, ok bool) {
	rest, ok := strings.CutPrefix(sdk, idPrefix)
	if !ok {
		return "", false
	}
	_, id, ok = strings.Cut(rest, ":")
	return id, ok
}

// sdkToken is the progress token that the SDK may see in the place of a number which
// would not survive float64. ok is false when raw survives, or is no number.
func sdkToken(raw []byte) (token string, ok bool) {
	if !isNumber(raw) {
		return "", false
	}
	digits := raw
	if raw[0] == '-' {
		digits = raw[1:]
	}
	if skipDigits(digits, 0) == len(digits) && len(digits) <= 15 && string(raw) != "-0" {
		return "", false
	}
	return tokenPrefix + string(raw), true
}
