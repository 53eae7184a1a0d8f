package record

import (
	"bytes"
	"io"
	"net/http"
	"net/http/httputil"
	"net/url"
	"strings"
)

// maxBody is the longest request that is recorded, in bytes; longer ones are
// refused.
const maxBody = 16 << 20

// HTTP is a proxy in front of a server at a URL. Clients reach the server under
// any path of the proxy. Headers, credentials among them, go on and are never
// recorded.
func HTTP(r *Recorder, target *url.URL) http.Handler {
	proxy := &httputil.ReverseProxy{
		FlushInterval: -1, // streams go on as they come
		Rewrite: func(p *httputil.ProxyRequest) {
			p.Out.URL.Scheme, p.Out.URL.Host, p.Out.URL.Path = target.Scheme, target.Host, target.Path
			p.Out.URL.RawQuery = target.RawQuery
			p.Out.Host = target.Host
			p.Out.Header.Del("Origin") // it is about the proxy
			p.Out.Header.Set("Accept-Encoding", "identity")
		},
		ModifyResponse: func(resp *http.Response) error {
			see := func(text []byte) { r.Server(text, resp.StatusCode) }
			if strings.HasPrefix(resp.Header.Get("Content-Type"), "text/event-stream") {
				resp.Body = &tee{body: resp.Body, see: see}
				return nil
			}
			body, err := io.ReadAll(resp.Body)
			if err != nil {
				return err
			}
			see(body)
			_ = resp.Body.Close()
			resp.Body = io.NopCloser(bytes.NewReader(body))
			return nil
		},
	}
	return http.HandlerFunc(func(w http.ResponseWriter, req *http.Request) {
		if req.Method == http.MethodPost {
			body, err := io.ReadAll(http.MaxBytesReader(w, req.Body, maxBody))
			if err != nil {
				http.Error(w, "the request can't be read", http.StatusBadRequest)
				return
			}
			r.Client(body)
			req.Body, req.ContentLength = io.NopCloser(bytes.NewReader(body)), int64(len(body))
		}
		proxy.ServeHTTP(w, req)
	})
}

// tee shows the events of a stream that goes by, each before it is passed on.
type tee struct {
	body io.ReadCloser
	see  func([]byte)
	rest []byte // of a line that is not whole yet
	data []byte // of an event that is not
}

func (t *tee) Read(p []byte) (int, error) {
	n, err := t.body.Read(p)
	t.rest = append(t.rest, p[:n]...)
	for {
		line, rest, whole := bytes.Cut(t.rest, []byte("\n"))
		if !whole {
			return n, err
		}
		t.rest = rest
		t.line(bytes.TrimRight(line, "\r"))
	}
}

func (t *tee) line(line []byte) {
	if data, ok := bytes.CutPrefix(line, []byte("data:")); ok {
		t.data = append(t.data, bytes.TrimPrefix(data, []byte(" "))...)
	}
	if len(line) == 0 && len(t.data) > 0 {
		t.see(t.data)
		t.data = nil
	}
}

func (t *tee) Close() error { return t.body.Close() }
