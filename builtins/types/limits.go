package types

import (
	"errors"
	"fmt"
	"math"
	"math/big"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/mcpstar/mcpstar/engine/exactjson"
	"go.starlark.net/starlark"
	"go.starlark.net/syntax"
)

// Limits bound the values of a [Field] beyond its type. On a union they bound
// the member they fit; None is always within them. The zero value bounds nothing.
type Limits struct {
	Ge, Gt, Le, Lt, MultipleOf starlark.Value // Int or Float; nil: none
	MinLength, MaxLength       *int           // characters of a text, elements of a list or dict
	Pattern                    string         // searched, not anchored; "": none
	Format                     string         // "": none

	pattern *regexp.Regexp
}

func finite(f starlark.Float) bool {
	return !math.IsNaN(float64(f)) && !math.IsInf(float64(f), 0)
}

// A bound is one limit on numbers: its keyword, JSON Schema's, and its words.
type bound struct {
	word, schema, want string
	op                 syntax.Token
	than               starlark.Value
}

func (l *Limits) bounds() [4]bound {
	return [4]bound{
		{"ge", "minimum", "at least", syntax.GE, l.Ge},
		{"gt", "exclusiveMinimum", "more than", syntax.GT, l.Gt},
		{"le", "maximum", "at most", syntax.LE, l.Le},
		{"lt", "exclusiveMaximum", "less than", syntax.LT, l.Lt},
	}
}

func (l *Limits) none() bool {
	return *l == Limits{}
}

// check tells the first limit that v is beyond: one problem a value, as the
// reference counts them.
func (l *Limits) check(c *checker, v starlark.Value) bool {
	want := ""
	switch v := v.(type) {
	case starlark.Int, starlark.Float:
		want = l.beyondNumber(v)
	case starlark.String:
		want = l.beyondText(v)
	case *starlark.List:
		want = l.beyondLength(v.Len(), "element")
	case *starlark.Dict:
		want = l.beyondLength(v.Len(), "member")
	}
	if want == "" {
		return true
	}
	c.wrong(want, v)
	return false
}

// beyondNumber is what v should have been, or "".
func (l *Limits) beyondNumber(v starlark.Value) string {
	f, isFloat := v.(starlark.Float)
	nan := isFloat && math.IsNaN(float64(f)) // Starlark sorts it above every limit
	for _, b := range l.bounds() {
		if b.than == nil {
			continue
		}
		if within, err := starlark.Compare(b.op, v, b.than); err != nil || !within || nan {
			return b.want + " " + shown(b.than)
		}
	}
	if l.MultipleOf != nil && !multipleOf(v, l.MultipleOf) {
		return "a multiple of " + shown(l.MultipleOf)
	}
	return ""
}

// multipleOf allows floats the rounding error that decimal fractions have in binary.
func multipleOf(v, of starlark.Value) bool {
	vi, ok1 := v.(starlark.Int)
	oi, ok2 := of.(starlark.Int)
	if ok1 && ok2 {
		return new(big.Int).Rem(vi.BigInt(), oi.BigInt()).Sign() == 0
	}
	x, ok1 := starlark.AsFloat(v)
	y, ok2 := starlark.AsFloat(of)
	if !ok1 || !ok2 {
		return false
	}
	rest, slack := math.Abs(math.Mod(x, y)), math.Abs(x)*1e-9
	return rest <= slack || math.Abs(rest-y) <= slack
}

func (l *Limits) beyondText(v starlark.String) string {
	if l.MinLength != nil || l.MaxLength != nil {
		if want := l.beyondLength(utf8.RuneCountInString(string(v)), "character"); want != "" {
			return want
		}
	}
	if l.pattern != nil && !l.pattern.MatchString(string(v)) {
		return "text that matches " + l.Pattern
	}
	if f, enforced := formatNamed(l.Format); enforced && !f.fits(string(v)) {
		return f.want
	}
	return ""
}

func (l *Limits) beyondLength(n int, unit string) string {
	if l.MinLength != nil && n < *l.MinLength {
		return "at least " + count(*l.MinLength, unit)
	}
	if l.MaxLength != nil && n > *l.MaxLength {
		return "at most " + count(*l.MaxLength, unit)
	}
	return ""
}

func count(n int, unit string) string {
	if n == 1 {
		return "1 " + unit
	}
	return fmt.Sprintf("%d %ss", n, unit)
}

// list is the limits as keywords of field.
func (l *Limits) list() []string {
	var out []string
	for _, b := range l.bounds() {
		if b.than != nil {
			out = append(out, b.word+" = "+b.than.String())
		}
	}
	if l.MultipleOf != nil {
		out = append(out, "multiple_of = "+l.MultipleOf.String())
	}
	if l.MinLength != nil {
		out = append(out, fmt.Sprintf("min_length = %d", *l.MinLength))
	}
	if l.MaxLength != nil {
		out = append(out, fmt.Sprintf("max_length = %d", *l.MaxLength))
	}
	if l.Pattern != "" {
		out = append(out, "pattern = "+starlark.String(l.Pattern).String())
	}
	if l.Format != "" {
		out = append(out, "format = "+starlark.String(l.Format).String())
	}
	return out
}

// valid refuses limits that can't apply to t, or that nothing fits.
func (l *Limits) valid(t shape) error {
	if l.none() {
		return nil
	}
	members := []shape{t}
	if u, ok := unwrap(t).(*union); ok {
		members = u.rest
	}
	for _, m := range members {
		if err := l.applicable(m); err != nil {
			return err
		}
	}
	return l.consistent()
}

func (l *Limits) applicable(t shape) error {
	number := intType.same(t) || floatType.same(t)
	isText := strType.same(t)
	_, isList := unwrap(t).(*listOf)
	_, isDict := unwrap(t).(*dictOf)
	for _, word := range l.list() {
		name, _, _ := strings.Cut(word, " ")
		var ok bool
		var of string
		switch name {
		case "ge", "gt", "le", "lt", "multiple_of":
			ok, of = number, "int or float"
		case "pattern", "format":
			ok, of = isText, "str"
		default:
			ok, of = isText || isList || isDict, "str, list or dict"
		}
		if !ok {
			if isText && of == "int or float" && name != "multiple_of" {
				of += "; for the length of text there are min_length and max_length"
			}
			if number && strings.HasSuffix(name, "_length") {
				of += "; for numbers there are ge and le"
			}
			return fmt.Errorf("%s does not apply to %s, only to %s", name, t.TypeName(), of)
		}
	}
	return nil
}

func (l *Limits) consistent() error {
	if l.MinLength != nil && l.MaxLength != nil && *l.MinLength > *l.MaxLength {
		return fmt.Errorf("nothing is at least %d and at most %d long", *l.MinLength, *l.MaxLength)
	}
	if l.MultipleOf != nil {
		if positive, err := starlark.Compare(syntax.GT, l.MultipleOf, starlark.MakeInt(0)); err != nil || !positive {
			return errors.New("multiple_of has to be more than 0")
		}
	}
	bounds := l.bounds()
	for _, low := range bounds[:2] {
		for _, high := range bounds[2:] {
			if low.than == nil || high.than == nil {
				continue
			}
			op := syntax.GT
			if low.word == "gt" || high.word == "lt" {
				op = syntax.GE
			}
			if empty, err := starlark.Compare(op, low.than, high.than); err == nil && empty {
				return fmt.Errorf("nothing is %s %s and %s %s", low.want, low.than, high.want, high.than)
			}
		}
	}
	return nil
}

// apply is t rendered within the limits; hideNull leaves None out of a union.
func (l *Limits) apply(t shape, s side, hideNull bool) exactjson.Object {
	u, ok := unwrap(t).(*union)
	if !ok {
		return concat(t.render(s), l.keywords(t))
	}
	return l.arms(u, s, u.nullable && !hideNull)
}

// arms is a union rendered within the limits. As in the reference null comes
// last, and members that look the same (list, list[any]) are shown once.
func (l *Limits) arms(u *union, s side, null bool) exactjson.Object {
	var arms []exactjson.Object
	for _, m := range u.rest {
		o := sorted(concat(m.render(s), l.keywords(m)))
		if !slices.ContainsFunc(arms, func(arm exactjson.Object) bool { return reflect.DeepEqual(arm, o) }) {
			arms = append(arms, o)
		}
	}
	if null {
		arms = append(arms, noneType.render(s))
	}
	if len(arms) == 1 {
		return arms[0]
	}
	list := make([]any, len(arms))
	for i, o := range arms {
		list[i] = o
	}
	return exactjson.Object{{Name: "anyOf", Value: list}}
}

// keywords are the limits as JSON Schema for a value of type t.
func (l *Limits) keywords(t shape) exactjson.Object {
	if l.none() {
		return nil
	}
	var o exactjson.Object
	for _, b := range l.bounds() {
		if b.than != nil {
			o = append(o, exactjson.Member{Name: b.schema, Value: b.than})
		}
	}
	if l.MultipleOf != nil {
		o = append(o, exactjson.Member{Name: "multipleOf", Value: l.MultipleOf})
	}
	unit := "Length"
	switch unwrap(t).(type) {
	case *listOf:
		unit = "Items"
	case *dictOf:
		unit = "Properties"
	}
	if l.MinLength != nil {
		o = append(o, exactjson.Member{Name: "min" + unit, Value: *l.MinLength})
	}
	if l.MaxLength != nil {
		o = append(o, exactjson.Member{Name: "max" + unit, Value: *l.MaxLength})
	}
	if l.Pattern != "" {
		o = append(o, exactjson.Member{Name: "pattern", Value: l.Pattern})
	}
	if l.Format != "" {
		o = append(o, exactjson.Member{Name: "format", Value: l.Format})
	}
	return o
}
