package content

import (
	"encoding/base64"
	"errors"
	"fmt"
	"mime"
	"strings"

	"go.starlark.net/starlark"

	"github.com/mcpstar/mcpstar/engine"
)

// maxData bounds the data of one block, in bytes of base64.
const maxData = 16 << 20

// Words are the names this package gives to scripts.
func Words() starlark.StringDict {
	return starlark.StringDict{
		"image": starlark.NewBuiltin("image", image),
		"audio": starlark.NewBuiltin("audio", audio),
	}
}

// image(data, mime_type) is a content block that holds a picture.
//
// data is bytes, or base64 text as the wire has it: at most 16 MiB of base64.
// mime_type is required and says what kind of picture: "image/png".
func image(_ *starlark.Thread, b *starlark.Builtin, args starlark.Tuple, kwargs []starlark.Tuple) (starlark.Value, error) {
	return media(b.Name(), "image/png", args, kwargs)
}

// audio(data, mime_type) is a content block that holds sound; data as in image,
// mime_type like "audio/wav".
func audio(_ *starlark.Thread, b *starlark.Builtin, args starlark.Tuple, kwargs []starlark.Tuple) (starlark.Value, error) {
	return media(b.Name(), "audio/wav", args, kwargs)
}

func media(kind, example string, args starlark.Tuple, kwargs []starlark.Tuple) (starlark.Value, error) {
	var data starlark.Value
	var mimeType string
	if err := starlark.UnpackArgs(kind, args, kwargs, "data", &data, "mime_type", &mimeType); err != nil {
		return nil, err
	}
	encoded, err := encode(data)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", kind, err)
	}
	if parsed, _, err := mime.ParseMediaType(mimeType); err != nil || !strings.HasPrefix(parsed, kind+"/") {
		return nil, fmt.Errorf("%s: mime_type is %s; write it like %q",
			kind, engine.Describe(starlark.String(mimeType)), example)
	}
	return Block{kind: kind, data: encoded, mime: mimeType}, nil
}

// encode is data in the one form the wire takes: padded base64 on one line.
func encode(data starlark.Value) (string, error) {
	var raw []byte
	switch data := data.(type) {
	case starlark.Bytes:
		raw = []byte(data)
	case starlark.String:
		if len(data) > maxData {
			return "", tooLarge(len(data))
		}
		if strings.HasPrefix(string(data), "data:") {
			return "", errors.New("data is a data: URL; give only what follows its comma")
		}
		decoded, err := base64.StdEncoding.DecodeString(string(data))
		if err != nil {
			return "", errors.New("data is text that is not base64; give the raw content as bytes, or encode it")
		}
		raw = decoded
	default:
		return "", fmt.Errorf("data is %s; want bytes, or base64 text", engine.Describe(data))
	}
	if size := base64.StdEncoding.EncodedLen(len(raw)); size > maxData {
		return "", tooLarge(size)
	}
	return base64.StdEncoding.EncodeToString(raw), nil
}

func tooLarge(size int) error {
	return fmt.Errorf("data is %d bytes of base64; a block holds at most %d", size, maxData)
}
