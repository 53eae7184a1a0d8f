package play

import (
	"fmt"
	"regexp"
	"strconv"

	"github.com/mcpstar/mcpstar/golden/transcript"
)

const metaServerInfo = "io.modelcontextprotocol/serverInfo"

// take finds the line that a message stands for and says how the two differ.
func (p *player) take(m message) {
	e, wire := p.read(m)
	written := p.lineFor(e)
	said := transcript.Said{Entry: e, Written: written}
	if e.Request() {
		p.label(e, wire, written)
	}
	if written == nil {
		p.differs(0, "nobody expects %s: %s", describe(e), short(e.Params))
		e.Params = p.captures.Write(transcript.Merge(nil, e.Params, p.bound), e.Params)
	} else {
		p.taken[written] = true
		if why := p.compare(written, e); why != "" {
			p.differs(written.Line, "%s", why)
			e.Direction = written.Direction
			if e.HTTP == 0 && p.options.Transport != HTTP && e.Error == written.Error && e.Code == written.Code {
				e.HTTP = written.HTTP
			}
			e.Params = p.captures.Write(transcript.Merge(written.Params, e.Params, p.bound), e.Params)
		} else {
			said.Same = true
		}
	}
	p.said = append(p.said, said)
	p.follow(e, wire, written)
}

func short(v *transcript.Value) string {
	if v == nil {
		return "without params"
	}
	text := string(v.Compact())
	if len(text) > 200 {
		text = text[:200] + "…"
	}
	return text
}

// read turns a message into the entry that it would be. wire is its id as it came.
func (p *player) read(m message) (e *transcript.Entry, wire string) {
	e = &transcript.Entry{Direction: transcript.Receive}
	if m.status != 0 && m.status != 200 {
		e.HTTP = m.status
	}
	v, err := transcript.ParseJSON(m.text)
	if err != nil || v.Kind != transcript.Object {
		e.ID = p.written(m.to)
		e.Params = transcript.Text(string(m.text))
		delete(p.inflight, m.to)
		return e, m.to
	}
	if id := v.Get("id"); id != nil {
		wire = string(id.Compact())
	}
	if method := v.Get("method"); method != nil {
		e.Method, e.Params = method.Text, v.Get("params")
		if wire != "" {
			e.ID = unnamed
		}
		return e, wire
	}
	delete(p.inflight, wire)
	e.ID = p.written(wire)
	if e.ID == "null" && m.to != "" {
		delete(p.inflight, m.to)
	}
	if failure := v.Get("error"); failure != nil {
		e.Error = true
		if code := failure.Get("code"); code != nil {
			e.Code, _ = strconv.ParseInt(code.Text, 10, 64)
		}
		e.Params = failure.Without("code")
		return e, wire
	}
	e.Params = p.bare(v.Get("result"))
	if e.Params == nil {
		e.Params = v // neither: shown as it came
	}
	return e, wire
}

var plainID = regexp.MustCompile(`^"([A-Za-z0-9_.:-]+)"$`)

// written is a wire id as it is written.
func (p *player) written(wire string) string {
	if id, ok := p.given[wire]; ok {
		return id
	}
	if m := plainID.FindStringSubmatch(wire); m != nil {
		return m[1]
	}
	if wire == "" {
		return "null"
	}
	return wire
}

// bare is a result without the server's name, which is in every one of them.
func (p *player) bare(result *transcript.Value) *transcript.Value {
	meta := result.Get("_meta")
	if p.file.Envelope || meta.Get(metaServerInfo) == nil {
		return result
	}
	if meta = meta.Without(metaServerInfo); len(meta.Members) == 0 {
		return result.Without("_meta")
	}
	return result.With("_meta", meta)
}

// unnamed is the id of a question until its line is found.
const unnamed = "s0"

// lineFor is the line that a message stands for, or nil.
func (p *player) lineFor(e *transcript.Entry) *transcript.Entry {
	var fits func(w *transcript.Entry) bool
	switch {
	case e.Notification():
		fits = func(w *transcript.Entry) bool { return w.Notification() && w.Method == e.Method }
	case e.Method != "":
		fits = func(w *transcript.Entry) bool { return w.Request() }
	default:
		fits = func(w *transcript.Entry) bool {
			return w.Answer() && transcript.WireID(w.ID) == transcript.WireID(e.ID)
		}
	}
	var first *transcript.Entry
	for _, w := range p.section.Entries {
		if w.Direction == transcript.Send || p.taken[w] || !fits(w) {
			continue
		}
		if p.sameAs(w, e) {
			if first != nil && w.Request() && (w.Group == 0 || w.Group != first.Group) {
				return first // questions outside of a group come in order
			}
			return w
		}
		if first == nil {
			first = w
		}
	}
	return first
}

// sameAs reports whether a message is what is written, and binds nothing.
func (p *player) sameAs(w, e *transcript.Entry) bool {
	trial := transcript.Bindings{}
	for name, v := range p.bound {
		trial[name] = v
	}
	return w.Method == e.Method && w.Error == e.Error && w.Code == e.Code && transcript.Match(w.Params, e.Params, trial) == ""
}

// label names a request of the server's.
func (p *player) label(e *transcript.Entry, wire string, written *transcript.Entry) {
	if written != nil {
		e.ID = written.ID
	} else {
		for n := 1; ; n++ {
			e.ID = fmt.Sprintf("s%d", n)
			if !p.labelTaken(e.ID) {
				break
			}
		}
	}
	p.labels[e.ID] = wire
}

func (p *player) labelTaken(id string) bool {
	if _, ok := p.labels[id]; ok {
		return true
	}
	for _, w := range p.section.Entries {
		if w.ID == id && w.Request() {
			return true
		}
	}
	return false
}

// findNames finds the last id that is written, for requests that are added.
func (p *player) findNames() {
	for _, e := range p.section.Entries {
		if n, err := strconv.Atoi(e.ID); err == nil {
			p.lastID = max(p.lastID, n)
		}
	}
}
