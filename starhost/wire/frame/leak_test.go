package frame

import (
	"net/http"
	"testing"

	"go.uber.org/goleak"
)

// No test leaves a goroutine behind.
func TestMain(m *testing.M) { goleak.VerifyTestMain(leavingNone{m}) }

// leavingNone are tests after which no client keeps a connection for later.
type leavingNone struct{ *testing.M }

func (c leavingNone) Run() int {
	status := c.M.Run()
	http.DefaultTransport.(*http.Transport).CloseIdleConnections()
	return status
}
