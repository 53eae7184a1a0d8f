package transcript

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

const story = `A story.
eras: 2026-07-28 2025-11-25     transports: stdio http
server: shop.star

-- client --
# what it can
capabilities {"elicitation": {}}
answer elicitation/create {
  "action": "decline"
}
answer shop:ask error -32603 {"message": "no"}
-- world --
clock 2026-01-01T00:00:00Z
-- 2026-07-28 --

# first
--> 1 tools/call {"name": "f", "arguments": {}}
<-- 1 {
  "requestState": "${state:1}"
}

--> abc tools/list
{{
<-- abc HTTP 400 error -32021 {"message": "x"}
# inside
<~~ notifications/message {"level": "info"}
}}
-- 2025-11-25 --
--> 1 tools/call {}
<-- s1 roots/list
--> s1 error -1 {"message": "no"}
<-- 1 {}
--> raw {broken
--> notifications/cancelled {"requestId": 1}
# the end
`

func TestReadingKeepsEveryByte(t *testing.T) {
	for _, text := range []string{story, strings.TrimSuffix(story, "\n"), story + "\n\n", strings.ReplaceAll(story, "\n", "\r\n")} {
		tr, err := Parse("story.txtar", []byte(text))
		require.NoError(t, err)
		require.Equal(t, text, string(tr.Replace(nil)))
		same := map[*Section][]string{}
		for _, s := range tr.Sections {
			same[s] = tr.Text(s)
		}
		if strings.HasSuffix(text, "\n") {
			require.Equal(t, text, string(tr.Replace(same)))
		}
	}
}

func TestReadingFindsWhatIsWritten(t *testing.T) {
	tr, err := Parse("story.txtar", []byte(story))
	require.NoError(t, err)
	require.Equal(t, []string{"2026-07-28", "2025-11-25"}, tr.Eras)
	require.Equal(t, []string{"stdio", "http"}, tr.Transports)
	require.Equal(t, "shop.star", tr.Server)
	require.Equal(t, `{"elicitation": {}}`, tr.Client.Capabilities.line())
	require.Len(t, tr.Client.Answers, 2)
	require.Equal(t, "shop:ask", tr.Client.Answers[1].To)
	require.Equal(t, int64(-32603), tr.Client.Answers[1].Code)
	require.Equal(t, []Directive{{"clock", "2026-01-01T00:00:00Z", 13}}, tr.World)

	first := tr.Sections[0].Entries
	require.Len(t, first, 5)
	require.Equal(t, 17, first[0].Line)
	require.Len(t, first[1].Lines, 3)
	require.Equal(t, 400, first[3].HTTP)
	require.Equal(t, int64(-32021), first[3].Code)
	require.Equal(t, 1, first[3].Group)
	require.Equal(t, Free, first[4].Direction)
	second := tr.Sections[1].Entries
	require.True(t, second[1].Request())
	require.True(t, second[2].Error)
	require.Equal(t, "{broken", second[4].Raw)
	require.True(t, second[5].Notification())
}

func TestMistakesInAFileHaveAPlaceAndARemedy(t *testing.T) {
	for text, want := range map[string]string{
		"":                                                               "x:1: nothing is said",
		"-- shop --\n":                                                   `x:1: "shop" is no member`,
		"eras: 2020-01-01\n":                                             `x:1: "2020-01-01" is no revision`,
		"transports: tcp\n":                                              `x:1: "tcp" is no transport`,
		"envelope: no\n":                                                 "x:1: envelope: written",
		"command: x\n":                                                   "x:1: command: wants a list",
		"-- 2026-07-28 --\nhm\n":                                         "x:2: a line begins with",
		"-- 2026-07-28 --\n--> 1\n":                                      "x:2: a request wants a method",
		"-- 2026-07-28 --\n--> s1 tools/list\n":                          "x:2: s1 names a request of the server's",
		"-- 2026-07-28 --\n<-- 1 tools/list\n":                           "x:2: requests of the server are named s1",
		"-- 2026-07-28 --\n<-- 1\n":                                      "x:2: an answer wants a result",
		"-- 2026-07-28 --\n<~~ 1 {}\n":                                   "x:2: <~~ is for notifications",
		"-- 2026-07-28 --\n<-- 1 {} {}\n":                                "x:2: text after the JSON",
		"-- 2026-07-28 --\n<-- 1 {\"a\": }\n":                            "x:2: no JSON",
		"-- 2026-07-28 --\n<-- 1 {\"a\": \"${re:(}\"}\n":                 "x:2: ${re:(} is no expression",
		"-- 2026-07-28 --\n<-- 1 {\"a\": \"${x\"}\n":                     "x:2: a placeholder is not closed",
		"-- 2026-07-28 --\n<-- 1 {\"a\": \"${ä}\"}\n":                    "x:2: ${ä} is no placeholder",
		"-- 2026-07-28 --\n<-- 1 {\"a\": \"${b64:md5:1}\"}\n":            "is no digest",
		"-- 2026-07-28 --\n<-- 1 HTTP x {}\n":                            "HTTP wants a status",
		"-- 2026-07-28 --\n<-- 1 error x {}\n":                           "error wants a code",
		"-- 2026-07-28 --\n{{\n":                                         "a group is not closed",
		"-- 2026-07-28 --\n}}\n":                                         "}} closes no group",
		"-- 2026-07-28 --\n{{\n{{\n":                                     "a group stands in another one",
		"-- 2026-07-28 --\n{{\n--> 1 ping\n}}\n":                         "a group holds what the server says",
		"-- 2026-07-28 --\n--> 1 ping\n--> 1 ping\n":                     "x:3: two requests have the id 1",
		"eras: 2025-11-25\n-- 2026-07-28 --\n--> 1 ping\n":               "eras: names 2025-11-25, and there is no section",
		"-- client --\nmood {}\n-- 2026-07-28 --\n":                      "x:2: the client section has lines",
		"-- client --\nanswer x {\n-- 2026-07-28 --\n":                   "x:2: answer: no JSON",
		"-- 2026-07-28 --\n--> 1 ping\n-- 2026-07-28 --\n--> 1 ping\n\n": "x:3: there are two sections",
	} {
		_, err := Parse("x", []byte(text))
		require.ErrorContains(t, err, want, text)
	}
}

func parsed(t *testing.T, text string) *Value {
	t.Helper()
	v, err := ParseJSON([]byte(text))
	require.NoError(t, err)
	return v
}

func TestMatchingIsExact(t *testing.T) {
	for _, c := range []struct{ written, said, difference string }{
		{`{"a": 1}`, `{"a":1}`, ""},
		{`{"a": 9007199254740993}`, `{"a": 9007199254740992}`, "a is 9007199254740992, not 9007199254740993"},
		{`{"a": 1.0}`, `{"a": 1}`, "a is 1, not 1.0"},
		{`{"a": 1, "b": 2}`, `{"b": 2, "a": 1}`, `the whole has another order: "b" where "a" stood`},
		{`{"a": 1}`, `{"a": 1, "b": 2}`, "b is new: 2"},
		{`{"a": 1}`, `{"a": 1, "a": 1}`, "the whole has 2 members, not 1"},
		{`{"a": {"b": [1, 2]}}`, `{"a": {"b": [1, 3]}}`, "a.b[1] is 3, not 2"},
		{`{"a": [1]}`, `{"a": [1, 2]}`, "a has 2 elements, not 1"},
		{`{"a": 1}`, `{}`, "a is gone"},
		{`{"a": null}`, `{"a": false}`, "a is false, not null"},
		{`{"a": "${any}"}`, `{"a": [1]}`, ""},
		{`{"a": "${any}"}`, `{}`, "a is gone"},
		{`"at ${any}!"`, `"at noon!"`, ""},
		{`"at ${any}!"`, `"at noon"`, `the whole is "at noon", not "at ${any}!"`},
		{`"${re:[0-9]{2}}"`, `"12"`, ""},
		{`"${re:[0-9]{2}}"`, `12`, ""},
		{`"${re:[0-9]{2}}"`, `"123"`, `the whole is "123", not "${re:[0-9]{2}}"`},
		{`"n ${re:a|b}."`, `"n b."`, ""},
		{`["${x}", "${x}"]`, `[7, 7]`, ""},
		{`["${x}", "${x}"]`, `[7, 8]`, `[1] is 8, not "${x}"`},
		{`["${x}", "is ${x}"]`, `[7, "is 7"]`, ""},
		{`["id ${x};", "${x}"]`, `["id ab;", "ab"]`, ""},
		{`"$${x}"`, `"${x}"`, ""},
		{`"${b64:sha256:2cf24dba:5 bytes}"`, `"aGVsbG8="`, ""},
		{`"${b64:sha256:2cf24dba..:5 bytes}"`, `"aGVsbG8="`, ""},
		{`"${b64:sha256:2cf24dba:6 bytes}"`, `"aGVsbG8="`, `the whole is "aGVsbG8=", not "${b64:sha256:2cf24dba:6 bytes}"`},
	} {
		require.Equal(t, c.difference, Match(parsed(t, c.written), parsed(t, c.said), Bindings{}), c.written+" and "+c.said)
	}
}

func TestCapturesAreBoundInSpiteOfADifference(t *testing.T) {
	b := Bindings{}
	require.NotEmpty(t, Match(parsed(t, `{"a": 1, "s": "${state:1}"}`), parsed(t, `{"a": 2, "s": "xyz"}`), b))
	filled, err := Fill(parsed(t, `{"s": "${state:1}", "t": "<${state:1}>", "new": "${token}", "lit": "$${a}"}`), b)
	require.NoError(t, err)
	require.Equal(t, `{"s": "xyz", "t": "<xyz>", "new": "token", "lit": "${a}"}`, filled.line())
	require.Empty(t, Match(parsed(t, `["${token}"]`), parsed(t, `["token"]`), b))
	_, err = Fill(parsed(t, `["${any}"]`), b)
	require.ErrorContains(t, err, "can't be sent")
}

func TestMergeKeepsPlaceholdersThatFit(t *testing.T) {
	b := Bindings{}
	written := parsed(t, `{"a": "${any}", "n": "n ${re:[0-9]}", "s": "${s}", "gone": 1, "l": ["${any}", 2]}`)
	said := parsed(t, `{"n": "n 5", "a": 1, "s": "x", "l": [3, 4, 5], "new": "$${y} ${z}"}`)
	require.Equal(t, `{"n": "n ${re:[0-9]}", "a": "${any}", "s": "${s}", "l": ["${any}", 4, 5], "new": "$$${y} $${z}"}`,
		Merge(written, said, b).line())
	require.Equal(t, `{"n": "m 5"}`, Merge(written, parsed(t, `{"n": "m 5"}`), b).line())

	for _, text := range []string{`"${z}"`, `"$${y}"`, `"$$${y}${"`, `"plain $ { }"`} {
		said := parsed(t, text)
		require.Empty(t, Match(Merge(nil, said, b), said, b), text)
	}
}

func TestLongTextsAreWrittenAsDigests(t *testing.T) {
	long := Text(strings.Repeat("AAAA", 100))
	short := Merge(nil, long, nil)
	require.Regexp(t, `^\$\{b64:sha256:[0-9a-f]{16}\.\.:300 bytes\}$`, short.Text)
	require.Empty(t, Match(short, long, Bindings{}))
	require.NotEmpty(t, Match(short, Text(strings.Repeat("AAAB", 100)), Bindings{}))
	prose := Text(strings.Repeat("so long! ", 1000))
	require.Contains(t, Merge(nil, prose, nil).Text, ":9000 bytes}")
	require.Empty(t, Match(Merge(nil, prose, nil), prose, Bindings{}))
	require.Equal(t, strings.Repeat("so ", 100), Merge(nil, Text(strings.Repeat("so ", 100)), nil).Text)
}

func TestWritingIsReadBack(t *testing.T) {
	tr, err := Parse("story.txtar", []byte(story))
	require.NoError(t, err)
	for _, s := range tr.Sections {
		for _, e := range s.Entries {
			again, n, err := readEntry(e.Write())
			require.NoError(t, err)
			require.Equal(t, len(e.Write()), n)
			require.Equal(t, e.Write(), again.Write())
		}
	}
	wide := &Entry{Direction: Receive, ID: "1", Params: parsed(t, `{"b":{"text":"`+strings.Repeat("x", 90)+`","n":[1,2]},"a":[]}`)}
	require.Equal(t, `<-- 1 {
  "b": {
    "text": "`+strings.Repeat("x", 90)+`",
    "n": [1, 2]
  },
  "a": []
}`, strings.Join(wide.Write(), "\n"))
}

func TestRewritingKeepsCommentsAndFreePlaces(t *testing.T) {
	tr, err := Parse("x", []byte(`-- 2026-07-28 --
# one
--> 1 f/x {}
<~~ notifications/a {}
<-- s1 roots/list
--> s1 {}

# two
{{
<-- 1 {}
<-- 2 {}
}}
# end
`))
	require.NoError(t, err)
	s := tr.Sections[0]
	e := s.Entries
	same := func(i int) Said { return Said{e[i], e[i], true} }
	require.Equal(t, tr.Text(s), tr.Rewrite(s, []Said{same(0), same(1), same(2), same(3), same(4), same(5)}))
	require.Equal(t, tr.Text(s), tr.Rewrite(s, []Said{same(0), same(2), same(3), same(1), same(5), same(4)}), "what is free has moved")

	late := tr.Rewrite(s, []Said{same(0), same(2), same(3), same(4), same(1), same(5)})
	require.NotEqual(t, tr.Text(s), late, "after its request")

	other := &Entry{Direction: Receive, ID: "1", Params: parsed(t, `{"isError":true}`)}
	require.Equal(t, []string{"# one", "--> 1 f/x {}", "<-- s1 roots/list", "--> s1 {}", "", "# two", "{{", `<-- 1 {"isError": true}`, "<-- 2 {}", "}}", "# end"},
		tr.Rewrite(s, []Said{same(0), same(2), same(3), {other, e[4], false}, same(5)}))
}

func TestDiffShowsTheLinesOfTheFile(t *testing.T) {
	written := strings.Split("a b c d e f g h i j k l m n o p", " ")
	said := strings.Split("a b c d X f g h i j k l m n o p q", " ")
	require.Equal(t, `--- x (written)
+++ x (said)
@@ -12,7 +12,7 @@
 b
 c
 d
-e
+X
 f
 g
 h
@@ -24,3 +24,4 @@
 n
 o
 p
+q
`, Diff("x", 11, written, said, false))
	require.Empty(t, Diff("x", 1, written, written, true))
	require.Contains(t, Diff("x", 1, written, said, true), "\x1b[31m-e\x1b[0m\n")
}
