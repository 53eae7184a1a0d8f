package engine

import (
	"context"
	"math/rand/v2"
	"time"
)

// A World is what scripts reach beyond their own values. A nil field means the
// machine's own. It is safe for concurrent use if its functions are.
type World struct {
	// Now is the true clock.
	Now func() time.Time
	// Random is where all randomness of scripts comes from.
	Random func() uint64
	// Reached is told when a script reaches something that the World leaves to the
	// machine, with its name: "clock", "random". A test that scripts its world
	// learns from it what it has forgotten.
	Reached func(what string)
}

type worldKey struct{}

// WithWorld is a context whose scripts live in w.
func WithWorld(ctx context.Context, w *World) context.Context {
	if w == nil {
		return ctx
	}
	return context.WithValue(ctx, worldKey{}, w)
}

// WorldOf is the world of a context. It is never nil; without [WithWorld] it is
// the machine's.
func WorldOf(ctx context.Context) *World {
	if ctx != nil {
		if w, ok := ctx.Value(worldKey{}).(*World); ok {
			return w
		}
	}
	return &World{}
}

// Time is the true time in the world, for the host itself.
func (w *World) Time() time.Time {
	if w.Now != nil {
		return w.Now()
	}
	return time.Now()
}

// Uint64 is randomness of the world, for the host itself.
func (w *World) Uint64() uint64 {
	if w.Random != nil {
		return w.Random()
	}
	return rand.Uint64()
}

// Reach notes that a script reaches the world's clock or randomness.
func (w *World) Reach(what string) {
	scripted := what == "clock" && w.Now != nil || what == "random" && w.Random != nil
	if !scripted && w.Reached != nil {
		w.Reached(what)
	}
}

// Clock is Time for a script.
func (w *World) Clock() time.Time {
	w.Reach("clock")
	return w.Time()
}

// Source makes randomness for a script out of a source that is already seeded.
func (w *World) Source(of rand.Source) *rand.Rand {
	if w.Reached == nil {
		return rand.New(of)
	}
	return rand.New(&reaching{w, of})
}

// reaching is a source that tells of its use.
type reaching struct {
	world *World
	of    rand.Source
}

func (r *reaching) Uint64() uint64 {
	r.world.Reach("random")
	return r.of.Uint64()
}
