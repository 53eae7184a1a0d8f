package content

import (
	"encoding/base64"
	"errors"
	"fmt"
	"mime"
	"strings"
	"unicode/utf8"

	"go.starlark.net/starlark"

	"github.com/mcpstar/mcpstar/engine"
)

// maxData bounds the data of one block, in bytes of base64.
const maxData = 16 << 20

// Words are the names this package gives to scripts.
func Words() starlark.StringDict {
	return starlark.StringDict{
		"image":     starlark.NewBuiltin("image", image),
		"audio":     starlark.NewBuiltin("audio", audio),
		"embed":     starlark.NewBuiltin("embed", embed),
		"link":      starlark.NewBuiltin("link", link),
		"user":      starlark.NewBuiltin("user", message),
		"assistant": starlark.NewBuiltin("assistant", message),
	}
}

// image(data, mime_type, annotations =, meta =) is a content block that holds a
// picture.
//
// data is bytes, or base64 text as the wire has it: at most 16 MiB of base64.
// mime_type is required and says what kind of picture: "image/png".
func image(_ *starlark.Thread, b *starlark.Builtin, args starlark.Tuple, kwargs []starlark.Tuple) (starlark.Value, error) {
	return media(b.Name(), "image/png", args, kwargs)
}

// audio(data, mime_type, annotations =, meta =) is a content block that holds
// sound; data as in image, mime_type like "audio/wav".
func audio(_ *starlark.Thread, b *starlark.Builtin, args starlark.Tuple, kwargs []starlark.Tuple) (starlark.Value, error) {
	return media(b.Name(), "audio/wav", args, kwargs)
}

func media(kind, example string, args starlark.Tuple, kwargs []starlark.Tuple) (starlark.Value, error) {
	var data starlark.Value
	var mimeType string
	var notes, meta jsonArgument
	if err := starlark.UnpackArgs(kind, args, kwargs, "data", &data, "mime_type", &mimeType,
		"annotations?", notes.annotations(), "meta?", meta.meta()); err != nil {
		return nil, err
	}
	raw, err := bytesOf(data)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", kind, err)
	}
	if parsed, _, err := mime.ParseMediaType(mimeType); err != nil || !strings.HasPrefix(parsed, kind+"/") {
		return nil, fmt.Errorf("%s: mime_type is %s; write it like %q",
			kind, engine.Describe(starlark.String(mimeType)), example)
	}
	return Block{
		kind: kind, data: base64.StdEncoding.EncodeToString(raw), mime: mimeType,
		annotations: notes.text, meta: meta.text,
	}, nil
}

// embed(uri, content, mime_type =, annotations =, meta =) is a content block that
// holds a resource: text as it is, or bytes.
func embed(_ *starlark.Thread, b *starlark.Builtin, args starlark.Tuple, kwargs []starlark.Tuple) (starlark.Value, error) {
	var uri, mimeType string
	var held starlark.Value
	var notes, meta jsonArgument
	if err := starlark.UnpackArgs(b.Name(), args, kwargs, "uri", &uri, "content", &held, "mime_type?", &mimeType,
		"annotations?", notes.annotations(), "meta?", meta.meta()); err != nil {
		return nil, err
	}
	if err := CheckURI(uri); err != nil {
		return nil, fmt.Errorf("embed: %w", err)
	}
	if err := CheckMIMEType(mimeType); err != nil {
		return nil, fmt.Errorf("embed: %w", err)
	}
	var block Block
	switch held := held.(type) {
	case starlark.String:
		if !utf8.ValidString(string(held)) {
			return nil, errors.New("embed: the text is not valid UTF-8; give it as bytes")
		}
		block = Embedded(uri, string(held), mimeType)
	case starlark.Bytes:
		if size := base64.StdEncoding.EncodedLen(len(held)); size > maxData {
			return nil, fmt.Errorf("embed: %w", tooLarge(size))
		}
		block = EmbeddedBytes(uri, []byte(held), mimeType)
	default:
		return nil, fmt.Errorf("embed: content is %s; want text, or bytes (of anything else, json.encode(x))", engine.Describe(held))
	}
	block.annotations, block.meta = notes.text, meta.text
	return block, nil
}

// link(uri, name =, title =, description =, mime_type =, size =, icons =,
// annotations =, meta =) is a content block that points at a resource, which the
// client can read if it likes. name is the uri where none is given.
func link(_ *starlark.Thread, b *starlark.Builtin, args starlark.Tuple, kwargs []starlark.Tuple) (starlark.Value, error) {
	block := Block{kind: "resource_link"}
	var size starlark.Value
	var icons, notes, meta jsonArgument
	if err := starlark.UnpackArgs(b.Name(), args, kwargs, "uri", &block.uri, "name?", &block.name, "title?", &block.title,
		"description?", &block.description, "mime_type?", &block.mime, "size?", &size,
		"icons?", icons.icons(), "annotations?", notes.annotations(), "meta?", meta.meta()); err != nil {
		return nil, err
	}
	if err := CheckURI(block.uri); err != nil {
		return nil, fmt.Errorf("link: %w", err)
	}
	if err := CheckMIMEType(block.mime); err != nil {
		return nil, fmt.Errorf("link: %w", err)
	}
	if size != nil && size != starlark.None {
		n, err := Size(size)
		if err != nil {
			return nil, fmt.Errorf("link: %w", err)
		}
		block.size = fmt.Sprint(n)
	}
	for _, s := range []string{block.name, block.title, block.description} {
		if !utf8.ValidString(s) {
			return nil, errors.New("link: a text is not valid UTF-8")
		}
	}
	if block.name == "" {
		block.name = block.uri
	}
	block.icons, block.annotations, block.meta = icons.text, notes.text, meta.text
	return block, nil
}

// bytesOf is data as bytes: bytes, or base64 text.
func bytesOf(data starlark.Value) ([]byte, error) {
	var raw []byte
	switch data := data.(type) {
	case starlark.Bytes:
		raw = []byte(data)
	case starlark.String:
		if len(data) > maxData {
			return nil, tooLarge(len(data))
		}
		if strings.HasPrefix(string(data), "data:") {
			return nil, errors.New("data is a data: URL; give only what follows its comma")
		}
		decoded, err := base64.StdEncoding.DecodeString(string(data))
		if err != nil {
			return nil, errors.New("data is text that is not base64; give the raw content as bytes, or encode it")
		}
		raw = decoded
	default:
		return nil, fmt.Errorf("data is %s; want bytes, or base64 text", engine.Describe(data))
	}
	if size := base64.StdEncoding.EncodedLen(len(raw)); size > maxData {
		return nil, tooLarge(size)
	}
	return raw, nil
}

func tooLarge(size int) error {
	return fmt.Errorf("data is %d bytes of base64; a block holds at most %d", size, maxData)
}
