package starhost_test

import (
	"net/http"
	"os"
	"testing"

	"go.uber.org/goleak"
)

// No test leaves a goroutine behind. Started as a worker this binary is one.
func TestMain(m *testing.M) {
	if len(os.Args) > 1 && os.Args[1] == workerName {
		os.Exit(work(os.Args[2:]))
	}
	_ = os.Setenv("GORACE", os.Getenv("GORACE")+" atexit_sleep_ms=10") // processes that tests start end at once
	goleak.VerifyTestMain(closing{m})
}

// closing are tests after which no client keeps a connection for later.
type closing struct{ *testing.M }

func (c closing) Run() int {
	status := c.M.Run()
	http.DefaultTransport.(*http.Transport).CloseIdleConnections()
	return status
}
