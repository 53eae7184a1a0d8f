package starhost_test

import (
	"encoding/json"
	"fmt"
	"math/big"
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"sort"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/mcpstar/mcpstar/starhost"
)

// The corpus in testdata/parity holds small servers and what the reference system
// answered a scripted client, step by step, on both revisions. What differs on
// purpose is marked there with "differs"; docs/reference-differences.md says why.
//
// Compared is what a client can use, so on both sides: _meta, resultType, ttlMs and
// cacheScope are dropped; wire keys count by what follows the last colon; the order
// of object keys, of "required", of tools and of the questions of one round does
// not count; of the text of a validation error the first line counts; numbers are
// equal by value; a $ref is what it refers to; an optional parameter is one that is
// left out of "required".

// A parityCase is one case.json.
type parityCase struct {
	Steps  []parityStep
	Expect map[string][]map[string]any
}

type parityStep struct {
	List         bool
	Call         string
	Arguments    json.RawMessage
	Capabilities json.RawMessage
	Answers      []struct {
		Match struct {
			Method, Message, Prompt string
			Round                   int
		}
		Reply, Error json.RawMessage
	}
	State   string // what the client does wrong on its first retry
	Changed json.RawMessage
	Note    string
}

func TestParityCorpus(t *testing.T) {
	playCorpus(t, func(t *testing.T, host *starhost.Host) func(revision, capabilities string) *client {
		return func(revision, capabilities string) *client { return connectWith(t, host, revision, capabilities) }
	})
}

func TestParityCorpusOverHTTP(t *testing.T) {
	playCorpus(t, func(t *testing.T, host *starhost.Host) func(revision, capabilities string) *client {
		url := online(t, host)
		return func(revision, capabilities string) *client { return connectOnline(t, url, revision, capabilities) }
	})
}

// playCorpus plays all cases with clients that reach the host in some way.
func playCorpus(t *testing.T, reach func(*testing.T, *starhost.Host) func(revision, capabilities string) *client) {
	folders, err := filepath.Glob("testdata/parity/*/case.json")
	require.NoError(t, err)
	require.Len(t, folders, 16)
	for _, path := range folders {
		folder := filepath.Dir(path)
		text, err := os.ReadFile(path)
		require.NoError(t, err)
		var c parityCase
		require.NoError(t, json.Unmarshal(text, &c))
		for _, revision := range []string{handshake, rounds} {
			t.Run(filepath.Base(folder)+"/"+revision, func(t *testing.T) {
				want := c.Expect[revision]
				require.Len(t, want, len(c.Steps))
				host := serveDir(t, filepath.Join(folder, "server.star"))
				p := &parityPlayer{t: t, revision: revision, connect: reach(t, host)}
				for i, step := range c.Steps {
					for _, line := range parityDiff(want[i], p.play(step)) {
						t.Errorf("step %d %s: %s %s", i+1, step.Call, line, step.Note)
					}
				}
			})
		}
	}
}

// What the comparison leaves out must not hide what it is for.
func TestParityComparisonSeesDifferences(t *testing.T) {
	for _, c := range []struct{ want, got string }{
		{`{"rounds":1,"result":{"content":[]}}`, `{"rounds":2,"result":{"content":[]}}`},
		{`{"result":{"isError":false}}`, `{"result":{"isError":true}}`},
		{`{"result":{"n":1}}`, `{"result":{"n":true}}`},
		{`{"result":{"n":9007199254740993}}`, `{"result":{"n":9007199254740992}}`},
		{`{"error":{"code":-32602,"message":"a"}}`, `{"error":{"code":-32602,"message":"b"}}`},
		{`{"error":{"code":-32602}}`, `{"error":{"code":-32602,"data":{}}}`},
		{`{"asked":[[{"key":"a"},{"key":"b"}]]}`, `{"asked":[[{"key":"a"}],[{"key":"b"}]]}`},
		{`{"asked":[[{"method":"a"},{"method":"b"}]]}`, `{"asked":[[{"method":"b"},{"method":"a"}]]}`},
		{`{"tools":[{"inputSchema":{"required":["a"]}}]}`, `{"tools":[{"inputSchema":{"required":["b"]}}]}`},
		{`{"tools":[{"outputSchema":{"anyOf":[{"type":"null"}],"default":null}}]}`, `{"tools":[{"outputSchema":{"anyOf":[{"type":"null"}]}}]}`},
		{`{"result":{"text":{"$prefix":"abc"}}}`, `{"result":{"text":"ab"}}`},
	} {
		require.NotEmpty(t, parityDiff(decoded(t, c.want), decoded(t, c.got)), "%s and %s", c.want, c.got)
		require.Empty(t, parityDiff(decoded(t, c.want), decoded(t, strings.ReplaceAll(c.want, `{"$prefix":"abc"}`, `"abcd"`))))
	}
}

func decoded(t testing.TB, text string) map[string]any {
	t.Helper()
	v, ok := anyOf(t, json.RawMessage(text)).(map[string]any)
	require.True(t, ok)
	return v
}

// anyOf decodes JSON and keeps its numbers exact.
func anyOf(t testing.TB, text json.RawMessage) any {
	t.Helper()
	dec := json.NewDecoder(strings.NewReader(string(text)))
	dec.UseNumber()
	var v any
	require.NoError(t, dec.Decode(&v))
	return v
}

// A parityPlayer plays the steps of a case on one revision.
type parityPlayer struct {
	t        *testing.T
	revision string
	connect  func(revision, capabilities string) *client
	client   *client
}

// reach connects with the capabilities of a step. In a handshake they belong to the
// connection.
func (p *parityPlayer) reach(step parityStep) *client {
	capabilities := allCapabilities
	if step.Capabilities != nil {
		capabilities = string(step.Capabilities)
	}
	if p.client == nil || p.client.declares != capabilities {
		p.client = p.connect(p.revision, capabilities)
	}
	return p.client
}

// play plays one step and gives what came of it, normalised.
func (p *parityPlayer) play(step parityStep) map[string]any {
	if step.State != "" && p.revision != rounds {
		return map[string]any{"skip": true}
	}
	c := p.reach(step)
	if step.List {
		m := c.request("tools/list", json.RawMessage(`{`+strings.TrimPrefix(c.envelope(), ",")+`}`), nobody)
		return map[string]any{"tools": outcomeOf(p.t, m.Result, m.Error)["result"].(map[string]any)["tools"]}
	}
	if p.revision == rounds {
		return p.inRounds(c, step)
	}
	played := c.call(step.Call, string(step.Arguments), step.answerer(0))
	seen := outcomeOf(p.t, played.raw, played.err)
	seen["rounds"], seen["asked"] = json.Number("1"), shownQuestions(p.t, played.asked)
	return seen
}

// inRounds plays a call on 2026-07-28 with what the step does wrong.
func (p *parityPlayer) inRounds(c *client, step parityStep) map[string]any {
	tool, arguments := step.Call, string(step.Arguments)
	rest, asked := "", [][]question{}
	for n := 1; ; n++ {
		r := c.once(tool, arguments, rest, nobody)
		tool, arguments = step.Call, string(step.Arguments)
		seen := map[string]any{}
		if r.asked == nil {
			seen = outcomeOf(p.t, r.raw, r.err)
		} else {
			asked = append(asked, r.asked)
			answers := map[string]json.RawMessage{}
			for _, q := range r.asked {
				if answer := step.answerer(n)(q); answer != "" && !strings.HasPrefix(answer, `{"error":`) {
					answers[q.key] = json.RawMessage(answer)
				}
			}
			switch given, err := json.Marshal(answers); {
			case err != nil:
				require.NoError(p.t, err)
			case len(answers) == 0:
				seen["gave_up"] = "no scripted answer"
			case n == 10:
				seen["gave_up"] = "too many rounds"
			default:
				state := r.state
				rest = `,"inputResponses":` + string(given)
				if n == 1 {
					tool, arguments, state = step.spoil(tool, arguments, state)
				}
				if state != "" {
					rest += `,"requestState":"` + state + `"`
				}
				continue
			}
		}
		seen["rounds"], seen["asked"] = json.Number(fmt.Sprint(n)), shownQuestions(p.t, asked)
		return seen
	}
}

// spoil is what a step does wrong on its first retry.
func (s parityStep) spoil(tool, arguments, state string) (string, string, string) {
	switch {
	case s.State == "tamper":
		at := len(state) * 2 / 3
		other := "A"
		if state[at] == 'A' {
			other = "B"
		}
		state = state[:at] + other + state[at+1:]
	case s.State == "drop":
		state = ""
	case s.State == "change-args":
		arguments = string(s.Changed)
	case strings.HasPrefix(s.State, "replay-on:"):
		tool = strings.TrimPrefix(s.State, "replay-on:")
	}
	return tool, arguments, state
}

// answerer gives the scripted answers of a step. round is 0 where there are none.
func (s parityStep) answerer(round int) answerer {
	return func(q question) string {
		var params struct {
			Message      string
			Messages     json.RawMessage
			SystemPrompt string
		}
		if q.params != nil {
			_ = json.Unmarshal(q.params, &params)
		}
		for _, a := range s.Answers {
			m := a.Match
			prompt := string(params.Messages) + params.SystemPrompt
			if m.Method != "" && m.Method != q.method || !strings.Contains(params.Message, m.Message) ||
				!strings.Contains(prompt, m.Prompt) || round != 0 && m.Round != 0 && m.Round != round {
				continue
			}
			if a.Error != nil {
				return `{"error":` + string(a.Error) + `}`
			}
			return string(a.Reply)
		}
		return ""
	}
}

// shownQuestions are questions as expectations have them.
func shownQuestions(t testing.TB, asked [][]question) []any {
	list := []any{}
	for _, round := range asked {
		var shown []any
		for _, q := range round {
			one := map[string]any{"method": q.method, "params": map[string]any{}}
			if q.params != nil {
				one["params"] = withoutMeta(anyOf(t, q.params))
			}
			if q.key != "" {
				one["key"] = q.key[strings.LastIndexByte(q.key, ':')+1:]
			}
			shown = append(shown, one)
		}
		list = append(list, shown)
	}
	return list
}

var (
	keyInText       = regexp.MustCompile(`([Rr]esolver ')[^']*:([^':]+')`)
	validationError = regexp.MustCompile(`^Error executing tool \S+: \d+ validation errors? for [^\n]*`)
)

// outcomeOf is what a request ended with.
func outcomeOf(t testing.TB, result json.RawMessage, failure *rpcError) map[string]any {
	if failure != nil {
		e := map[string]any{"code": json.Number(fmt.Sprint(failure.Code)), "message": keyInText.ReplaceAllString(failure.Message, "$1$2")}
		if failure.Data != nil && string(failure.Data) != "null" && string(failure.Data) != `""` {
			e["data"] = withoutMeta(anyOf(t, failure.Data))
		}
		return map[string]any{"error": e}
	}
	r := withoutMeta(anyOf(t, result)).(map[string]any)
	for _, key := range []string{"resultType", "ttlMs", "cacheScope"} {
		delete(r, key)
	}
	if r["isError"] == true {
		for _, block := range r["content"].([]any) {
			block := block.(map[string]any)
			if text, ok := block["text"].(string); ok {
				text = keyInText.ReplaceAllString(text, "$1$2")
				if first := validationError.FindString(text); first != "" {
					text = first
				}
				block["text"] = text
			}
		}
	}
	return map[string]any{"result": r}
}

func withoutMeta(v any) any {
	switch v := v.(type) {
	case map[string]any:
		out := map[string]any{}
		for key, value := range v {
			if key != "_meta" {
				out[key] = withoutMeta(value)
			}
		}
		return out
	case []any:
		out := make([]any, len(v))
		for i := range v {
			out[i] = withoutMeta(v[i])
		}
		return out
	}
	return v
}

// parityDiff says where an observation is not what was expected.
func parityDiff(want, got map[string]any) []string {
	want, got = portable(want), portable(got)
	delete(want, "differs")
	delete(want, "oracle")
	return differences(want, got, "")
}

// portable is an entry of "expect", or an observation, as far as it is compared.
func portable(entry map[string]any) map[string]any {
	entry = copied(entry).(map[string]any)
	if list, ok := entry["tools"].([]any); ok {
		for _, tool := range list {
			tool := tool.(map[string]any)
			if tool["description"] == "" {
				delete(tool, "description")
			}
			if schema, ok := tool["inputSchema"]; ok {
				tool["inputSchema"] = optionalPlain(inlined(schema, nil))
			}
			if schema, ok := tool["outputSchema"]; ok {
				tool["outputSchema"] = inlined(schema, nil)
			}
		}
		sortBy(list, "name")
	}
	if asked, ok := entry["asked"].([]any); ok {
		for _, round := range asked {
			if first := round.([]any)[0].(map[string]any); first["key"] != nil {
				sortBy(round.([]any), "key")
			}
		}
	}
	if result, ok := entry["result"].(map[string]any); ok && result["isError"] == nil {
		result["isError"] = false
	}
	return requiredSorted(entry).(map[string]any)
}

func sortBy(list []any, key string) {
	sort.SliceStable(list, func(i, j int) bool {
		return fmt.Sprint(list[i].(map[string]any)[key]) < fmt.Sprint(list[j].(map[string]any)[key])
	})
}

// copied is a deep copy in which numbers that Go's decoder made are exact ones.
func copied(v any) any {
	switch v := v.(type) {
	case map[string]any:
		out := map[string]any{}
		for key, value := range v {
			out[key] = copied(value)
		}
		return out
	case []any:
		out := make([]any, len(v))
		for i := range v {
			out[i] = copied(v[i])
		}
		return out
	case float64:
		return json.Number(big.NewFloat(v).Text('g', -1))
	}
	return v
}

// inlined replaces each local $ref by what it refers to.
func inlined(v any, defs map[string]any) any {
	switch v := v.(type) {
	case []any:
		out := make([]any, len(v))
		for i := range v {
			out[i] = inlined(v[i], defs)
		}
		return out
	case map[string]any:
		if own, ok := v["$defs"].(map[string]any); ok {
			defs = own
		}
		out := map[string]any{}
		ref, _ := v["$ref"].(string)
		if target, ok := defs[strings.TrimPrefix(ref, "#/$defs/")]; ok {
			for key, value := range inlined(target, defs).(map[string]any) {
				out[key] = value
			}
		}
		for key, value := range v {
			if key != "$defs" && key != "$ref" {
				out[key] = inlined(value, defs)
			}
		}
		return out
	}
	return v
}

// optionalPlain turns anyOf [T, null] with the default null into T without one.
func optionalPlain(v any) any {
	switch v := v.(type) {
	case []any:
		out := make([]any, len(v))
		for i := range v {
			out[i] = optionalPlain(v[i])
		}
		return out
	case map[string]any:
		out := map[string]any{}
		for key, value := range v {
			out[key] = optionalPlain(value)
		}
		if def, ok := out["default"]; !ok || def != nil {
			return out
		}
		delete(out, "default")
		var arms []any
		for _, arm := range asList(out["anyOf"]) {
			if !reflect.DeepEqual(arm, map[string]any{"type": "null"}) {
				arms = append(arms, arm)
			}
		}
		switch len(arms) {
		case 0:
		case 1:
			delete(out, "anyOf")
			plain := map[string]any{}
			for key, value := range arms[0].(map[string]any) {
				plain[key] = value
			}
			for key, value := range out {
				plain[key] = value
			}
			return plain
		default:
			out["anyOf"] = arms
		}
		return out
	}
	return v
}

func asList(v any) []any {
	list, _ := v.([]any)
	return list
}

// requiredSorted sorts every "required", which is a set.
func requiredSorted(v any) any {
	switch v := v.(type) {
	case []any:
		for i := range v {
			v[i] = requiredSorted(v[i])
		}
	case map[string]any:
		for key, value := range v {
			if list, ok := value.([]any); ok && key == "required" {
				slices.SortFunc(list, func(a, b any) int { return strings.Compare(fmt.Sprint(a), fmt.Sprint(b)) })
			}
			v[key] = requiredSorted(value)
		}
	}
	return v
}

// differences are the places in which two values are not the same.
func differences(want, got any, path string) []string {
	unlike := []string{fmt.Sprintf("%s: expected %s, got %s", path, brief(want), brief(got))}
	switch want := want.(type) {
	case map[string]any:
		if prefix, ok := want["$prefix"].(string); ok && len(want) == 1 {
			if text, ok := got.(string); ok && strings.HasPrefix(text, prefix) {
				return nil
			}
			return unlike
		}
		got, ok := got.(map[string]any)
		if !ok {
			return unlike
		}
		return memberDifferences(want, got, path)
	case []any:
		got, ok := got.([]any)
		if !ok || len(got) != len(want) {
			return unlike
		}
		var lines []string
		for i := range want {
			lines = append(lines, differences(want[i], got[i], fmt.Sprintf("%s[%d]", path, i))...)
		}
		return lines
	case json.Number:
		got, ok := got.(json.Number)
		if !ok || !sameNumber(want, got) {
			return unlike
		}
		return nil
	}
	if want != got {
		return unlike
	}
	return nil
}

func memberDifferences(want, got map[string]any, path string) []string {
	var lines []string
	for key, value := range want {
		if other, ok := got[key]; ok {
			lines = append(lines, differences(value, other, path+"."+key)...)
			continue
		}
		lines = append(lines, fmt.Sprintf("%s.%s: missing, expected %s", path, key, brief(value)))
	}
	for key, value := range got {
		if _, ok := want[key]; !ok {
			lines = append(lines, fmt.Sprintf("%s.%s: not expected, got %s", path, key, brief(value)))
		}
	}
	slices.Sort(lines)
	return lines
}

func sameNumber(a, b json.Number) bool {
	x, ok := new(big.Rat).SetString(a.String())
	y, fine := new(big.Rat).SetString(b.String())
	return ok && fine && x.Cmp(y) == 0
}

func brief(v any) string {
	text, err := json.Marshal(v)
	if err != nil {
		return fmt.Sprint(v)
	}
	if len(text) > 300 {
		return string(text[:300]) + "…"
	}
	return string(text)
}
