package clock

import (
	startime "go.starlark.net/lib/time"
	"go.starlark.net/starlark"
	"go.starlark.net/starlarkstruct"
)

// Words are the names this package gives to scripts: the modules time (the
// members of go.starlark.net/lib/time, and real) and random, and uuid.
func Words() starlark.StringDict {
	return starlark.StringDict{
		"time": module("time", starlark.StringDict{
			"now":               starlark.NewBuiltin("time.now", now),
			"real":              starlark.NewBuiltin("time.real", realTime),
			"time":              starlark.NewBuiltin("time.time", newTime),
			"from_timestamp":    starlark.NewBuiltin("time.from_timestamp", fromTimestamp),
			"parse_time":        starlark.NewBuiltin("time.parse_time", parseTime),
			"parse_duration":    starlark.NewBuiltin("time.parse_duration", parseDuration),
			"is_valid_timezone": starlark.NewBuiltin("time.is_valid_timezone", isValidTimezone),
			"nanosecond":        startime.Module.Members["nanosecond"],
			"microsecond":       startime.Module.Members["microsecond"],
			"millisecond":       startime.Module.Members["millisecond"],
			"second":            startime.Module.Members["second"],
			"minute":            startime.Module.Members["minute"],
			"hour":              startime.Module.Members["hour"],
		}),
		"random": module("random", starlark.StringDict{
			"int":     starlark.NewBuiltin("random.int", randomInt),
			"float":   starlark.NewBuiltin("random.float", randomFloat),
			"choice":  starlark.NewBuiltin("random.choice", choice),
			"shuffle": starlark.NewBuiltin("random.shuffle", shuffle),
		}),
		"uuid": starlark.NewBuiltin("uuid", uuid),
	}
}

func module(name string, members starlark.StringDict) *starlarkstruct.Module {
	return &starlarkstruct.Module{Name: name, Members: members}
}
