package engine

import (
	"context"
	"errors"
	"testing"

	"github.com/stretchr/testify/require"
	"go.starlark.net/starlark"
	"go.starlark.net/syntax"
)

const loops = `
def spin():
    while True: str(1)

def f():
    spin()

f()
`

func TestAnInterruptKnowsWhereTheThreadWas(t *testing.T) {
	up := &Interrupt{Text: "time is up"}
	for name, c := range map[string]struct {
		prepare func(*testing.T, *starlark.Thread)
		want    string
	}{
		"a limit": {func(t *testing.T, thread *starlark.Thread) {
			t.Cleanup(Limits{Steps: 10_000}.Apply(thread))
		}, "stopped after 10000 steps: does a loop end? (raise the limit with --max-steps)"},
		"the end of the context": {func(t *testing.T, thread *starlark.Thread) {
			ctx, cancel := context.WithCancelCause(t.Context())
			cancel(up)
			NewScope(ctx).Attach(thread)
			t.Cleanup(Limits{}.Apply(thread))
		}, "time is up"},
	} {
		t.Run(name, func(t *testing.T) {
			thread := new(starlark.Thread)
			c.prepare(t, thread)
			_, err := starlark.ExecFileOptions(&syntax.FileOptions{While: true}, thread, "shop.star", loops, nil)
			require.Error(t, err)
			var interrupt *Interrupt
			require.ErrorAs(t, Interrupted(thread, err), &interrupt)
			require.Equal(t, c.want, interrupt.Text)
			require.Equal(t, c.want, FailureText(interrupt))
			var names []string
			for _, frame := range interrupt.Stack {
				names = append(names, frame.Name)
			}
			require.Equal(t, []string{"<toplevel>", "f", "spin"}[:len(names)], names)
			require.NotEmpty(t, names)

			again := Interrupted(thread, &outer{interrupt})
			require.Equal(t, interrupt, again, "the thread that waited for this one keeps its place")
			require.Empty(t, Interrupted(thread, errors.New("cancelled")).(*Interrupt).Stack, "nothing ran")
		})
	}
	require.Nil(t, up.Stack, "others hold on to it")
}

// outer is an error of a function that had another one run.
type outer struct{ error }

func (o *outer) Unwrap() error { return o.error }
