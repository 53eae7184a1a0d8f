package questions

import (
	"encoding/json"
	"fmt"
	"net/url"
	"strings"
	"unicode"

	"go.starlark.net/starlark"

	"github.com/mcpstar/mcpstar/engine"
	"github.com/mcpstar/mcpstar/engine/exactjson"
)

// Identified is implemented by questions whose request needs, on revisions of
// [engine.Handshake], an id that the host makes: those of elicit_url.
type Identified interface {
	engine.Question

	// WithID are the [engine.Handshake] params with that elicitationId. The id
	// must be unique among the host's elicitations, and is what a later
	// notifications/elicitation/complete names. It is no part of the rendering:
	// the question stays the same under every id.
	//
	// Params(engine.Handshake) is without an id, which a client may refuse.
	WithID(id string) json.RawMessage
}

type urlQuestion struct {
	question
	message, url string
}

var _ Identified = (*urlQuestion)(nil)

// elicitURL is elicit_url(message, url). An accepted answer says that the person
// agreed to open the address and nothing about what came of it, so its consumer
// gets None; one that wants to know whether it was accepted asks for the outcome.
func elicitURL(thread *starlark.Thread, b *starlark.Builtin, args starlark.Tuple, kwargs []starlark.Tuple) (starlark.Value, error) {
	given, err := unpack(b, args, kwargs, 2, "message", "url")
	if err != nil {
		return nil, err
	}
	message, err := given.text("message")
	if err != nil {
		return nil, err
	}
	address, err := given.text("url")
	if err != nil {
		return nil, err
	}
	if why := unfitURL(address); why != "" {
		return nil, fmt.Errorf("elicit_url() wants a url that a browser can open: %s; got %s",
			why, engine.Describe(starlark.String(address)))
	}
	q := &urlQuestion{message: message, url: address, question: question{
		word:   "elicit_url",
		text:   fmt.Sprintf("elicit_url(%s)", starlark.String(shorten(message))),
		pos:    engine.CallerPos(thread),
		method: "elicitation/create",
		needs:  urlElicitation(),
		accept: acceptURL,
	}}
	if err := q.render(); err != nil {
		return nil, err
	}
	return made(thread, q), nil
}

// unfitURL says what to mend in an address, or "".
func unfitURL(address string) string {
	if strings.ContainsFunc(address, unicode.IsControl) {
		return "without line breaks and other control characters"
	}
	if strings.ContainsFunc(address, unicode.IsSpace) {
		return `a space in it is written "%20"`
	}
	u, err := url.Parse(address)
	if err != nil {
		return "it can't be read as a URL"
	}
	if u.Scheme != "http" && u.Scheme != "https" || u.Hostname() == "" {
		return "it starts with https:// or http:// and a host"
	}
	return ""
}

func (q *urlQuestion) render() error {
	full, err := exactjson.Marshal(q.handshakeParams())
	if err != nil {
		return fmt.Errorf("elicit_url(): %w", err)
	}
	q.handshake, q.rendering = full, full
	q.rounds = exactjson.MustMarshal(exactjson.Object{
		{Name: "message", Value: q.message}, {Name: "mode", Value: "url"}, {Name: "url", Value: q.url},
	}) // the same members
	return nil
}

func (q *urlQuestion) handshakeParams() exactjson.Object {
	return exactjson.Object{
		{Name: "mode", Value: "url"}, {Name: "message", Value: q.message}, {Name: "url", Value: q.url},
	}
}

// WithID implements [Identified].
func (q *urlQuestion) WithID(id string) json.RawMessage {
	return exactjson.MustMarshal(q.handshakeParams().With("elicitationId", strings.ToValidUTF8(id, "\uFFFD")))
}

func acceptURL(answer json.RawMessage) (engine.Outcome, error) {
	result, err := readAnswer(answer, elicitResult, "received a non-elicitation response")
	if err != nil {
		return engine.Outcome{}, err
	}
	return engine.Outcome{Action: actionOf(result)}, nil
}
