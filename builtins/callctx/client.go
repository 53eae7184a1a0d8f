package callctx

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"go.starlark.net/starlark"

	"github.com/mcpstar/mcpstar/engine/exactjson"
)

// client is ctx.client: what the other side says of itself.
type client struct{ info *Info }

var _ starlark.HasAttrs = (*client)(nil)

func (c *client) String() string        { return fmt.Sprintf("<client %s>", c.info.ClientName) }
func (c *client) Type() string          { return "client" }
func (c *client) Freeze()               {}
func (c *client) Truth() starlark.Bool  { return true }
func (c *client) Hash() (uint32, error) { return 0, errors.New("unhashable: client") }

var clientNames = []string{"capabilities", "name", "supports", "version"}

// AttrNames are the names that ctx.client offers.
func (c *client) AttrNames() []string { return append([]string(nil), clientNames...) }

// Attr is ctx.client.NAME.
func (c *client) Attr(name string) (starlark.Value, error) {
	switch name {
	case "name":
		return starlark.String(c.info.ClientName), nil
	case "version":
		return starlark.String(c.info.ClientVersion), nil
	case "capabilities":
		return c.capabilities()
	case "supports":
		return starlark.NewBuiltin("ctx.client.supports", c.supports), nil
	}
	return nil, starlark.NoSuchAttrError("ctx.client has no ." + name)
}

func (c *client) capabilities() (starlark.Value, error) {
	if len(c.info.Capabilities) == 0 {
		return new(starlark.Dict), nil
	}
	v, err := exactjson.Decode(c.info.Capabilities, exactjson.Limits{})
	if err != nil {
		return nil, fmt.Errorf("ctx.client.capabilities: %w", err)
	}
	v.Freeze()
	return v, nil
}

// supports is ctx.client.supports("sampling"): whether the client has declared a
// capability, written with dots for what lies inside another
// ("sampling.tools", "elicitation.url").
func (c *client) supports(_ *starlark.Thread, b *starlark.Builtin, args starlark.Tuple, kwargs []starlark.Tuple) (starlark.Value, error) {
	var name string
	if err := starlark.UnpackArgs(b.Name(), args, kwargs, "capability", &name); err != nil {
		return nil, err
	}
	return starlark.Bool(Supports(c.info.Capabilities, name)), nil
}

// Supports reports whether capabilities, as JSON, declare the named one. A bare
// "elicitation" counts as its form mode, as it did before there were modes.
func Supports(capabilities json.RawMessage, name string) bool {
	if name == "elicitation.form" {
		return Supports(capabilities, "elicitation") &&
			(declared(capabilities, name) || !declared(capabilities, "elicitation.url"))
	}
	return declared(capabilities, name)
}

func declared(capabilities json.RawMessage, name string) bool {
	at := capabilities
	for _, part := range strings.Split(name, ".") {
		var members map[string]json.RawMessage
		if json.Unmarshal(at, &members) != nil {
			return false
		}
		inner, ok := members[part]
		if !ok || string(inner) == "null" {
			return false
		}
		at = inner
	}
	return true
}
