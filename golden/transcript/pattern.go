package transcript

import (
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"fmt"
	"regexp"
	"strings"
)

// A pattern is a text with placeholders in it:
//
//	${name}                      binds where it first appears, is equal afterwards
//	${any}                       anything
//	${re:EXPRESSION}             what the expression matches as a whole
//	${b64:sha256:HEX:N bytes}    long content, by its digest
//	$${                          the text ${ itself
//
// A text that is one placeholder stands for any JSON value, else for text.
type pattern struct{ parts []part }

type part struct {
	kind partKind
	text string // literal, name, expression or digest
	size int    // of a digest: how many bytes
	re   *regexp.Regexp
}

type partKind byte

const (
	literal partKind = iota
	capture
	anything
	expression
	digest
)

var captureName = regexp.MustCompile(`^[A-Za-z][A-Za-z0-9_.:-]*$`)

// parsePattern reads the placeholders of a text. plain says that there are none.
func parsePattern(text string) (p pattern, plain bool, err error) {
	rest := text
	add := func(s string) {
		if n := len(p.parts); n > 0 && p.parts[n-1].kind == literal {
			p.parts[n-1].text += s
		} else if s != "" {
			p.parts = append(p.parts, part{text: s})
		}
	}
	plain = true
	for {
		at := strings.Index(rest, "${")
		if at < 0 {
			add(rest)
			return p, plain, nil
		}
		plain = false
		if at > 0 && rest[at-1] == '$' {
			add(rest[:at-1] + "${")
			rest = rest[at+2:]
			continue
		}
		add(rest[:at])
		inner, length, err := placeholder(rest[at:])
		if err != nil {
			return p, false, err
		}
		p.parts = append(p.parts, inner)
		rest = rest[at+length:]
	}
}

// placeholder reads the placeholder that text begins with.
func placeholder(text string) (part, int, error) {
	depth := 0
	end := -1
	for i := 1; i < len(text); i++ { // an expression may have braces of its own
		switch text[i] {
		case '\\':
			i++
			continue
		case '{':
			depth++
		case '}':
			depth--
		}
		if depth == 0 {
			end = i
			break
		}
	}
	if end < 0 {
		return part{}, 0, fmt.Errorf("a placeholder is not closed: %s; write $${ for the text ${ itself", clip(text))
	}
	inner := text[2:end]
	p, err := readPlaceholder(inner)
	return p, end + 1, err
}

func readPlaceholder(inner string) (part, error) {
	if inner == "any" {
		return part{kind: anything}, nil
	}
	if source, ok := strings.CutPrefix(inner, "re:"); ok {
		re, err := regexp.Compile(`^(?s:` + source + `)$`)
		if err != nil {
			return part{}, fmt.Errorf("${re:%s} is no expression: %w", source, err)
		}
		return part{kind: expression, text: source, re: re}, nil
	}
	if rest, ok := strings.CutPrefix(inner, "b64:"); ok {
		p := part{kind: digest}
		sum, size, ok := strings.Cut(strings.TrimPrefix(rest, "sha256:"), ":")
		sum = strings.TrimSuffix(sum, "..")
		if _, err := fmt.Sscanf(size, "%d bytes", &p.size); !ok || err != nil || sum == "" || strings.Trim(sum, "0123456789abcdef") != "" {
			return part{}, fmt.Errorf("${%s} is no digest; write ${b64:sha256:12ab34cd:70 bytes}", inner)
		}
		p.text = sum
		return p, nil
	}
	if !captureName.MatchString(inner) {
		return part{}, fmt.Errorf("${%s} is no placeholder: use ${name}, ${any}, ${re:...} or ${b64:...}, and $${ for the text ${ itself", inner)
	}
	return part{kind: capture, text: inner}, nil
}

// escape writes a text that happens to look like a placeholder.
func escape(text string) string { return strings.ReplaceAll(text, "${", "$${") }

// whole is the only part of a pattern that is nothing but a placeholder.
func (p pattern) whole() *part {
	if len(p.parts) == 1 && p.parts[0].kind != literal {
		return &p.parts[0]
	}
	return nil
}

// Bindings are what captures stand for.
type Bindings map[string]*Value

// clone is a copy.
func (b Bindings) clone() Bindings {
	out := make(Bindings, len(b))
	for name, v := range b {
		out[name] = v
	}
	return out
}

// nameOf is the capture that stands for exactly this value, or "".
func (b Bindings) nameOf(v *Value) string {
	best := ""
	for name, bound := range b {
		if bound.Equal(v) && (best == "" || name < best) {
			best = name
		}
	}
	return best
}

// matches reports whether a value fits, and binds what is new.
func (p pattern) matches(v *Value, b Bindings) bool {
	if w := p.whole(); w != nil {
		return w.takes(v, b)
	}
	if v.Kind != String {
		return false
	}
	var source strings.Builder
	var names []string
	source.WriteString("^(?s:")
	for _, part := range p.parts {
		switch part.kind {
		case literal:
			source.WriteString(regexp.QuoteMeta(part.text))
		case anything:
			source.WriteString(".*")
		case expression:
			source.WriteString("(?:" + part.text + ")")
		case digest:
			return false
		case capture:
			if bound := b[part.text]; bound != nil {
				source.WriteString(regexp.QuoteMeta(bound.plain()))
				continue
			}
			source.WriteString(fmt.Sprintf("(?P<mcpstar%d>.+?)", len(names)))
			names = append(names, part.text)
		}
	}
	source.WriteString(")$")
	re, err := regexp.Compile(source.String())
	if err != nil {
		return false
	}
	found := re.FindStringSubmatch(v.Text)
	if found == nil {
		return false
	}
	got := map[string]string{}
	for i, name := range names {
		text := found[re.SubexpIndex(fmt.Sprintf("mcpstar%d", i))]
		if other, twice := got[name]; twice && other != text {
			return false
		}
		got[name] = text
	}
	for name, text := range got {
		b[name] = Text(text)
	}
	return true
}

// takes reports whether a placeholder that stands alone takes v.
func (p *part) takes(v *Value, b Bindings) bool {
	switch p.kind {
	case anything:
		return true
	case expression:
		return p.re.MatchString(v.plain())
	case digest:
		sum, size := digestOf(v.Text)
		return v.Kind == String && size == p.size && strings.HasPrefix(sum, p.text)
	case capture:
		if bound := b[p.text]; bound != nil {
			return bound.Equal(v)
		}
		b[p.text] = v
		return true
	}
	return false
}

// plain is a string's text, and of anything else its JSON.
func (v *Value) plain() string {
	if v.Kind == String {
		return v.Text
	}
	return string(v.Compact())
}

// longText is from how many bytes on a text is written as its digest.
const longText = 2000

// shortBase64 is up to how many bytes base64 is shown as it is.
const shortBase64 = 100

var base64Text = regexp.MustCompile(`^[A-Za-z0-9+/]+={0,2}$`)

// abbreviated is the digest form of a long text, or "".
func abbreviated(text string) string {
	if len(text) < shortBase64 || len(text) < longText && !(len(text)%4 == 0 && base64Text.MatchString(text)) {
		return ""
	}
	sum, size := digestOf(text)
	return fmt.Sprintf("${b64:sha256:%s..:%d bytes}", sum[:16], size)
}

// digestOf is the digest of what a text holds: of base64 the bytes it stands for.
func digestOf(text string) (sum string, size int) {
	data := []byte(text)
	if base64Text.MatchString(text) {
		if raw, err := base64.StdEncoding.DecodeString(text); err == nil {
			data = raw
		}
	}
	hash := sha256.Sum256(data)
	return hex.EncodeToString(hash[:]), len(data)
}

func clip(s string) string {
	if len(s) > 40 {
		return s[:40] + "…"
	}
	return s
}
