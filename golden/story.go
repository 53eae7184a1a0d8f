package golden

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing/fstest"
	"time"

	"github.com/mcpstar/mcpstar/engine/round"
	"github.com/mcpstar/mcpstar/golden/cover"
	"github.com/mcpstar/mcpstar/golden/play"
	"github.com/mcpstar/mcpstar/golden/transcript"
	"github.com/mcpstar/mcpstar/starhost"
)

// runStory plays a transcript.
func runStory(ctx context.Context, file string, text []byte, o Options) ([]Outcome, error) {
	t, err := transcript.Parse(file, text)
	if err != nil {
		return nil, err
	}
	var outcomes []Outcome
	replaced := map[*transcript.Section][]string{}
	for _, s := range t.Sections {
		if !o.wants(file, s.Revision) {
			continue
		}
		out := Outcome{File: file, Name: s.Revision, Line: s.Line}
		transport := transportOf(t, o)
		if transport == "" {
			out.Status, out.Text = Skipped, "it is for "+strings.Join(t.Transports, " and ")+" only"
			outcomes = append(outcomes, out)
			continue
		}
		began := time.Now()
		result, problems, err := playSection(ctx, t, s, transport, o)
		if err != nil {
			return nil, err
		}
		out.Took = time.Since(began)
		judge(&out, t, s, result, problems, o)
		if o.Update && len(result.Differences) > 0 {
			replaced[s] = result.Written
		}
		outcomes = append(outcomes, out)
	}
	if len(replaced) > 0 {
		return outcomes, rewrite(file, t.Replace(replaced))
	}
	return outcomes, nil
}

// transportOf is how to play a transcript, or "" for not at all.
func transportOf(t *transcript.Transcript, o Options) string {
	takes := func(name string) bool { return len(t.Transports) == 0 || slices.Contains(t.Transports, name) }
	switch {
	case len(t.Command) > 0 && (o.Transport == "" || o.Transport == Stdio):
		return Stdio
	case len(t.Command) > 0:
		return ""
	case o.Transport == "" && !takes(Stdio):
		return HTTP
	case o.Transport == "" || o.Transport == Memory && takes(Stdio):
		return Memory
	case takes(o.Transport):
		return o.Transport
	}
	return ""
}

// judge fills in what became of a section.
func judge(out *Outcome, t *transcript.Transcript, s *transcript.Section, r *play.Result, problems []string, o Options) {
	out.Status = Passed
	if r.OK() && len(problems) == 0 {
		return
	}
	if o.Update && len(problems) == 0 {
		out.Status = Updated
		return
	}
	out.Status = Failed
	var text strings.Builder
	for _, p := range problems {
		fmt.Fprintf(&text, "%s:%d: %s\n", t.Name, s.Line, p)
	}
	for i, d := range r.Differences {
		if i == 10 {
			fmt.Fprintf(&text, "and %d more differences\n", len(r.Differences)-i)
			break
		}
		line := d.Line
		if line == 0 {
			line = s.Line
		}
		if i == 0 {
			out.Line = line
		}
		fmt.Fprintf(&text, "%s:%d: %s\n", t.Name, line, d.Text)
	}
	if begun(s) {
		fmt.Fprintf(&text, "%s:%d: nothing is written that the server says; --update writes it down\n", t.Name, s.Line)
	}
	text.WriteString(transcript.Diff(t.Name, s.Line+1, t.Text(s), r.Written, o.Color))
	out.Text = text.String()
}

// begun reports whether a section holds only what the client says.
func begun(s *transcript.Section) bool {
	return !slices.ContainsFunc(s.Entries, func(e *transcript.Entry) bool { return e.Direction != transcript.Send })
}

func rewrite(file string, text []byte) error {
	info, err := os.Stat(file)
	if err != nil {
		return err
	}
	return os.WriteFile(file, text, info.Mode().Perm())
}

// playSection plays one section to a fresh server. problems are what is wrong
// beside the text.
func playSection(ctx context.Context, t *transcript.Transcript, s *transcript.Section, transport string, o Options) (r *play.Result, problems []string, err error) {
	asker := new(asker)
	options := play.Options{Transport: transport, Timeout: o.Timeout, Asked: asker.last}
	if len(t.Command) > 0 {
		options.Dial = command(t)
		r, err = play.Section(ctx, t, s, nil, options)
		return r, nil, err
	}
	w, err := newWorld(t)
	if err != nil {
		return nil, nil, err
	}
	under := o.Host
	under.Output, under.Test = nil, &starhost.Test{World: &w.World, Observe: asker.observe}
	host, err := open(ctx, t, under, o)
	if err != nil {
		return nil, nil, err
	}
	r, err = play.Section(ctx, t, s, host, options)
	if ended := host.Close(ctx); ended != nil {
		problems = append(problems, ended.Error())
	}
	return r, append(problems, w.unscripted()...), err
}

// open loads the server of a transcript: a member, or a file beside it.
func open(ctx context.Context, t *transcript.Transcript, options starhost.Options, o Options) (*starhost.Host, error) {
	entry, err := entryOf(t)
	if err != nil {
		return nil, &transcript.Error{Name: t.Name, Line: 1, Text: err.Error()}
	}
	if _, member := t.Files[entry]; !member {
		return openFile(ctx, filepath.Join(filepath.Dir(t.Name), filepath.FromSlash(entry)), options, o.Cover)
	}
	files := fstest.MapFS{}
	for name, text := range t.Files {
		files[name] = &fstest.MapFile{Data: []byte(text), Mode: 0o444}
	}
	options.Entry = entry
	if o.Cover != nil {
		o.Cover.Watch(t.Name, &options)
	}
	host, err := starhost.Load(ctx, files, options)
	if err == nil && o.Cover != nil {
		o.Cover.Loaded(t.Name, host.Snapshot())
	}
	return host, err
}

// openFile loads a server from disk.
func openFile(ctx context.Context, path string, options starhost.Options, c *cover.Coverage) (*starhost.Host, error) {
	if c == nil {
		return starhost.LoadDir(ctx, path, options)
	}
	place, err := starhost.Locate(path)
	if err != nil {
		return nil, err
	}
	root := relative(place.Root)
	c.Watch(root, &options)
	host, err := starhost.LoadDir(ctx, path, options)
	if err == nil {
		c.Loaded(root, host.Snapshot())
	}
	return host, err
}

// relative is a path as seen from where we are, if it lies below.
func relative(path string) string {
	here, err := os.Getwd()
	if err != nil {
		return path
	}
	if rel, err := filepath.Rel(here, path); err == nil && filepath.IsLocal(rel) {
		return filepath.ToSlash(rel)
	}
	return path
}

func entryOf(t *transcript.Transcript) (string, error) {
	_, hasServer := t.Files["server.star"]
	switch {
	case t.Server != "":
		return t.Server, nil
	case hasServer:
		return "server.star", nil
	case len(t.Files) == 1:
		for name := range t.Files {
			return name, nil
		}
	case len(t.Files) == 0:
		return "", fmt.Errorf("no server: add a member -- NAME.star --, or say `server: PATH` above")
	}
	return "", fmt.Errorf("several scripts and no server.star: say which is the server, `server: NAME.star`")
}

// An asker remembers which resolver has asked last: on revisions before
// 2026-07-28 the wire does not say.
type asker struct {
	mu  sync.Mutex
	key string
}

func (a *asker) observe(_ string, e round.Event) {
	a.mu.Lock()
	defer a.mu.Unlock()
	switch e.What {
	case round.Asks:
		a.key = e.Key
	case round.Answered:
		a.key = ""
	}
}

func (a *asker) last() string {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.key
}
