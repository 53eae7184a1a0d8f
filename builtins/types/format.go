package types

import (
	"fmt"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/mcpstar/mcpstar/engine"
	"go.starlark.net/starlark"
)

// A format is a kind of text that is enforced.
type format struct {
	want string
	fits func(string) bool
}

// formatNamed is the enforced format of that name. They are the four that a form
// may use.
func formatNamed(name string) (format, bool) {
	switch name {
	case "date":
		return format{"a date as 2026-05-31", isDate}, true
	case "date-time":
		return format{"a date and time as 2026-05-31T14:00:00Z", isDateTime}, true
	case "email":
		return format{"an email address", isEmail}, true
	case "uri":
		return format{"a URI with its scheme, as https://example.com/x", isURI}, true
	}
	return format{}, false
}

// otherFormats are names in common use that are shown and not enforced.
var otherFormats = [...]string{
	"time", "duration", "idn-email", "hostname", "idn-hostname", "ipv4", "ipv6", "uri-reference", "iri",
	"iri-reference", "uuid", "uri-template", "json-pointer", "relative-json-pointer", "regex",
	"binary", "byte", "password", "decimal", "int32", "int64", "float", "double",
}

func formatOf(v starlark.Value) (string, error) {
	name, err := textOf("format", v)
	if err != nil {
		return "", err
	}
	if _, ok := formatNamed(name); ok || slices.Contains(otherFormats[:], name) {
		return name, nil
	}
	if near := engine.Nearest(name, []string{"date", "date-time", "email", "uri"}); near != "" {
		return "", fmt.Errorf("there is no format %q (did you mean %s?)", name, near)
	}
	return name, nil
}

func isDate(s string) bool {
	_, err := time.Parse(time.DateOnly, s)
	return err == nil
}

func isDateTime(s string) bool {
	if len(s) > 64 {
		return false
	}
	_, err := time.Parse(time.RFC3339Nano, strings.ToUpper(s))
	return err == nil
}

func isEmail(s string) bool {
	at := strings.LastIndexByte(s, '@')
	if at < 1 || at > 64 || len(s) > 320 {
		return false
	}
	local, domain := s[:at], s[at+1:]
	for _, r := range s {
		if r <= ' ' || r == 0x7f {
			return false
		}
	}
	if strings.ContainsAny(local, "@()<>,;:\\\"[]") || strings.Contains(local, "..") || local[0] == '.' || local[at-1] == '.' {
		return false
	}
	for _, label := range strings.Split(domain, ".") {
		if label == "" || len(label) > 63 || strings.HasPrefix(label, "-") || strings.HasSuffix(label, "-") ||
			strings.ContainsAny(label, "@()<>,;:\\\"[]/_!#$%&'*+=?^`{|}~") {
			return false
		}
	}
	return true
}

func isURI(s string) bool {
	for i := range len(s) {
		if c := s[i]; c <= ' ' || c >= 0x7f || strings.IndexByte("<>\"\\^`{|}", c) >= 0 {
			return false
		}
	}
	u, err := url.Parse(s)
	return err == nil && u.IsAbs() && (u.Host != "" || u.Opaque != "" || u.Path != "")
}
