package clock

import (
	"fmt"
	"time"

	startime "go.starlark.net/lib/time"
	"go.starlark.net/starlark"

	"github.com/mcpstar/mcpstar/engine"
)

// now() is the current time in UTC. In a resolver it is the moment at which the
// call began, in every round; elsewhere it is the true clock.
func now(thread *starlark.Thread, b *starlark.Builtin, args starlark.Tuple, kwargs []starlark.Tuple) (starlark.Value, error) {
	if err := starlark.UnpackArgs(b.Name(), args, kwargs); err != nil {
		return nil, err
	}
	return named(b, engine.ScopeOf(thread).Now().UTC())
}

// real() is the true time in UTC, also in a resolver. A question must not
// contain it: it would be a new question in every round.
func realTime(thread *starlark.Thread, b *starlark.Builtin, args starlark.Tuple, kwargs []starlark.Tuple) (starlark.Value, error) {
	if err := starlark.UnpackArgs(b.Name(), args, kwargs); err != nil {
		return nil, err
	}
	return named(b, engine.ScopeOf(thread).Real().UTC())
}

// time(year, month=1, day=1, hour=0, minute=0, second=0, nanosecond=0,
// location="UTC") is the time with these fields. Years are 1 to 9999. Other
// fields may be past their range and carry over: day=0 is the last day of the
// month before.
func newTime(_ *starlark.Thread, b *starlark.Builtin, args starlark.Tuple, kwargs []starlark.Tuple) (starlark.Value, error) {
	var year, hour, minute, second, nanosecond field
	month, day := field(1), field(1)
	in := location{zone: time.UTC}
	if err := starlark.UnpackArgs(b.Name(), args, kwargs,
		"year", &year, "month?", &month, "day?", &day, "hour?", &hour, "minute?", &minute,
		"second?", &second, "nanosecond?", &nanosecond, "location?", &in,
	); err != nil {
		return nil, err
	}
	return named(b, time.Date(int(year), time.Month(month), int(day),
		int(hour), int(minute), int(second), int(nanosecond), in.zone))
}

// from_timestamp(sec, nsec=0) is the time that many seconds, and nanoseconds,
// after 1970 began, in UTC. sec reaches from -62135596800 to 253402300799.
func fromTimestamp(_ *starlark.Thread, b *starlark.Builtin, args starlark.Tuple, kwargs []starlark.Tuple) (starlark.Value, error) {
	var sec, nsec int64arg
	if err := starlark.UnpackArgs(b.Name(), args, kwargs, "sec", &sec, "nsec?", &nsec); err != nil {
		return nil, err
	}
	const first, last = -62135596800, 253402300799
	if sec < first || sec > last {
		return nil, fmt.Errorf("%s: sec is %d; want %d to %d (years 1 to 9999)", b.Name(), sec, first, last)
	}
	return named(b, time.Unix(int64(sec), int64(nsec)).UTC())
}

// parse_time(x, format="2006-01-02T15:04:05Z07:00", location="UTC") reads a time.
// format is a layout of Go's; location counts where x names no zone.
func parseTime(_ *starlark.Thread, b *starlark.Builtin, args starlark.Tuple, kwargs []starlark.Tuple) (starlark.Value, error) {
	var x string
	format, in := layout(time.RFC3339), location{zone: time.UTC}
	if err := starlark.UnpackArgs(b.Name(), args, kwargs, "x", &x, "format?", &format, "location?", &in); err != nil {
		return nil, err
	}
	t, err := time.ParseInLocation(string(format), x, in.zone)
	if err != nil {
		return nil, fmt.Errorf("%s: %.60q is no time of the form %q", b.Name(), x, string(format))
	}
	return named(b, t)
}

// parse_duration(d) reads a duration: "1h30m", "250ms".
func parseDuration(_ *starlark.Thread, b *starlark.Builtin, args starlark.Tuple, kwargs []starlark.Tuple) (starlark.Value, error) {
	var d startime.Duration
	var x starlark.Value
	if err := starlark.UnpackArgs(b.Name(), args, kwargs, "d", &x); err != nil {
		return nil, err
	}
	if err := d.Unpack(x); err != nil {
		return nil, fmt.Errorf(`%s: %s is no duration; write it like "1h30m" or "250ms"`, b.Name(), engine.Describe(x))
	}
	return d, nil
}

// is_valid_timezone(name) reports whether there is a time zone of that name.
func isValidTimezone(_ *starlark.Thread, b *starlark.Builtin, args starlark.Tuple, kwargs []starlark.Tuple) (starlark.Value, error) {
	var name string
	if err := starlark.UnpackArgs(b.Name(), args, kwargs, "name", &name); err != nil {
		return nil, err
	}
	_, err := zoneOf(name)
	return starlark.Bool(err == nil), nil
}

// named is t as a builtin returns it.
func named(b *starlark.Builtin, t time.Time) (starlark.Value, error) {
	v, err := Of(t)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", b.Name(), err)
	}
	return v, nil
}
