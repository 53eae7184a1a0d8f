package callctx

import (
	"errors"

	"go.starlark.net/starlark"
)

// readResource is ctx.read_resource(uri): the contents of one of the server's own
// resources, a list of content blocks with .text or .data.
func (c *Context) readResource(thread *starlark.Thread, b *starlark.Builtin, args starlark.Tuple, kwargs []starlark.Tuple) (starlark.Value, error) {
	var uri string
	if err := starlark.UnpackArgs(b.Name(), args, kwargs, "uri", &uri); err != nil {
		return nil, err
	}
	if c.info.ReadResource == nil {
		return nil, errors.New("ctx.read_resource: there are no resources here")
	}
	return c.info.ReadResource(thread, uri)
}

// resourceUpdated is ctx.notify_resource_updated(uri).
func (c *Context) resourceUpdated(_ *starlark.Thread, b *starlark.Builtin, args starlark.Tuple, kwargs []starlark.Tuple) (starlark.Value, error) {
	var uri string
	if err := starlark.UnpackArgs(b.Name(), args, kwargs, "uri", &uri); err != nil {
		return nil, err
	}
	if c.info.ResourceUpdated == nil {
		return starlark.None, nil
	}
	return starlark.None, c.info.ResourceUpdated(uri)
}
