package isolate

import (
	"errors"
	"fmt"
	"os"
	"strconv"
	"strings"
	"syscall"
)

// slack is address space for what is reserved and hardly used: the stacks of threads,
// and the heap's next arena.
const slack = 128 << 20

// bound lets this process have that many bytes of address space beside what it has
// now: the runtime reserves much that it never uses. There is no way back.
func bound(bytes int64) error {
	if bytes <= 0 {
		return errors.New("no limit is wanted")
	}
	size, err := statm(os.Getpid(), 0)
	if err != nil {
		return err
	}
	limit := uint64(size + bytes + slack)
	return syscall.Setrlimit(syscall.RLIMIT_AS, &syscall.Rlimit{Cur: limit, Max: limit})
}

// resident is how many bytes of memory a process takes up.
func resident(pid int) (int64, error) { return statm(pid, 1) }

// statm is a field of /proc/PID/statm, in bytes.
func statm(pid, field int) (int64, error) {
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/statm", pid))
	if err != nil {
		return 0, err
	}
	fields := strings.Fields(string(text))
	if len(fields) <= field {
		return 0, fmt.Errorf("/proc/%d/statm: %q", pid, text)
	}
	pages, err := strconv.ParseInt(fields[field], 10, 64)
	return pages * int64(os.Getpagesize()), err
}
