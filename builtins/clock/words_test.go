package clock

import (
	"math/rand/v2"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"
	startime "go.starlark.net/lib/time"
	"go.starlark.net/starlark"

	"github.com/mcpstar/mcpstar/builtins/internal/startest"
	"github.com/mcpstar/mcpstar/engine"
	"github.com/mcpstar/mcpstar/engine/exactjson"
)

func TestScripts(t *testing.T) { startest.Run(t, "testdata/*.star", Words()) }

func run(t *testing.T, scope *engine.Scope, script string) starlark.StringDict {
	t.Helper()
	thread := new(starlark.Thread)
	scope.Attach(thread)
	globals, err := startest.Exec(thread, "shop.star", script, Words())
	require.NoError(t, err)
	return globals
}

// standing is the scope of a resolver in one round of a call that began at start.
func standing(start time.Time) *engine.Scope {
	return &engine.Scope{
		Context:  nil, // no word of this package waits
		Now:      func() time.Time { return start },
		Random:   rand.New(rand.NewPCG(1, 2)),
		Standing: true,
	}
}

func TestClockAndChanceRepeatThemselvesInAStandingScope(t *testing.T) {
	const script = `
values = [
    str(time.now()), random.int(1, 1000000), random.float(), random.choice(range(1000000)),
    random.shuffle(range(20)), uuid(), uuid(),
]
`
	start := time.Date(2026, 7, 28, 12, 0, 0, 123456789, time.UTC)
	first := run(t, standing(start), script)
	// The next round may run on a machine in another zone.
	second := run(t, standing(start.In(time.FixedZone("", 3600))), script)
	require.Equal(t, first["values"].String(), second["values"].String())
	require.Contains(t, first["values"].String(), "2026-07-28T12:00:00.123456789Z")

	other := standing(start)
	other.Random = rand.New(rand.NewPCG(3, 4))
	require.NotEqual(t, first["values"].String(), run(t, other, script)["values"].String())
}

func TestRealTimeMovesInAStandingScope(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		start := time.Now()
		time.Sleep(90 * time.Second) // of the bubble's clock
		globals := run(t, standing(start), `age = time.real() - time.now()`)
		require.Equal(t, startime.Duration(90*time.Second), globals["age"])
	})
}

func TestNowIsTheTrueClockWhereNothingStands(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		time.Sleep(time.Hour)
		globals := run(t, engine.NewScope(t.Context()), `same = time.now() == time.real()`)
		require.Equal(t, starlark.True, globals["same"])
	})
}

func TestATimeEncodesAsRFC3339(t *testing.T) {
	moment, err := Of(time.Date(2026, 7, 28, 12, 0, 0, 5e8, time.FixedZone("", 2*3600)))
	require.NoError(t, err)
	text, err := exactjson.Marshal(moment)
	require.NoError(t, err)
	require.Equal(t, `"2026-07-28T12:00:00.5+02:00"`, string(text))
	require.Equal(t, "2026-07-28T12:00:00.5+02:00", moment.String())
	require.Equal(t, "2026-07-28T12:00:00.5+02:00", moment.Go().Format(time.RFC3339Nano))
}

func TestATimeNextToGoStarlarksOwnDoesNotPanic(t *testing.T) {
	ours, err := Of(time.Unix(0, 0))
	require.NoError(t, err)
	theirs := startime.Time(time.Unix(0, 0))
	same, err := starlark.Equal(ours, theirs)
	require.NoError(t, err)
	require.False(t, same)
	_, err = ours.Cmp(theirs, 1)
	require.ErrorContains(t, err, "a time can't be compared with a time.time")
}
