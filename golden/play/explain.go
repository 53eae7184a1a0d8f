package play

import (
	"fmt"
	"strings"

	"github.com/mcpstar/mcpstar/golden/transcript"
)

// compare says how a message differs from its line, or "".
func (p *player) compare(written, e *transcript.Entry) string {
	what := describe(written)
	switch {
	case written.Method != e.Method:
		return fmt.Sprintf("%s is %s, not %s%s", what, e.Method, written.Method, p.asker(e))
	case written.Error && !e.Error:
		return fmt.Sprintf("%s is a result, not error %d", what, written.Code)
	case !written.Error && e.Error:
		return fmt.Sprintf("%s is error %d: %s", what, e.Code, short(e.Params))
	case written.Code != e.Code:
		return fmt.Sprintf("%s is error %d, not %d", what, e.Code, written.Code)
	}
	clearest := questionsDiffer(written.Params, e.Params, p.bound)
	if clearest == "" && !e.Error {
		// The text of a result says the same once more, and less clearly.
		clearest = transcript.MatchMember(written.Params, e.Params, "structuredContent", p.bound)
	}
	first := transcript.Match(written.Params, e.Params, p.bound)
	switch {
	case first != "" && clearest != "":
		return what + ": " + clearest
	case first != "" && e.Request():
		return what + p.asker(e) + " differs: " + first
	case first != "":
		return what + ": " + first
	}
	if status := max(e.HTTP, 200); p.options.Transport == HTTP && written.HTTP != 0 && written.HTTP != status {
		return fmt.Sprintf("%s has HTTP status %d, not %d", what, status, written.HTTP)
	}
	return ""
}

// asker names the resolver behind a question.
func (p *player) asker(e *transcript.Entry) string {
	if !e.Request() && e.Method == "" || p.options.Asked == nil {
		return ""
	}
	if key := p.options.Asked(); key != "" {
		return " of " + key
	}
	return ""
}

// questionsDiffer says which resolver's question differs in a result that asks.
func questionsDiffer(written, said *transcript.Value, bound transcript.Bindings) string {
	before, now := written.Get("inputRequests"), said.Get("inputRequests")
	if before == nil || now == nil {
		return ""
	}
	trial := transcript.Bindings{}
	for name, v := range bound {
		trial[name] = v
	}
	var lines []string
	for _, m := range before.Members {
		other := now.Get(m.Name)
		if other == nil {
			lines = append(lines, m.Name+" does not ask any more")
			continue
		}
		if d := transcript.Match(m.Value, other, trial); d != "" {
			lines = append(lines, "the question of "+m.Name+" differs: "+d)
		}
	}
	for _, m := range now.Members {
		if before.Get(m.Name) == nil {
			lines = append(lines, m.Name+" asks, and did not")
		}
	}
	if len(lines) == 0 && names(before) != names(now) {
		lines = append(lines, "the order of the questions is "+names(now)+", not "+names(before))
	}
	return strings.Join(lines, "; ")
}

func names(v *transcript.Value) string {
	var list []string
	for _, m := range v.Members {
		list = append(list, m.Name)
	}
	return strings.Join(list, ", ")
}
