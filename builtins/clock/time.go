package clock

import (
	"errors"
	"fmt"
	"regexp"
	"time"

	startime "go.starlark.net/lib/time"
	"go.starlark.net/starlark"
	"go.starlark.net/syntax"

	"github.com/mcpstar/mcpstar/engine/exactjson"
)

// A Time is a moment, in a time zone. It prints and encodes as RFC 3339, and is
// always in the years 1 to 9999, which is what RFC 3339 can write. Times are
// immutable, hashable and ordered; two that name one moment in different zones
// are equal.
//
// It is not go.starlark.net's own Time, which prints differently; Go code that
// gives a time to scripts makes it with [Of].
type Time struct{ moment time.Time }

var (
	_ starlark.HasAttrs       = Time{}
	_ starlark.HasBinary      = Time{}
	_ starlark.TotallyOrdered = Time{}
	_ exactjson.Encodable     = Time{}
)

// Of is t as a script sees it. A year outside 1 to 9999 is an error.
func Of(t time.Time) (Time, error) {
	if year := t.Year(); year < 1 || year > 9999 {
		return Time{}, fmt.Errorf("a time in the year %d; times are in the years 1 to 9999", year)
	}
	return Time{moment: t.Round(0)}, nil // Round drops the monotonic reading
}

// Go is t as a program sees it.
func (t Time) Go() time.Time { return t.moment }

// String is t in RFC 3339.
func (t Time) String() string { return t.moment.Format(time.RFC3339Nano) }

// JSON is t in RFC 3339.
func (t Time) JSON() any { return t.String() }

// Type is "time". It must differ from the type name of go.starlark.net's Time:
// the interpreter would let that one compare itself with this, and panic.
func (t Time) Type() string { return "time" }

// Freeze does nothing: a time never changes.
func (t Time) Freeze() {}

// Truth is true for every time.
func (t Time) Truth() starlark.Bool { return true }

// Hash agrees with equality.
func (t Time) Hash() (uint32, error) {
	sec := t.moment.Unix()
	return uint32(sec) ^ uint32(sec>>32) ^ uint32(t.moment.Nanosecond()), nil
}

// Cmp orders times by the moment.
func (t Time) Cmp(y starlark.Value, _ int) (int, error) {
	other, ok := y.(Time)
	if !ok {
		return 0, fmt.Errorf("a time can't be compared with a %s", y.Type())
	}
	return t.moment.Compare(other.moment), nil
}

// Binary is time + duration, duration + time, time - duration and time - time
// (a duration).
func (t Time) Binary(op syntax.Token, y starlark.Value, side starlark.Side) (starlark.Value, error) {
	switch y := y.(type) {
	case startime.Duration:
		switch {
		case op == syntax.PLUS:
			return value(Of(t.moment.Add(time.Duration(y))))
		case op == syntax.MINUS && side == starlark.Left:
			// Not Add(-y): the smallest duration has no opposite.
			return value(Of(t.moment.Add(-time.Duration(y / 2)).Add(-time.Duration(y - y/2))))
		}
	case Time:
		if op == syntax.MINUS {
			return between(y.moment, t.moment)
		}
	}
	return nil, nil
}

// between is the time from start to end. Durations reach about 292 years.
func between(start, end time.Time) (starlark.Value, error) {
	d := end.Sub(start)
	if !start.Add(d).Equal(end) {
		return nil, errors.New("the two times lie further apart than a duration reaches: 292 years")
	}
	return startime.Duration(d), nil
}

// value makes a result of Of one of a builtin.
func value(t Time, err error) (starlark.Value, error) {
	if err != nil {
		return nil, err
	}
	return t, nil
}

// AttrNames lists fields and methods.
func (t Time) AttrNames() []string {
	return []string{
		"day", "format", "hour", "in_location", "minute", "month", "nanosecond",
		"second", "unix", "unix_nano", "year",
	}
}

// Attr is a field or a method of t.
func (t Time) Attr(name string) (starlark.Value, error) {
	switch name {
	case "year":
		return starlark.MakeInt(t.moment.Year()), nil
	case "month":
		return starlark.MakeInt(int(t.moment.Month())), nil
	case "day":
		return starlark.MakeInt(t.moment.Day()), nil
	case "hour":
		return starlark.MakeInt(t.moment.Hour()), nil
	case "minute":
		return starlark.MakeInt(t.moment.Minute()), nil
	case "second":
		return starlark.MakeInt(t.moment.Second()), nil
	case "nanosecond":
		return starlark.MakeInt(t.moment.Nanosecond()), nil
	case "unix":
		return starlark.MakeInt64(t.moment.Unix()), nil
	case "unix_nano": // beyond int64 for most years
		billion := starlark.MakeInt(1_000_000_000)
		return starlark.MakeInt64(t.moment.Unix()).Mul(billion).Add(starlark.MakeInt(t.moment.Nanosecond())), nil
	case "format":
		return starlark.NewBuiltin("format", t.format).BindReceiver(t), nil
	case "in_location":
		return starlark.NewBuiltin("in_location", t.inLocation).BindReceiver(t), nil
	}
	return nil, nil
}

// format(layout) writes the time after a layout of Go's, at most 1,000 bytes
// long: "2006-01-02 15:04:05".
func (t Time) format(_ *starlark.Thread, _ *starlark.Builtin, args starlark.Tuple, kwargs []starlark.Tuple) (starlark.Value, error) {
	var l layout
	if err := starlark.UnpackArgs("time.format", args, kwargs, "layout", &l); err != nil {
		return nil, err
	}
	return starlark.String(t.moment.Format(string(l))), nil
}

// in_location(name) is the same moment in another time zone: "Europe/Berlin".
func (t Time) inLocation(_ *starlark.Thread, _ *starlark.Builtin, args starlark.Tuple, kwargs []starlark.Tuple) (starlark.Value, error) {
	var l location
	if err := starlark.UnpackArgs("time.in_location", args, kwargs, "name", &l); err != nil {
		return nil, err
	}
	return value(Of(t.moment.In(l.zone)))
}

// A layout is how a time is written, in Go's way.
type layout string

// strftime is what Python would write: "%Y-%m-%d".
var strftime = regexp.MustCompile(`%[a-zA-Z]`)

// Unpack refuses layouts that are Python's, which Go would copy to the output.
func (l *layout) Unpack(v starlark.Value) error {
	s, ok := starlark.AsString(v)
	if !ok {
		return fmt.Errorf("got %s, want str", v.Type())
	}
	const longest = 1_000
	if len(s) > longest {
		return fmt.Errorf("a layout of %d bytes, more than %d", len(s), longest)
	}
	if code := strftime.FindString(s); code != "" {
		return fmt.Errorf(`a layout shows how this moment is written: "2006-01-02 15:04:05"; %s means nothing in it`, code)
	}
	*l = layout(s)
	return nil
}

// A location is a time zone by name.
type location struct{ zone *time.Location }

// Unpack finds the time zone.
func (l *location) Unpack(v starlark.Value) error {
	s, ok := starlark.AsString(v)
	if !ok {
		return fmt.Errorf("got %s, want str", v.Type())
	}
	zone, err := zoneOf(s)
	if err != nil {
		return err
	}
	l.zone = zone
	return nil
}

func zoneOf(name string) (*time.Location, error) {
	const longest = 100
	if len(name) <= longest {
		if zone, err := time.LoadLocation(name); err == nil {
			return zone, nil
		}
	}
	return nil, fmt.Errorf(`no time zone %.60q; names are like "UTC" or "Europe/Berlin"`, name)
}
