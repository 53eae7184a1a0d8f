package auth

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/netip"
	"net/url"
	"strings"
	"time"
)

const (
	fetchTimeout = 10 * time.Second
	fetchMost    = 1 << 20 // bytes
)

// A fetcher talks to one URL of an authorization server.
type fetcher struct {
	url    string
	client *http.Client
}

// newFetcher refuses URLs where anybody on the way could put in an answer of theirs.
func newFetcher(where string) (*fetcher, error) {
	u, err := url.Parse(where)
	if err != nil || u.Host == "" || u.User != nil {
		return nil, fmt.Errorf("%q is no URL of an authorization server", where)
	}
	if u.Scheme != "https" && (u.Scheme != "http" || !loopback(u.Hostname())) {
		return nil, fmt.Errorf("%s: an authorization server is reached by https (by http on this machine only)", where)
	}
	return &fetcher{url: where, client: &http.Client{
		Timeout: fetchTimeout,
		// Where the keys are is the operator's to say.
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}}, nil
}

func loopback(host string) bool {
	if strings.EqualFold(host, "localhost") {
		return true
	}
	ip, err := netip.ParseAddr(host)
	return err == nil && ip.Unmap().IsLoopback()
}

// get fetches what is there.
func (f *fetcher) get(ctx context.Context) ([]byte, error) {
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, f.url, nil)
	if err != nil {
		return nil, err
	}
	return f.do(r)
}

// do sends a request and gives the body of its answer, which must be 200.
func (f *fetcher) do(r *http.Request) ([]byte, error) {
	r.Header.Set("Accept", "application/json")
	res, err := f.client.Do(r)
	if err != nil {
		return nil, err
	}
	defer res.Body.Close()
	if res.StatusCode != http.StatusOK {
		return nil, fmt.Errorf("%s answers %s", f.url, res.Status)
	}
	body, err := io.ReadAll(io.LimitReader(res.Body, fetchMost+1))
	if err != nil {
		return nil, err
	}
	if len(body) > fetchMost {
		return nil, errors.New(f.url + " answers more than 1 MiB")
	}
	return body, nil
}
