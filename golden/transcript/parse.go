package transcript

import (
	"fmt"
	"regexp"
	"slices"
	"strings"

	"golang.org/x/tools/txtar"
)

// Revisions are the protocol revisions that a section can be named after.
var Revisions = []string{"2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25", "2026-07-28"}

// Rounds is the revision from which on questions travel in results.
const Rounds = "2026-07-28"

// A Transcript is one file: one story.
type Transcript struct {
	// Name is the file's, for errors.
	Name string
	// Eras and Transports are what the head says; empty where it says nothing.
	Eras, Transports []string
	// Server is the server under test: a path relative to the file, or the name
	// of a member; "" means the only .star member, or server.star among them.
	Server string
	// Command starts another program as the server, over stdio.
	Command []string
	// Envelope says that the envelope is written in this file, and neither added
	// nor left out: _meta's version, client info and capabilities, initialize.
	Envelope bool

	// Files are the members that are scripts.
	Files map[string]string
	// Client is the -- client -- section, World the -- world -- section.
	Client Client
	World  []Directive
	// HasWorld says that there is a -- world -- section.
	HasWorld bool
	Sections []*Section

	lines []string // of the file
	end   string   // what follows the last line break
}

// A Client says what kind of client plays the story.
type Client struct {
	// Capabilities are what it declares; nil is everything.
	Capabilities *Value
	// Answers fill a section that holds nothing but its first request.
	Answers []Answer
}

// An Answer is an answer line of the client section.
type Answer struct {
	// To is a method, or the wire key of a resolver.
	To    string
	Error bool
	Code  int64
	Value *Value
}

// A Directive is a line of the world section.
type Directive struct {
	Word, Rest string
	Line       int
}

// A Section is what is said on one revision.
type Section struct {
	Revision string
	Entries  []*Entry
	// Line is that of its marker.
	Line int

	first, last int      // its lines in the file, counted from 0, last excluded
	above       []margin // what stands between the entries
}

// A margin is what stands before an entry: comments, blank lines, {{ and }}.
type margin struct{ lines []string }

// An Error is a file that can't be read, with the line.
type Error struct {
	Name string
	Line int
	Text string
}

func (e *Error) Error() string { return fmt.Sprintf("%s:%d: %s", e.Name, e.Line, e.Text) }

// Parse reads a file.
func Parse(name string, data []byte) (*Transcript, error) {
	t := &Transcript{Name: name, Files: map[string]string{}}
	text := string(data)
	if i := strings.LastIndexByte(text, '\n'); i >= 0 {
		t.lines, t.end = strings.Split(text[:i], "\n"), text[i+1:]
	} else {
		t.end = text
	}
	if t.end != "" { // a last line without a line break is a line too
		t.lines = append(t.lines, t.end)
	}
	archive := txtar.Parse(data)
	if err := t.head(string(archive.Comment)); err != nil {
		return nil, err
	}
	line := strings.Count(string(archive.Comment), "\n")
	for i, file := range archive.Files {
		count := strings.Count(string(file.Data), "\n")
		if i == len(archive.Files)-1 {
			count = len(t.lines) - line - 1
		}
		if err := t.member(file.Name, string(file.Data), line, count); err != nil {
			return nil, err
		}
		line += 1 + count
	}
	return t, t.check()
}

func (t *Transcript) fail(line int, format string, args ...any) error {
	return &Error{Name: t.Name, Line: line + 1, Text: fmt.Sprintf(format, args...)}
}

// member takes in one member; its marker is at that line, counted from 0.
func (t *Transcript) member(name, text string, line, count int) error {
	switch {
	case strings.HasSuffix(name, ".star"):
		t.Files[name] = text
	case name == "client":
		return t.client(line)
	case name == "world":
		return t.world(line, count)
	case slices.Contains(Revisions, name):
		return t.section(name, line, count)
	default:
		return t.fail(line, "%q is no member: there are NAME.star, client, world, and the revisions %s", name, strings.Join(Revisions, ", "))
	}
	return nil
}

var headLine = regexp.MustCompile(`^(eras|transports|server|command|envelope):`)
var headKey = regexp.MustCompile(`(?:^|\s)(eras|transports|server|envelope):`)

// head reads the lines of the comment that say how to play the story.
func (t *Transcript) head(comment string) error {
	for i, line := range strings.Split(comment, "\n") {
		if !headLine.MatchString(line) {
			continue
		}
		if command, ok := strings.CutPrefix(line, "command:"); ok {
			v, err := ParseJSON([]byte(command))
			if err != nil || v.Kind != Array || len(v.Elements) == 0 {
				return t.fail(i, `command: wants a list of words: command: ["npx", "some-server"]`)
			}
			for _, e := range v.Elements {
				t.Command = append(t.Command, e.plain())
			}
			continue
		}
		found := headKey.FindAllStringSubmatchIndex(line, -1)
		for n, at := range found {
			end := len(line)
			if n+1 < len(found) {
				end = found[n+1][0]
			}
			if err := t.headWord(i, line[at[2]:at[3]], strings.Fields(line[at[1]:end])); err != nil {
				return err
			}
		}
	}
	return nil
}

func (t *Transcript) headWord(line int, key string, words []string) error {
	switch key {
	case "eras":
		for _, w := range words {
			if !slices.Contains(Revisions, w) {
				return t.fail(line, "%q is no revision; there are %s", w, strings.Join(Revisions, ", "))
			}
		}
		t.Eras = append(t.Eras, words...)
	case "transports":
		for _, w := range words {
			if w != "stdio" && w != "http" {
				return t.fail(line, "%q is no transport; there are stdio and http", w)
			}
		}
		t.Transports = append(t.Transports, words...)
	case "server":
		if len(words) != 1 {
			return t.fail(line, "server: wants one path")
		}
		t.Server = words[0]
	case "envelope":
		if len(words) != 1 || words[0] != "written" {
			return t.fail(line, "envelope: written is the only way to say it")
		}
		t.Envelope = true
	}
	return nil
}

// client reads the -- client -- section.
func (t *Transcript) client(marker int) error {
	lines := t.lines[marker+1:]
	for i := 0; i < len(lines) && !isMarker(lines[i]); {
		line := strings.TrimRight(lines[i], " \t\r")
		if line == "" || strings.HasPrefix(line, "#") {
			i++
			continue
		}
		first, rest := word(line)
		a := Answer{}
		switch first {
		case "capabilities":
		case "answer":
			a.To, rest = word(rest)
			if after, ok := strings.CutPrefix(rest, "error "); ok {
				a.Error = true
				if _, err := fmt.Sscan(after, &a.Code); err != nil {
					return t.fail(marker+1+i, "error wants a code: answer %s error -32603 {...}", a.To)
				}
				_, rest = word(after)
			}
		default:
			return t.fail(marker+1+i, "the client section has lines `capabilities {...}` and `answer METHOD {...}`, not %q", first)
		}
		text := strings.Join(append([]string{rest}, lines[i+1:]...), "\n")
		v, n, err := parsePrefix([]byte(text))
		if err != nil {
			return t.fail(marker+1+i, "%s: %v", first, err)
		}
		i += 1 + strings.Count(text[:n], "\n")
		if first == "capabilities" {
			t.Client.Capabilities = v
			continue
		}
		a.Value = v
		t.Client.Answers = append(t.Client.Answers, a)
	}
	return nil
}

func (t *Transcript) world(marker, count int) error {
	t.HasWorld = true
	for i := marker + 1; i < marker+1+count && i < len(t.lines); i++ {
		line := strings.TrimSpace(t.lines[i])
		if line == "" || strings.HasPrefix(line, "#") {
			continue
		}
		first, rest := word(line)
		t.World = append(t.World, Directive{Word: first, Rest: rest, Line: i + 1})
	}
	return nil
}

func isMarker(line string) bool {
	line = strings.TrimRight(line, "\r")
	return strings.HasPrefix(line, "-- ") && strings.HasSuffix(line, " --") && len(line) >= 7
}

// section reads what is said on one revision.
func (t *Transcript) section(revision string, marker, count int) error {
	s := &Section{Revision: revision, Line: marker + 1, first: marker + 1, last: min(marker+1+count, len(t.lines))}
	for _, other := range t.Sections {
		if other.Revision == revision {
			return t.fail(marker, "there are two sections for %s; one file is one story", revision)
		}
	}
	group, groups := 0, 0
	var between margin
	for i := s.first; i < s.last; {
		line := strings.TrimRight(t.lines[i], " \t\r")
		switch {
		case line == "" || strings.HasPrefix(line, "#"):
		case line == "{{":
			if group != 0 {
				return t.fail(i, "a group stands in another one; close it with }} first")
			}
			groups++
			group = groups
		case line == "}}":
			if group == 0 {
				return t.fail(i, "}} closes no group")
			}
			group = 0
		default:
			e, n, err := readEntry(t.lines[i:s.last])
			if err != nil {
				return t.fail(i, "%v", err)
			}
			if group != 0 && e.Direction == Send {
				return t.fail(i, "a group holds what the server says; send before it")
			}
			e.Line, e.Group = i+1, group
			s.Entries = append(s.Entries, e)
			s.above = append(s.above, between)
			between = margin{}
			i += n
			continue
		}
		between.lines = append(between.lines, t.lines[i])
		i++
	}
	if group != 0 {
		return t.fail(s.last-1, "a group is not closed: }}")
	}
	s.above = append(s.above, between)
	t.Sections = append(t.Sections, s)
	return nil
}

// check looks at the file as a whole.
func (t *Transcript) check() error {
	for _, era := range t.Eras {
		if !slices.ContainsFunc(t.Sections, func(s *Section) bool { return s.Revision == era }) {
			return t.fail(len(t.lines)-1, "eras: names %s, and there is no section -- %s --", era, era)
		}
	}
	if len(t.Sections) == 0 {
		return t.fail(max(0, len(t.lines)-1), "nothing is said: write a section -- %s --", Rounds)
	}
	for _, s := range t.Sections {
		if len(t.Eras) > 0 && !slices.Contains(t.Eras, s.Revision) {
			return t.fail(s.Line-1, "there is a section for %s, which eras: does not name", s.Revision)
		}
		seen := map[string]bool{}
		for _, e := range s.Entries {
			if e.Direction == Send && e.Request() {
				if seen[e.ID] && !t.Envelope {
					return t.fail(e.Line-1, "two requests have the id %s", e.ID)
				}
				seen[e.ID] = true
			}
		}
	}
	return nil
}

// Text is the section as it stands in the file.
func (t *Transcript) Text(s *Section) []string { return t.lines[s.first:s.last] }

// Replace is the file with other lines in its sections; a section that is not
// named stays as it is. A file in which nothing changes comes out byte for byte.
func (t *Transcript) Replace(sections map[*Section][]string) []byte {
	var out []string
	at := 0
	for _, s := range t.Sections {
		lines, ok := sections[s]
		if !ok {
			continue
		}
		out = append(out, t.lines[at:s.first]...)
		out = append(out, lines...)
		at = s.last
	}
	out = append(out, t.lines[at:]...)
	text := strings.Join(out, "\n")
	if t.end == "" || at == len(t.lines) && at > 0 {
		text += "\n"
	}
	return []byte(text)
}
