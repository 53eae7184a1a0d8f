//go:build !linux

package isolate

import (
	"errors"

	ps "github.com/shirou/gopsutil/v4/process"
)

// bound is for systems on which a process can limit itself. The host watches it
// here.
func bound(int64) error { return errors.ErrUnsupported }

// resident is how many bytes of memory a process takes up.
func resident(pid int) (int64, error) {
	p, err := ps.NewProcess(int32(pid))
	if err != nil {
		return 0, err
	}
	info, err := p.MemoryInfo()
	if err != nil {
		return 0, err
	}
	return int64(info.RSS), nil
}
