package starhost_test

import (
	"net/http"
	"testing"

	"go.uber.org/goleak"
)

// No test leaves a goroutine behind.
func TestMain(m *testing.M) { goleak.VerifyTestMain(closing{m}) }

// closing are tests after which no client keeps a connection for later.
type closing struct{ *testing.M }

func (c closing) Run() int {
	status := c.M.Run()
	http.DefaultTransport.(*http.Transport).CloseIdleConnections()
	return status
}
