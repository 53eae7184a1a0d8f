package golden

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/mcpstar/mcpstar/engine"
	"github.com/mcpstar/mcpstar/golden/transcript"
)

// A world is what the -- world -- section scripts. It remembers what the script
// has reached beyond it.
type world struct {
	engine.World
	mu      sync.Mutex
	reached []string
}

// remedies are what to write for something that is not scripted.
var remedies = map[string]string{
	"clock":  "clock 2026-01-01T12:00:00Z",
	"random": "random 1",
}

// newWorld is a fresh world, as the directives say it.
func newWorld(t *transcript.Transcript) (*world, error) {
	w := &world{}
	w.Reached = func(what string) {
		w.mu.Lock()
		defer w.mu.Unlock()
		if !slices.Contains(w.reached, what) {
			w.reached = append(w.reached, what)
		}
	}
	for _, d := range t.World {
		if err := w.direct(d); err != nil {
			return nil, &transcript.Error{Name: t.Name, Line: d.Line, Text: err.Error()}
		}
	}
	return w, nil
}

func (w *world) direct(d transcript.Directive) error {
	switch d.Word {
	case "clock":
		at, err := time.Parse(time.RFC3339Nano, d.Rest)
		if err != nil {
			return fmt.Errorf("clock wants a time: %s", remedies["clock"])
		}
		w.Now = func() time.Time { return at }
	case "random":
		seed, err := strconv.ParseUint(strings.TrimSpace(d.Rest), 10, 64)
		if err != nil {
			return fmt.Errorf("random wants a number to begin with: %s", remedies["random"])
		}
		source := rand.NewPCG(seed, 0)
		w.Random = func() uint64 {
			w.mu.Lock()
			defer w.mu.Unlock()
			return source.Uint64()
		}
	default:
		help := engine.DidYouMean(d.Word, []string{"clock", "random"})
		if help == "" {
			help = "a script can reach the clock and random"
		}
		return fmt.Errorf("the world has no %q; %s", d.Word, help)
	}
	return nil
}

// unscripted says what the script has reached and the world does not script.
func (w *world) unscripted() []string {
	w.mu.Lock()
	defer w.mu.Unlock()
	var lines []string
	for _, what := range w.reached {
		lines = append(lines, fmt.Sprintf("the script reaches %s, which this transcript does not script; write `%s` into its -- world -- section", what, remedies[what]))
	}
	return lines
}
