package engine

import (
	"context"
	"math/rand/v2"
	"time"

	"go.starlark.net/starlark"
	"go.starlark.net/syntax"
)

// A Scope is what a running function can reach through its thread: the call's
// context, the time, randomness. A builtin asks [ScopeOf].
//
// There is one for each function the engine runs (a resolver, a tool's body, a
// file while it loads), so a resolver's clock can stand still while the tool's
// runs. A Scope is used by one thread.
type Scope struct {
	// Context ends when the call does. Builtins that wait must stop with it.
	Context context.Context
	// Now is what time.now() gives. In a resolver it stands still: every round
	// of a call sees the moment at which the call began.
	Now func() time.Time
	// Random is what random and uuid() draw from. In a resolver it starts from
	// the same seed in every round.
	Random *rand.Rand
	// Standing says that Now and Random repeat themselves in the next round.
	Standing bool

	questions []Question
}

const scopeKey = "mcpstar.scope"

// Attach makes s the scope of everything that runs on thread from now on.
func (s *Scope) Attach(thread *starlark.Thread) { thread.SetLocal(scopeKey, s) }

// ScopeOf is the scope that thread runs in. It is never nil: a thread that has
// none (a plain test, a program of the embedder) gets the real clock.
func ScopeOf(thread *starlark.Thread) *Scope {
	if s, ok := thread.Local(scopeKey).(*Scope); ok {
		return s
	}
	s := NewScope(context.Background())
	s.Attach(thread)
	return s
}

// NewScope is a scope with the true clock and fresh randomness of the context's
// [World].
func NewScope(ctx context.Context) *Scope {
	w := WorldOf(ctx)
	return &Scope{Context: ctx, Now: w.Clock, Random: w.Source(rand.NewPCG(w.Uint64(), w.Uint64()))}
}

// Real is the true time, also where Now stands still.
func (s *Scope) Real() time.Time { return WorldOf(s.Context).Clock() }

// Made records a question that a script has made, so that one which is made and
// not returned can be told to its author.
func (s *Scope) Made(q Question) { s.questions = append(s.questions, q) }

// Unreturned is the first question made in this scope other than returned, or nil.
func (s *Scope) Unreturned(returned Question) Question {
	return s.UnreturnedBut(func(q Question) bool { return q == returned })
}

// UnreturnedBut is the first question made in this scope that returned does not
// report, or nil.
func (s *Scope) UnreturnedBut(returned func(Question) bool) Question {
	for _, q := range s.questions {
		if !returned(q) {
			return q
		}
	}
	return nil
}

// CallerPos is where the script called the builtin that is running on thread.
func CallerPos(thread *starlark.Thread) syntax.Position {
	for depth := 1; depth < thread.CallStackDepth(); depth++ {
		if pos := thread.CallFrame(depth).Pos; pos.IsValid() && pos.Line > 0 {
			return pos
		}
	}
	return syntax.Position{}
}
