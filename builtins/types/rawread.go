package types

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/mcpstar/mcpstar/engine"
	"github.com/mcpstar/mcpstar/engine/exactjson"
	"go.starlark.net/starlark"
)

// readSchema is an author's JSON Schema as an object of our own, in the author's
// order, and how large it is. Schemas below it are objects (or True and
// False) too; all other values are frozen copies. Local references are written out.
//
// It opens nothing: a reference to anything outside is an error, as is one that
// leads back to itself.
func readSchema(d *starlark.Dict) (exactjson.Object, measure, error) {
	if want := weigh(d).tooHeavy(); want != "" {
		return nil, leaf, fmt.Errorf("it has to be %s", want)
	}
	r := schemaReader{root: d}
	read, err := r.read(d, "#", 0)
	if err == nil && r.leftDefs && !r.refs { // no reference needs them: they stay
		r = schemaReader{root: d, keepDefs: true}
		read, err = r.read(d, "#", 0)
	}
	if err == nil && r.refs && r.nestedID != "" {
		err = fmt.Errorf("at %s: $id below the root changes what the references mean; leave it out", r.nestedID)
	}
	if err != nil {
		return nil, leaf, err
	}
	o, _ := read.(exactjson.Object)
	data, err := exactjson.Marshal(o)
	if err != nil {
		return nil, leaf, err
	}
	size := measure{nodes: r.nodes, depth: 1, bytes: len(data)}
	return o, size, size.tooLarge()
}

type schemaReader struct {
	root     *starlark.Dict
	nodes    int
	trail    []string // the references that are being written out
	refs     bool
	nestedID string
	keepDefs bool // definitions are read too, not only what refers to them
	leftDefs bool
}

// read is the schema v at the place at, which is a JSON pointer for errors.
func (r *schemaReader) read(v starlark.Value, at string, depth int) (any, error) {
	if b, ok := v.(starlark.Bool); ok {
		return b, nil
	}
	d, ok := v.(*starlark.Dict)
	if !ok {
		return nil, fmt.Errorf("at %s: a schema is a dict (or True, or False), got %s", at, engine.Describe(v))
	}
	if depth > maxTypeDepth {
		return nil, fmt.Errorf("at %s: schemas can be nested at most %d deep", clip(at), maxTypeDepth)
	}
	if r.nodes++; r.nodes > maxTypeNodes {
		return nil, fmt.Errorf("more than %d schemas when references are written out; make it smaller", maxTypeNodes)
	}
	var o exactjson.Object
	for k, v := range d.Entries() {
		name, ok := starlark.AsString(k)
		if !ok {
			return nil, fmt.Errorf("at %s: the key %s is no text", at, engine.Describe(k))
		}
		if name == "$ref" {
			continue
		}
		if (name == "$defs" || name == "definitions") && !r.keepDefs {
			r.leftDefs = true
			continue
		}
		read, err := r.keyword(name, v, at+"/"+escape(name), depth)
		if err != nil {
			return nil, err
		}
		o = append(o, exactjson.Member{Name: name, Value: read})
	}
	ref, found, _ := d.Get(starlark.String("$ref"))
	if !found {
		return o, nil
	}
	target, err := r.follow(ref, at, depth)
	if err != nil {
		return nil, err
	}
	return joined(target, o), nil
}

// keyword reads what one keyword of a schema says.
func (r *schemaReader) keyword(name string, v starlark.Value, at string, depth int) (any, error) {
	switch kindOf(name) {
	case aSchema:
		return r.read(v, at, depth+1)
	case schemaList:
		return r.readList(v, at, depth)
	case schemaMap:
		return r.readMap(v, at, depth)
	case schemaOrList:
		if isA[*starlark.List](v) || isA[starlark.Tuple](v) {
			return r.readList(v, at, depth)
		}
		return r.read(v, at, depth+1)
	case refusedKeyword:
		return nil, fmt.Errorf("at %s: %s is not supported; write the schema out, or refer to it with $ref", at, name)
	}
	if name == "$id" && depth > 0 {
		r.nestedID = at
	}
	if err := wellFormed(name, v); err != nil {
		return nil, fmt.Errorf("at %s: %w", at, err)
	}
	out := thaw(v)
	out.Freeze()
	return out, nil
}

func (r *schemaReader) readList(v starlark.Value, at string, depth int) (any, error) {
	seq, ok := sequence(v)
	list, isList := v.(*starlark.List)
	if isList {
		seq, ok = list, true
	}
	if !ok {
		return nil, fmt.Errorf("at %s: a list of schemas, got %s", at, engine.Describe(v))
	}
	out := make([]any, 0, seq.Len())
	iter := seq.Iterate()
	defer iter.Done()
	var elem starlark.Value
	for i := 0; iter.Next(&elem); i++ {
		read, err := r.read(elem, at+"/"+strconv.Itoa(i), depth+1)
		if err != nil {
			return nil, err
		}
		out = append(out, read)
	}
	if len(out) == 0 {
		return nil, fmt.Errorf("at %s: an empty list of schemas", at)
	}
	return out, nil
}

func (r *schemaReader) readMap(v starlark.Value, at string, depth int) (any, error) {
	d, ok := v.(*starlark.Dict)
	if !ok {
		return nil, fmt.Errorf("at %s: a dict of schemas, got %s", at, engine.Describe(v))
	}
	out := exactjson.Object{}
	for k, v := range d.Entries() {
		name, ok := starlark.AsString(k)
		if !ok {
			return nil, fmt.Errorf("at %s: the key %s is no text", at, engine.Describe(k))
		}
		if strings.HasSuffix(at, "/patternProperties") {
			if _, err := compile(name); err != nil {
				return nil, fmt.Errorf("at %s: %w", at, err)
			}
		}
		if list, ok := v.(*starlark.List); ok && strings.HasSuffix(at, "/dependencies") {
			list.Freeze() // draft 7: names, not a schema
			out = append(out, exactjson.Member{Name: name, Value: list})
			continue
		}
		read, err := r.read(v, at+"/"+escape(name), depth+1)
		if err != nil {
			return nil, err
		}
		out = append(out, exactjson.Member{Name: name, Value: read})
	}
	return out, nil
}
