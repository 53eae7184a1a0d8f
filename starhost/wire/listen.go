package wire

import (
	"context"
	"encoding/json"
	"slices"
	"sync"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/mcpstar/mcpstar/engine/exactjson"
	"github.com/mcpstar/mcpstar/starhost/wire/frame"
)

// The streams of subscriptions/listen are ours. The SDK keeps one for each session,
// so that a second one on a connection silences the first, and the end of either
// silences both.

// listeners are the open streams of a server.
type listeners struct {
	mu      sync.Mutex
	open    map[*listener]bool
	pending map[string]*time.Timer // of changed lists, by notification
}

// A listener is one stream.
type listener struct {
	ctx     context.Context
	session *mcp.ServerSession
	id      json.RawMessage // of the request, as the client wrote it
	wants   mcp.NotificationSubscriptions
}

// settle is how long a changed list may go on changing before clients are told: one
// notification for a burst.
const settle = 10 * time.Millisecond

// The notifications that a stream may carry.
const (
	toolsChanged     = "notifications/tools/list_changed"
	promptsChanged   = "notifications/prompts/list_changed"
	resourcesChanged = "notifications/resources/list_changed"
	resourceUpdated  = "notifications/resources/updated"
	acknowledged     = "notifications/subscriptions/acknowledged"
)

// listen answers subscriptions/listen: it acknowledges, and holds the stream open.
// handled is false for a request that came over somebody else's transport.
func (s *Server) listen(ctx context.Context, req *mcp.SubscriptionsListenRequest) (res mcp.Result, handled bool, err error) {
	id, ok := frame.Moved(req.Params.GetMeta(), frame.MetaRequestID)
	if !ok {
		return nil, false, nil
	}
	if req.Params.Notifications == nil {
		return nil, true, invalidParams("")
	}
	l := &listener{ctx: ctx, session: req.Session, id: id, wants: *req.Params.Notifications}
	s.listeners.add(l)
	defer s.listeners.remove(l)
	filter, err := json.Marshal(l.wants)
	if err != nil {
		return nil, true, err
	}
	if err := l.send(ctx, acknowledged, exactjson.Object{{Name: "notifications", Value: json.RawMessage(filter)}}); err != nil {
		return nil, true, err
	}
	if !l.wantsNothing() {
		<-ctx.Done()
	}
	out := &mcp.SubscriptionsListenResult{}
	out.SetMeta(map[string]any{mcp.MetaKeySubscriptionID: id})
	return out, true, nil
}

func (l *listener) wantsNothing() bool {
	w := &l.wants
	return !w.ToolsListChanged && !w.PromptsListChanged && !w.ResourcesListChanged && len(w.ResourceSubscriptions) == 0
}

// hears reports whether the stream carries a notification; uri is that of an updated
// resource.
func (l *listener) hears(method, uri string) bool {
	switch method {
	case toolsChanged:
		return l.wants.ToolsListChanged
	case promptsChanged:
		return l.wants.PromptsListChanged
	case resourcesChanged:
		return l.wants.ResourcesListChanged
	}
	return slices.Contains(l.wants.ResourceSubscriptions, uri)
}

// send sends a notification on the stream.
func (l *listener) send(within context.Context, method string, params exactjson.Object) error {
	params = params.With("_meta", exactjson.Object{{Name: mcp.MetaKeySubscriptionID, Value: l.id}})
	const patience = 10 * time.Second
	ctx, cancel := context.WithTimeout(withNotification(l.ctx, method, exactjson.MustMarshal(params)), patience)
	defer cancel()
	defer context.AfterFunc(within, cancel)()
	return l.session.NotifyProgress(ctx, &mcp.ProgressNotificationParams{}) // what is sent is ours
}

func (ls *listeners) add(l *listener) {
	ls.mu.Lock()
	defer ls.mu.Unlock()
	if ls.open == nil {
		ls.open = map[*listener]bool{}
	}
	ls.open[l] = true
}

func (ls *listeners) remove(l *listener) {
	ls.mu.Lock()
	defer ls.mu.Unlock()
	delete(ls.open, l)
}

// changed tells of a changed list, when it has settled.
func (ls *listeners) changed(method string) {
	ls.mu.Lock()
	defer ls.mu.Unlock()
	if len(ls.open) == 0 || ls.pending[method] != nil {
		return
	}
	if ls.pending == nil {
		ls.pending = map[string]*time.Timer{}
	}
	ls.pending[method] = time.AfterFunc(settle, func() {
		ls.mu.Lock()
		delete(ls.pending, method)
		ls.mu.Unlock()
		ls.tell(context.Background(), method, "")
	})
}

// tell sends a notification on every stream that carries it.
func (ls *listeners) tell(ctx context.Context, method, uri string) {
	ls.mu.Lock()
	var hearing []*listener
	for l := range ls.open {
		if l.hears(method, uri) {
			hearing = append(hearing, l)
		}
	}
	ls.mu.Unlock()
	var params exactjson.Object
	if method == resourceUpdated {
		params = params.With("uri", uri)
	}
	for _, l := range hearing {
		if ctx.Err() != nil {
			return // whoever tells has no more time: it is slow to be heard
		}
		_ = l.send(ctx, method, params) // a client that is gone has ended its stream
	}
}
