package auth

import (
	"context"
	"crypto"
	"errors"
	"log/slog"
	"os"
	"slices"
	"strings"
	"sync"
	"time"
)

const (
	keysFresh   = 10 * time.Minute // after that they are fetched again
	keysBetween = 10 * time.Second // between two attempts to fetch them
)

// A keyCache holds a set of keys, and gets it again when it must.
type keyCache struct {
	get func(context.Context) ([]byte, error)
	log *slog.Logger
	now func() time.Time

	mu      sync.Mutex
	keys    []key
	got     time.Time // when keys came
	tried   time.Time // when they were last asked for
	err     error     // of that
	getting chan struct{}
}

// openKeys is the cache of the keys at a URL, or in a file, which must be there and
// good.
func openKeys(o JWTOptions) (*keyCache, error) {
	c := &keyCache{log: o.Logger, now: o.Now}
	if c.log == nil {
		c.log = slog.New(slog.DiscardHandler)
	}
	if strings.Contains(o.Keys, "://") {
		f, err := newFetcher(o.Keys)
		if err != nil {
			return nil, err
		}
		c.get = f.get
		return c, nil
	}
	if o.Keys == "" {
		return nil, errors.New("signed tokens need keys: say at which URL, or in which file, they are")
	}
	c.get = func(context.Context) ([]byte, error) { return os.ReadFile(o.Keys) }
	c.mu.Lock()
	c.refresh()
	c.mu.Unlock()
	<-c.getting
	return c, c.err
}

// find gives the keys with that id (any, if it is "") that do for an algorithm. When
// there is none, it looks whether there is one now.
func (c *keyCache) find(ctx context.Context, id, algorithm string) ([]crypto.PublicKey, error) {
	c.mu.Lock()
	found, wait := c.match(id, algorithm), c.getting
	now := c.now()
	if now.Sub(c.got) >= keysFresh || len(found) == 0 {
		if !c.busy() && now.Sub(c.tried) >= keysBetween {
			c.refresh()
		}
		wait = c.getting
	}
	c.mu.Unlock()
	if len(found) > 0 || wait == nil {
		return found, nil
	}
	select {
	case <-wait:
	case <-ctx.Done():
		return nil, &keysError{ctx.Err()}
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if found = c.match(id, algorithm); len(found) == 0 && c.err != nil {
		return nil, &keysError{c.err} // it may be among those that didn't come
	}
	return found, nil
}

// match is find among the keys that are here. c.mu is held.
func (c *keyCache) match(id, algorithm string) []crypto.PublicKey {
	var found []crypto.PublicKey
	for _, k := range c.keys {
		if (id == "" || id == k.id) && slices.Contains(k.algorithms, algorithm) {
			found = append(found, k.public)
		}
	}
	return found
}

// busy reports whether keys are under way. c.mu is held.
func (c *keyCache) busy() bool {
	if c.getting == nil {
		return false
	}
	select {
	case <-c.getting:
		return false
	default:
		return true
	}
}

// refresh gets the keys, for whoever waits for getting. It is no request's own work:
// one that leaves must not spoil it for the others. c.mu is held.
func (c *keyCache) refresh() {
	done := make(chan struct{})
	c.getting, c.tried = done, c.now()
	go func() {
		defer close(done)
		ctx, cancel := context.WithTimeout(context.Background(), fetchTimeout)
		defer cancel()
		text, err := c.get(ctx)
		var keys []key
		if err == nil {
			keys, err = parseKeys(text)
		}
		c.mu.Lock()
		defer c.mu.Unlock()
		if c.err = err; err != nil {
			c.log.Warn("keys not fetched", "error", err)
			return
		}
		c.keys, c.got = keys, c.now()
	}()
}
