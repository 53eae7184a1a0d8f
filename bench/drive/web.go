package drive

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strconv"
	"strings"
	"sync/atomic"
	"time"
)

// Web is a client over HTTP: on [Handshake] one session.
type Web struct {
	revision string
	url      string
	session  string
	client   *http.Client
	ids      atomic.Int64
}

// Connections is a pool of HTTP connections that clients share.
func Connections(most int) *http.Client {
	return &http.Client{Transport: &http.Transport{MaxIdleConns: most, MaxIdleConnsPerHost: most, MaxConnsPerHost: most}}
}

// Online makes a client; on [Handshake] it opens a session.
func Online(client *http.Client, url, revision string) (*Web, error) {
	w := &Web{revision: revision, url: url, client: client}
	if revision == Rounds {
		return w, nil
	}
	f, err := w.request("initialize", "", greeting)
	if err != nil {
		return nil, err
	}
	if f.Error != nil || w.session == "" {
		return nil, fmt.Errorf("no session: %+v", f.Error)
	}
	return w, w.tell(initialized)
}

func (w *Web) open(method, body, name string) (*http.Response, error) {
	r, err := http.NewRequest(http.MethodPost, w.url, strings.NewReader(body))
	if err != nil {
		return nil, err
	}
	r.Header.Set("Content-Type", "application/json")
	r.Header.Set("Accept", "application/json, text/event-stream")
	if w.session != "" || w.revision == Rounds {
		r.Header.Set("Mcp-Protocol-Version", w.revision)
	}
	if w.session != "" {
		r.Header.Set("Mcp-Session-Id", w.session)
	}
	if w.revision == Rounds {
		r.Header.Set("Mcp-Method", method)
		r.Header.Set("Mcp-Name", name)
	}
	return w.client.Do(r)
}

// tell sends what has no response.
func (w *Web) tell(body string) error {
	res, err := w.open("", body, "")
	if err != nil {
		return err
	}
	defer res.Body.Close()
	text, err := io.ReadAll(res.Body)
	if res.StatusCode != http.StatusAccepted {
		return fmt.Errorf("status %d: %s", res.StatusCode, text)
	}
	return err
}

func (w *Web) request(method, name, params string) (*frame, error) {
	id := strconv.FormatInt(w.ids.Add(1), 10)
	res, err := w.open(method, request(id, method, params), name)
	if err != nil {
		return nil, err
	}
	defer res.Body.Close()
	if s := res.Header.Get("Mcp-Session-Id"); s != "" {
		w.session = s
	}
	if strings.HasPrefix(res.Header.Get("Content-Type"), "text/event-stream") {
		return w.stream(res.Body, id)
	}
	text, err := io.ReadAll(res.Body)
	if err != nil {
		return nil, err
	}
	return decode(text)
}

// stream reads events until the response, and answers what is asked on the way.
func (w *Web) stream(body io.Reader, id string) (*frame, error) {
	lines := bufio.NewReader(body)
	for {
		line, err := lines.ReadBytes('\n')
		if err != nil {
			return nil, errors.Join(errors.New("the stream ended before the answer"), err)
		}
		data, ok := bytes.CutPrefix(line, []byte("data: "))
		if !ok || len(bytes.TrimSpace(data)) == 0 {
			continue
		}
		f, err := decode(data)
		if err != nil {
			return nil, err
		}
		switch {
		case f.Method != "" && f.ID != nil:
			if err := w.tell(answer(f.ID)); err != nil {
				return nil, err
			}
		case f.Method == "" && bytes.Equal(f.ID, json.RawMessage(id)):
			_, err := io.Copy(io.Discard, lines) // or the connection can't be used again
			return f, err
		}
	}
}

// Call implements [Client].
func (w *Web) Call(tool, title string) error {
	resume := ""
	for {
		f, err := w.request("tools/call", tool, params(w.revision, tool, title, resume))
		if err != nil {
			return err
		}
		if resume, err = f.outcome(tool, title); err != nil || resume == "" {
			return err
		}
	}
}

// Close implements [Client]: it ends the session.
func (w *Web) Close() error {
	if w.session == "" {
		return nil
	}
	r, err := http.NewRequest(http.MethodDelete, w.url, nil)
	if err != nil {
		return err
	}
	r.Header.Set("Mcp-Session-Id", w.session)
	res, err := w.client.Do(r)
	if err != nil {
		return err
	}
	return res.Body.Close()
}

// Leave makes a call that does not end by itself, and leaves while it runs: the
// server has to notice.
func Leave(ctx context.Context, client *http.Client, url string) error {
	ctx, leave := context.WithTimeout(ctx, 5*time.Millisecond)
	defer leave()
	body := request("1", "tools/call", params(Rounds, "spin", "x", ""))
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, url, strings.NewReader(body))
	if err != nil {
		return err
	}
	r.Header = http.Header{
		"Content-Type": {"application/json"}, "Accept": {"application/json, text/event-stream"},
		"Mcp-Protocol-Version": {Rounds}, "Mcp-Method": {"tools/call"}, "Mcp-Name": {"spin"},
	}
	res, err := client.Do(r)
	if err == nil {
		_ = res.Body.Close()
		return fmt.Errorf("a call without end was answered: status %d", res.StatusCode)
	}
	return nil
}
