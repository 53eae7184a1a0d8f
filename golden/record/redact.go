package record

import (
	"regexp"
	"strings"

	"github.com/mcpstar/mcpstar/golden/transcript"
)

// redacted stands where a secret of the client's stood.
const redacted = "[redacted]"

// secretName is a member or a variable that holds a secret, by its name.
var secretName = regexp.MustCompile(`(?i)(^|[_-])(authorization|password|passwd|secret|api[_-]?key|access[_-]?key|private[_-]?key|client[_-]?secret|(access|refresh|auth|bearer|id)[_-]?token|token|cookie|credentials?)$`)

// secretText is a text, or a part of one, that is a secret by its shape.
var secretText = regexp.MustCompile(strings.Join([]string{
	`(?i:bearer|basic)\s+[A-Za-z0-9._~+/=-]{8,}`,
	`-----BEGIN [A-Z ]*PRIVATE KEY-----[\s\S]*?-----END [A-Z ]*PRIVATE KEY-----`,
	`\beyJ[A-Za-z0-9_-]{5,}\.[A-Za-z0-9_-]{5,}\.[A-Za-z0-9_-]{5,}`, // JWT
	`\bsk-[A-Za-z0-9_-]{16,}`,
	`\b(?:sk|rk|pk)_(?:live|test)_[A-Za-z0-9]{10,}`,
	`\bgh[pousr]_[A-Za-z0-9]{20,}`,
	`\bgithub_pat_[A-Za-z0-9_]{20,}`,
	`\bglpat-[A-Za-z0-9_-]{16,}`,
	`\bxox[abeoprs]-[A-Za-z0-9-]{10,}`,
	`\b(?:AKIA|ASIA)[A-Z0-9]{16}\b`,
	`\bAIza[A-Za-z0-9_-]{30,}`,
	`\bnpm_[A-Za-z0-9]{30,}`,
	`(?i)://[^/\s:@]+:[^/\s@]+@`, // a password in a URL
}, "|"))

// camel splits accessToken into access_Token, so that one rule knows both.
var camel = regexp.MustCompile(`([a-z])([A-Z])`)

// IsSecretName reports whether a member, a header or an environment variable of
// that name holds a secret.
func IsSecretName(name string) bool {
	switch name {
	case "progressToken", "nextPageToken", "maxTokens":
		return false
	}
	return secretName.MatchString(camel.ReplaceAllString(name, "${1}_$2"))
}

// redact is v without secrets. with stands in the place of each.
func (r *Recorder) redact(v *transcript.Value, with string) *transcript.Value {
	if v == nil {
		return nil
	}
	out := *v
	switch v.Kind {
	case transcript.String:
		out.Text = r.redactText(v.Text, with)
	case transcript.Object:
		out.Members = nil
		for _, m := range v.Members {
			value := m.Value
			if IsSecretName(m.Name) && value.Kind != transcript.Object && value.Kind != transcript.Array && value.Kind != transcript.Literal {
				value = transcript.Text(with)
			}
			out.Members = append(out.Members, transcript.Member{Name: r.redactText(m.Name, redacted), Value: r.redact(value, with)})
		}
	case transcript.Array:
		out.Elements = nil
		for _, e := range v.Elements {
			out.Elements = append(out.Elements, r.redact(e, with))
		}
	}
	return &out
}

func (r *Recorder) redactText(text, with string) string {
	for _, secret := range r.options.Secrets {
		if len(secret) >= 4 {
			text = strings.ReplaceAll(text, secret, with)
		}
	}
	return secretText.ReplaceAllLiteralString(text, with)
}

// redactWords is a command without secrets: those in its words, and the word after
// a flag that names one.
func (r *Recorder) redactWords(words []string) []string {
	var out []string
	after := false
	for _, w := range words {
		name, value, has := strings.Cut(w, "=")
		switch {
		case after:
			w = redacted
		case has && value != "" && IsSecretName(strings.TrimLeft(name, "-")):
			w = name + "=" + redacted
		default:
			w = r.redactText(w, redacted)
		}
		after = strings.HasPrefix(w, "-") && !has && IsSecretName(strings.TrimLeft(w, "-"))
		out = append(out, w)
	}
	return out
}
