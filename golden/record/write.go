package record

import (
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/mcpstar/mcpstar/golden/transcript"
)

// writer turns messages into entries.
type writer struct {
	recorder *Recorder
	captures transcript.Captures

	revision     string
	client       string // its name
	server       string
	capabilities *transcript.Value
	greeting     string            // the wire id of initialize
	ids          map[string]string // wire ids of the client's requests, as written
	labels       map[string]string // wire ids of the server's requests, as written
	methods      map[string]string // by the wire id of the client's requests
	entries      []*transcript.Entry
}

// write is the transcript.
func (r *Recorder) write() []byte {
	w := &writer{
		recorder: r, captures: transcript.Captures{Bound: transcript.Bindings{}},
		ids: map[string]string{}, labels: map[string]string{}, methods: map[string]string{},
	}
	for _, m := range r.messages {
		if m.fromClient {
			w.fromClient(m.value)
		} else {
			w.fromServer(m.value, m.status)
		}
	}
	return []byte(w.text())
}

var plainID = regexp.MustCompile(`^(-?[0-9]+|"[A-Za-z0-9_.:-]+")$`)

// id is a wire id of the client's as it is written: itself where it can be.
func (w *writer) id(wire string) string {
	if id, ok := w.ids[wire]; ok {
		return id
	}
	id := strings.Trim(wire, `"`)
	_, number := strconv.ParseFloat(id, 64)
	if !plainID.MatchString(wire) || transcript.ServerRequest(id) || id == "null" || id == "raw" ||
		strings.HasPrefix(wire, `"`) && number == nil {
		id = fmt.Sprintf("r%d", len(w.ids)+1)
	}
	w.ids[wire] = id
	return id
}

func (w *writer) fromClient(v *transcript.Value) {
	e := &transcript.Entry{Direction: transcript.Send}
	wire := ""
	if id := v.Get("id"); id != nil {
		wire = string(id.Compact())
	}
	method := v.Get("method")
	switch {
	case method == nil:
		label, ok := w.labels[wire]
		if !ok {
			return
		}
		e.ID = label
		w.answer(e, v)
		e.Params = w.captures.Names(w.recorder.redact(e.Params, redacted))
	case method.Text == "initialize":
		w.greeting = wire
		w.capabilities = v.Get("params").Get("capabilities")
		w.client = nameOf(v.Get("params").Get("clientInfo"))
		return
	case method.Text == "notifications/initialized":
		return
	default:
		e.Method = method.Text
		if wire != "" {
			e.ID = w.id(wire)
			w.methods[wire] = e.Method
		}
		params := w.bare(v.Get("params"))
		w.captures.Token(params.Get("_meta").Get("progressToken"))
		if id := params.Get("requestId"); id != nil && e.Method == "notifications/cancelled" {
			if written := w.ids[string(id.Compact())]; written != "" && transcript.WireID(written) != string(id.Compact()) {
				params = params.With("requestId", transcript.Text(written))
			}
		}
		if params != nil {
			e.Params = w.captures.Names(w.recorder.redact(params, redacted))
		}
	}
	w.entries = append(w.entries, e)
}

// answer takes in a result or an error.
func (w *writer) answer(e *transcript.Entry, v *transcript.Value) {
	if failure := v.Get("error"); failure != nil {
		e.Error = true
		if code := failure.Get("code"); code != nil {
			e.Code, _ = strconv.ParseInt(code.Text, 10, 64)
		}
		e.Params = failure.Without("code")
		return
	}
	e.Params = v.Get("result")
}

const (
	metaVersion      = "io.modelcontextprotocol/protocolVersion"
	metaCapabilities = "io.modelcontextprotocol/clientCapabilities"
	metaClient       = "io.modelcontextprotocol/clientInfo"
	metaServer       = "io.modelcontextprotocol/serverInfo"
)

// bare is a client's params without the envelope.
func (w *writer) bare(params *transcript.Value) *transcript.Value {
	meta := params.Get("_meta")
	if version := meta.Get(metaVersion); version != nil {
		if w.revision == "" {
			w.revision = version.Text
			w.capabilities = meta.Get(metaCapabilities)
			w.client = nameOf(meta.Get(metaClient))
		}
		meta = meta.Without(metaVersion).Without(metaCapabilities).Without(metaClient)
		if len(meta.Members) == 0 {
			return params.Without("_meta")
		}
		return params.With("_meta", meta)
	}
	return params
}

func nameOf(info *transcript.Value) string {
	name, version := info.Get("name"), info.Get("version")
	switch {
	case name == nil:
		return ""
	case version == nil:
		return name.Text
	}
	return name.Text + " " + version.Text
}

func (w *writer) fromServer(v *transcript.Value, status int) {
	e := &transcript.Entry{Direction: transcript.Receive}
	wire := ""
	if id := v.Get("id"); id != nil {
		wire = string(id.Compact())
	}
	if status != 200 {
		e.HTTP = status
	}
	raw := v.Get("params")
	switch method := v.Get("method"); {
	case method != nil && wire == "":
		e.Direction, e.Method, e.HTTP = transcript.Free, method.Text, 0
	case method != nil:
		e.Method, e.HTTP = method.Text, 0
		e.ID = fmt.Sprintf("s%d", len(w.labels)+1)
		w.labels[wire] = e.ID
	case wire == w.greeting && wire != "":
		w.greeting = ""
		result := v.Get("result")
		if version := result.Get("protocolVersion"); version != nil {
			w.revision = version.Text
		}
		w.server = nameOf(result.Get("serverInfo"))
		return
	default:
		e.ID = "null"
		if wire != "" && wire != "null" {
			e.ID = w.id(wire)
		}
		w.answer(e, v)
		raw = w.withoutServer(e.Params)
	}
	if raw != nil {
		clean := w.recorder.redact(raw, secretMark)
		e.Params = unmark(w.captures.Write(transcript.Merge(nil, clean, w.captures.Bound), raw))
	}
	w.entries = append(w.entries, e)
}

// secretMark stands for a secret until the rest is escaped; then it is ${any}.
const secretMark = "\ue000secret\ue000"

func unmark(v *transcript.Value) *transcript.Value {
	out := *v
	out.Members, out.Elements = nil, nil
	if v.Kind == transcript.String {
		out.Text = strings.ReplaceAll(v.Text, secretMark, "${any}")
	}
	for _, m := range v.Members {
		out.Members = append(out.Members, transcript.Member{Name: m.Name, Value: unmark(m.Value)})
	}
	for _, e := range v.Elements {
		out.Elements = append(out.Elements, unmark(e))
	}
	return &out
}

// withoutServer is a result without the server's name.
func (w *writer) withoutServer(result *transcript.Value) *transcript.Value {
	meta := result.Get("_meta")
	if meta.Get(metaServer) == nil {
		return result
	}
	w.server = nameOf(meta.Get(metaServer))
	if meta = meta.Without(metaServer); len(meta.Members) == 0 {
		return result.Without("_meta")
	}
	return result.With("_meta", meta)
}

// text puts the file together.
func (w *writer) text() string {
	o := w.recorder.options
	if !slices.Contains(transcript.Revisions, w.revision) {
		w.revision = transcript.Rounds
	}
	var out strings.Builder
	fmt.Fprintf(&out, "Recorded from %s with %s.\n", orSome(w.client, "a client"), orSome(w.server, "a server"))
	fmt.Fprintf(&out, "eras: %s", w.revision)
	if o.Transport != "" && len(o.Command) == 0 {
		out.WriteString("        transports: stdio http")
	}
	out.WriteString("\n")
	if o.Server != "" {
		fmt.Fprintf(&out, "server: %s\n", o.Server)
	} else if len(o.Command) > 0 {
		list := &transcript.Value{Kind: transcript.Array}
		for _, word := range w.recorder.redactWords(o.Command) {
			list.Elements = append(list.Elements, transcript.Text(word))
		}
		fmt.Fprintf(&out, "command: %s\n", list.Compact())
	}
	if w.capabilities != nil {
		fmt.Fprintf(&out, "\n-- client --\ncapabilities %s\n", w.capabilities.Compact())
	}
	fmt.Fprintf(&out, "-- %s --\n", w.revision)
	for i := 0; i < len(w.entries); {
		n := w.together(i)
		if n > 1 {
			out.WriteString("{{\n")
		}
		for _, e := range w.entries[i : i+n] {
			out.WriteString(strings.Join(e.Write(), "\n") + "\n")
		}
		if n > 1 {
			out.WriteString("}}\n")
		}
		i += n
		if i < len(w.entries) && w.entries[i].Direction == transcript.Send && w.entries[i].Request() &&
			w.entries[i-1].Direction != transcript.Send {
			out.WriteString("\n")
		}
	}
	return out.String()
}

// together is how many entries from i on are answers that came one after another:
// another time they may come in another order.
func (w *writer) together(i int) int {
	n, answers := 0, 0
	for _, e := range w.entries[i:] {
		if e.Direction == transcript.Send {
			break
		}
		n++
		if e.Answer() {
			answers++
		}
	}
	if answers > 1 {
		return n
	}
	return 1
}

func orSome(name, otherwise string) string {
	if name == "" {
		return otherwise
	}
	return strings.Join(strings.Fields(name), " ")
}
