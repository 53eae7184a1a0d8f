package script

import (
	"fmt"
	"math/rand/v2"
	"time"

	"go.starlark.net/starlark"
	"go.starlark.net/starlarkstruct"
	"go.starlark.net/syntax"

	"github.com/mcpstar/mcpstar/builtins"
	"github.com/mcpstar/mcpstar/engine"
	"github.com/mcpstar/mcpstar/engine/round"
	"github.com/mcpstar/mcpstar/scripts"
)

// words are what test files find beside the words of all scripts.
func (s *session) words() (starlark.StringDict, error) {
	thread := &starlark.Thread{Name: "words of test files"}
	options := &syntax.FileOptions{Set: true, While: true, TopLevelControl: true, Recursion: true}
	globals, err := starlark.ExecFileOptions(options, thread, "@testing/words.star", scripts.Testing(), builtins.Words())
	if err != nil {
		return nil, fmt.Errorf("the words of test files: %w", err)
	}
	assertions := starlark.StringDict{}
	for _, item := range globals["assertions"].(*starlark.Dict).Items() {
		assertions[string(item[0].(starlark.String))] = item[1]
	}
	return starlark.StringDict{
		"accept":  globals["accept"],
		"decline": globals["decline"],
		"cancel":  globals["cancel"],
		"reply":   globals["reply"],
		"assert":  &starlarkstruct.Module{Name: "assert", Members: assertions},
		"call":    starlark.NewBuiltin("call", s.call),
	}, nil
}

// world is the machine's, unless a call says otherwise.
func (s *session) world() *engine.World {
	return &engine.World{
		Now: func() time.Time {
			s.mu.Lock()
			defer s.mu.Unlock()
			if !s.now.IsZero() {
				return s.now
			}
			return time.Now()
		},
		Random: func() uint64 {
			s.mu.Lock()
			defer s.mu.Unlock()
			if s.random != nil {
				return s.random()
			}
			return rand.Uint64()
		},
	}
}

// observe remembers who asks: on revisions before 2026-07-28 the wire does not
// say.
func (s *session) observe(_ string, e round.Event) {
	if e.What != round.Asks {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.asking = e.Key
}

func (s *session) replace(key string) starlark.Callable {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.override[key]
}
