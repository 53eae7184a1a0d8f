package dialect

import (
	"fmt"
	"math"

	"go.starlark.net/starlark"
)

// What one call of a word may read or make. They are far above what a tool
// needs, and low enough that no call takes much more than a second or fills the
// memory.
const (
	maxText  = 8 << 20   // bytes of text that is made, or read as JSON
	maxItems = 1_000_000 // elements, lines or characters
	maxBits  = 100_000   // bits of an int, about 30,000 digits
	// With a modulus, the time of pow grows with the third power of the size.
	maxModularBits = 4_096
)

// charge counts work that a word does at once as steps of the script, so that
// the limit on steps ends a script that calls it in a loop.
func charge(thread *starlark.Thread, steps int) { thread.Steps += uint64(steps) }

// checkBits refuses an int too large to compute with or to write out.
func checkBits(i starlark.Int) error {
	if _, small := i.Int64(); small {
		return nil
	}
	if bits := i.BigInt().BitLen(); bits > maxBits {
		return fmt.Errorf("an int of %d bits, more than %d", bits, maxBits)
	}
	return nil
}

// clamp is i, or the nearest of -most and most.
func clamp(i starlark.Int, most int) int {
	small, ok := i.Int64()
	if !ok {
		small = math.MaxInt64 * int64(i.Sign())
	}
	return int(min(max(small, int64(-most)), int64(most)))
}
