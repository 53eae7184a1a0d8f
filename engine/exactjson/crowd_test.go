package exactjson_test

import (
	"fmt"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"go.starlark.net/starlark"

	"github.com/mcpstar/mcpstar/engine/exactjson"
)

// object is the text of an object with n of the keys that next gives.
func object(n int, next func() string) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, `,%q:%d`, next(), i)
	}
	return "{" + strings.TrimPrefix(b.String(), ",") + "}"
}

// counter gives k0, k1, k2, …
func counter() func() string {
	i := -1
	return func() string { i++; return "k" + strconv.Itoa(i) }
}

// colliding gives keys whose hashes have the same low bits.
func colliding(bits int) func() string {
	next := counter()
	return func() string {
		for {
			key := next()
			if h, _ := starlark.String(key).Hash(); h&(1<<bits-1) == 0 {
				return key
			}
		}
	}
}

func TestKeysChosenToCollideAreRefused(t *testing.T) {
	_, err := exactjson.Decode([]byte(object(600, colliding(12))), exactjson.Limits{})
	require.EqualError(t, err, "an object whose keys were chosen to collide")

	_, err = exactjson.Decode([]byte(`[{"a":`+object(600, colliding(12))+`}]`), exactjson.Limits{})
	require.EqualError(t, err, "an object whose keys were chosen to collide")
}

func TestLargeObjectsAreRead(t *testing.T) {
	for name, text := range map[string]string{
		"many keys":               object(50_000, counter()),
		"a few that collide":      object(500, colliding(12)),
		"a repeated key of many":  object(1000, counter())[:1] + strings.Repeat(`"k1":0,`, 5000) + object(1000, counter())[1:],
		"a key repeated later on": strings.TrimSuffix(object(1000, counter()), "}") + strings.Repeat(`,"k1":1`, 5000) + "}",
	} {
		t.Run(name, func(t *testing.T) {
			v, err := exactjson.Decode([]byte(text), exactjson.Limits{})
			require.NoError(t, err)
			require.Positive(t, v.(*starlark.Dict).Len())
		})
	}
}
