package round

import (
	"context"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"encoding/binary"
	mathrand "math/rand/v2"
	"time"

	"github.com/mcpstar/mcpstar/engine"
)

// Begin is the state of a call that starts now.
func Begin(now time.Time) *State {
	var seed [8]byte
	var id [12]byte
	rand.Read(seed[:]) // never fails, see crypto/rand
	rand.Read(id[:])
	return &State{
		Version: stateVersion,
		Call:    base64.RawURLEncoding.EncodeToString(id[:]),
		Began:   now.UnixNano(),
		Seed:    binary.LittleEndian.Uint64(seed[:]),
	}
}

// BeginIn is the state of a call that starts now in a world: its time, and if the
// world scripts randomness its seed and id too.
func BeginIn(w *engine.World) *State {
	s := Begin(w.Time())
	if w.Random != nil {
		s.Seed = w.Random()
		id := binary.LittleEndian.AppendUint64(nil, w.Random())
		id = binary.LittleEndian.AppendUint32(id, uint32(w.Random()))
		s.Call = base64.RawURLEncoding.EncodeToString(id)
	}
	return s
}

// ArgumentScope is the scope in which defaults of arguments are generated. It
// stands still as a resolver's does, so that a default is the same in every round
// and a question may contain it.
func (s *State) ArgumentScope(ctx context.Context) *engine.Scope {
	return standing(ctx, s, "") // no resolver has an empty key
}

// standing is the scope of a resolver: its clock stands at the call's start and
// its generator starts anew from seed and wire key in every round. So a question
// that contains a time or an id comes out the same in each round, and resolvers
// that run side by side don't disturb each other's numbers.
func standing(ctx context.Context, s *State, key string) *engine.Scope {
	start := s.Start()
	w := engine.WorldOf(ctx)
	return &engine.Scope{
		Context: ctx,
		Now: func() time.Time {
			w.Reach("clock")
			return start
		},
		Random:   w.Source(generator(s.Seed, key)),
		Standing: true,
	}
}

func generator(seed uint64, key string) mathrand.Source {
	text := binary.LittleEndian.AppendUint64(nil, seed)
	sum := sha256.Sum256(append(text, key...))
	return mathrand.NewPCG(
		binary.LittleEndian.Uint64(sum[0:8]), binary.LittleEndian.Uint64(sum[8:16]))
}
