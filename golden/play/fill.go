package play

import (
	"strconv"

	"github.com/mcpstar/mcpstar/golden/transcript"
)

// maxRounds is how often a call is continued before it is given up.
const maxRounds = 20

// filling reports whether the section is only begun: it holds nothing but its
// first request, and answer lines say how to go on.
func (p *player) filling() bool {
	return len(p.section.Entries) == 1 && p.section.Entries[0].Direction == transcript.Send
}

// follow does what a message asks for and no line does.
func (p *player) follow(e *transcript.Entry, wire string, written *transcript.Entry) {
	switch {
	case e.Request():
		p.answer(e)
	case e.Answer() && p.filling() && !e.Error:
		p.goOn(e)
	}
}

// answer answers a request of the server's that no line answers. Left alone, the
// server would wait for ever.
func (p *player) answer(e *transcript.Entry) {
	for _, w := range p.section.Entries {
		if w.Direction == transcript.Send && w.Answer() && w.ID == e.ID {
			return
		}
	}
	reply := &transcript.Entry{Direction: transcript.Send, ID: e.ID, Error: true, Code: -32603,
		Params: &transcript.Value{Kind: transcript.Object, Members: []transcript.Member{{Name: "message", Value: transcript.Text("the transcript does not answer this")}}}}
	if p.filling() {
		key := ""
		if p.options.Asked != nil {
			key = p.options.Asked()
		}
		if line := p.answerLine(e.Method, key); line != nil {
			reply.Error, reply.Code, reply.Params = line.Error, line.Code, line.Value
		}
		p.said = append(p.said, transcript.Said{Entry: reply})
	}
	_ = p.send(reply) // it has no captures
}

// answerLine is the answer line for a question: one for its resolver, or one for
// its method. Several for the same are used in order, the last one again and
// again.
func (p *player) answerLine(method, key string) *transcript.Answer {
	for _, to := range []string{key, afterColon(key), method} {
		if to == "" {
			continue
		}
		var lines []*transcript.Answer
		for i := range p.file.Client.Answers {
			if p.file.Client.Answers[i].To == to {
				lines = append(lines, &p.file.Client.Answers[i])
			}
		}
		if len(lines) == 0 {
			continue
		}
		n := p.used["answer "+to]
		p.used["answer "+to]++
		return lines[min(n, len(lines)-1)]
	}
	return nil
}

func afterColon(key string) string {
	for i := len(key) - 1; i >= 0; i-- {
		if key[i] == ':' {
			return key[i+1:]
		}
	}
	return ""
}

// goOn sends the next round of a call whose result asks for answers.
func (p *player) goOn(e *transcript.Entry) {
	asked := e.Params.Get("inputRequests")
	if kind := e.Params.Get("resultType"); kind == nil || kind.Text != "input_required" || asked == nil {
		return
	}
	if p.used["round"]++; p.used["round"] > maxRounds {
		return
	}
	answers := &transcript.Value{Kind: transcript.Object}
	for _, m := range asked.Members {
		method := ""
		if v := m.Value.Get("method"); v != nil {
			method = v.Text
		}
		if line := p.answerLine(method, m.Name); line != nil && !line.Error {
			answers.Members = append(answers.Members, transcript.Member{Name: m.Name, Value: line.Value})
		}
	}
	if len(answers.Members) == 0 && len(asked.Members) > 0 {
		return
	}
	p.lastID++
	first := p.section.Entries[0]
	params := first.Params.With("requestState", e.Params.Get("requestState")).With("inputResponses", answers)
	next := &transcript.Entry{Direction: transcript.Send, ID: strconv.Itoa(p.lastID), Method: first.Method, Params: params}
	p.said = append(p.said, transcript.Said{Entry: next})
	_ = p.send(next) // its captures are bound
}
