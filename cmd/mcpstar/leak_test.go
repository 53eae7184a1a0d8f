package main

import (
	"os"
	"testing"

	"go.uber.org/goleak"
)

// asCommand is the environment variable that makes this test binary the command
// itself, for tests of whole processes.
const asCommand = "TEST_AS_MCPSTAR"

// No test leaves a goroutine behind.
func TestMain(m *testing.M) {
	if os.Getenv(asCommand) != "" || len(os.Args) > 1 && os.Args[1] == workerName {
		main()
		return
	}
	_ = os.Setenv("GORACE", os.Getenv("GORACE")+" atexit_sleep_ms=10") // processes that tests start end at once
	goleak.VerifyTestMain(m)
}
