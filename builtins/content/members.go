package content

import (
	"errors"
	"fmt"
	"math"
	"mime"
	"net/url"
	"strings"
	"time"
	"unicode"

	"go.starlark.net/starlark"

	"github.com/mcpstar/mcpstar/engine"
	"github.com/mcpstar/mcpstar/engine/exactjson"
)

// What content blocks, resources, prompts and tools have in common: annotations,
// icons, _meta, URIs, MIME types and sizes, checked where a script says them.

// Annotations is annotations = {...} of a content block or a resource as wire
// JSON.
func Annotations(v starlark.Value) ([]byte, error) {
	dict, ok := v.(*starlark.Dict)
	if !ok {
		return nil, fmt.Errorf("annotations is a dict, got %s", engine.Describe(v))
	}
	known := []string{"audience", "priority", "lastModified"}
	for _, item := range dict.Items() {
		name, _ := starlark.AsString(item[0])
		var err error
		switch name {
		case "audience":
			err = audience(item[1])
		case "priority":
			if f, ok := starlark.AsFloat(item[1]); !ok || math.IsNaN(f) || f < 0 || f > 1 {
				err = fmt.Errorf("priority is a number from 0 to 1, got %s", engine.Describe(item[1]))
			}
		case "lastModified":
			if s, ok := starlark.AsString(item[1]); !ok || !isTime(s) {
				err = fmt.Errorf(`lastModified is a time like "2026-05-31T14:00:00Z", got %s`, engine.Describe(item[1]))
			}
		default:
			help := engine.DidYouMean(name, known)
			if help == "" {
				help = "there are " + strings.Join(known, ", ")
			}
			err = fmt.Errorf("there is no %s; %s", item[0], help)
		}
		if err != nil {
			return nil, fmt.Errorf("annotations: %w", err)
		}
	}
	return asJSON("annotations", dict)
}

func audience(v starlark.Value) error {
	list, ok := v.(starlark.Indexable)
	if _, text := v.(starlark.String); !ok || text {
		return fmt.Errorf(`audience is a list of "user" and "assistant", got %s`, engine.Describe(v))
	}
	for i := range list.Len() {
		if who, _ := starlark.AsString(list.Index(i)); who != "user" && who != "assistant" {
			return fmt.Errorf(`audience is a list of "user" and "assistant", got %s in it`, engine.Describe(list.Index(i)))
		}
	}
	return nil
}

func isTime(s string) bool {
	if _, err := time.Parse(time.RFC3339, s); err == nil {
		return true
	}
	_, err := time.Parse(time.DateOnly, s)
	return err == nil
}

// Icons is icons = [{"src": "https://...", ...}] as wire JSON.
func Icons(v starlark.Value) ([]byte, error) {
	list, ok := v.(starlark.Indexable)
	if _, text := v.(starlark.String); !ok || text {
		return nil, fmt.Errorf(`icons is a list like [{"src": "https://..."}], got %s`, engine.Describe(v))
	}
	for i := range list.Len() {
		dict, ok := list.Index(i).(*starlark.Dict)
		if !ok {
			return nil, fmt.Errorf(`icons: an icon is a dict like {"src": "https://..."}, got %s`, engine.Describe(list.Index(i)))
		}
		src, found, _ := dict.Get(starlark.String("src"))
		if text, isText := starlark.AsString(src); !found || !isText || CheckURI(text) != nil {
			return nil, errors.New(`icons: an icon's "src" is a URI: https://..., or data:image/png;base64,...`)
		}
	}
	return asJSON("icons", v)
}

// Meta is meta = {...} as wire JSON.
func Meta(v starlark.Value) ([]byte, error) {
	dict, ok := v.(*starlark.Dict)
	if !ok {
		return nil, fmt.Errorf("meta is a dict, got %s", engine.Describe(v))
	}
	return asJSON("meta", dict)
}

func asJSON(what string, v starlark.Value) ([]byte, error) {
	data, err := exactjson.Marshal(v)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", what, err)
	}
	return data, nil
}

// CheckURI refuses what is no URI with a scheme.
func CheckURI(uri string) error {
	if strings.ContainsFunc(uri, func(r rune) bool { return unicode.IsSpace(r) || unicode.IsControl(r) }) {
		return fmt.Errorf(`the URI %s has a space or a control character; write "%%20" for a space`, engine.Describe(starlark.String(uri)))
	}
	u, err := url.Parse(uri)
	if err != nil || u.Scheme == "" {
		return fmt.Errorf(`%s is no URI; it begins with a scheme: "config://app", "https://example.com/x"`, engine.Describe(starlark.String(uri)))
	}
	return nil
}

// CheckMIMEType refuses what is no MIME type. "" is none, and well.
func CheckMIMEType(text string) error {
	if text == "" {
		return nil
	}
	if parsed, _, err := mime.ParseMediaType(text); err != nil || !strings.Contains(parsed, "/") {
		return fmt.Errorf(`mime_type is %s; write it like "text/plain"`, engine.Describe(starlark.String(text)))
	}
	return nil
}

// Size is size = n, in bytes.
func Size(v starlark.Value) (int64, error) {
	n, ok := v.(starlark.Int)
	if !ok {
		return 0, fmt.Errorf("size is a number of bytes, got %s", engine.Describe(v))
	}
	size, ok := n.Int64()
	if !ok || size < 0 || size > 1<<53 {
		return 0, fmt.Errorf("size is a number of bytes, got %s", engine.Describe(v))
	}
	return size, nil
}

// A jsonArgument is an argument of a word that is kept as wire JSON; None is as
// if it were not given.
type jsonArgument struct {
	text string
	read func(starlark.Value) ([]byte, error)
}

func (a *jsonArgument) annotations() *jsonArgument { a.read = Annotations; return a }
func (a *jsonArgument) icons() *jsonArgument       { a.read = Icons; return a }
func (a *jsonArgument) meta() *jsonArgument        { a.read = Meta; return a }

// Unpack implements starlark.Unpacker.
func (a *jsonArgument) Unpack(v starlark.Value) error {
	if v == starlark.None {
		return nil
	}
	data, err := a.read(v)
	a.text = string(data)
	return err
}
