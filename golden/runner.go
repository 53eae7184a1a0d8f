package golden

import (
	"context"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"time"

	"github.com/mcpstar/mcpstar/golden/cover"
	"github.com/mcpstar/mcpstar/golden/play"
	"github.com/mcpstar/mcpstar/golden/transcript"
	"github.com/mcpstar/mcpstar/starhost"
)

// The ways to reach the servers under test.
const (
	Memory = play.Memory
	Stdio  = play.Stdio
	HTTP   = play.HTTP
)

// Options say how to run tests. The zero value runs all of them, in memory.
type Options struct {
	// Transport is [Memory], [Stdio] or [HTTP]; "" is Memory. Transcripts that
	// name other transports only are skipped, except that without a choice they
	// are played over the one that they name.
	Transport string
	// Update writes what servers say now into the transcripts, instead of failing.
	Update bool
	// Only are the tests to run, by FILE/NAME; nil is all.
	Only *regexp.Regexp
	// Timeout is how long a server may be silent. 0 is 10 seconds.
	Timeout time.Duration
	// Color is for differences on a terminal.
	Color bool
	// Cover collects what the tests reach. May be nil.
	Cover *cover.Coverage
	// Host is what each server under test is opened with: words and resolvers of the
	// program's own, its version, limits. Its Output and Test are not used.
	Host starhost.Options
}

func (o *Options) wants(file, name string) bool {
	return o.Only == nil || o.Only.MatchString(filepath.ToSlash(file)+"/"+name)
}

// A Status is what became of a test.
type Status string

// What can become of a test.
const (
	Passed  Status = "passed"
	Failed  Status = "failed"
	Skipped Status = "skipped"
	Updated Status = "updated"
)

// An Outcome is one test of a file: a section of a transcript, or a function.
type Outcome struct {
	File   string
	Name   string
	Status Status
	// Line is where the first difference stands, 0 for nowhere.
	Line int
	// Text says what failed, why it was skipped, or what was printed.
	Text string
	Took time.Duration
}

// RunFile runs the tests of one file. An error says that it can't be read: a
// *transcript.Error, or a *report.Error of its scripts. A server under test that
// does not load is an error too.
func RunFile(ctx context.Context, file string, o Options) ([]Outcome, error) {
	text, err := os.ReadFile(file)
	if err != nil {
		return nil, err
	}
	if strings.HasSuffix(file, ".star") {
		return runScript(ctx, file, o)
	}
	return runStory(ctx, file, text, o)
}

// parsed is the transcript in a file, or nil.
func parsed(file string) *transcript.Transcript {
	text, err := os.ReadFile(file)
	if err != nil || !strings.HasSuffix(file, ".txtar") {
		return nil
	}
	t, err := transcript.Parse(file, text)
	if err != nil {
		return nil
	}
	return t
}
