// Package dialect holds what people who know Python reach for and Starlark
// lacks, with Python's meaning: sum, round, pow, divmod, format, print with end,
// attempt in the place of try, fail and protocol_error in the place of raise,
// text by characters, and the modules json and math.
//
// Every word is one step of the interpreter, whatever it does, so each bounds
// its own work (see limits.go) and says so in its error.
//
// It touches nothing but the standard error stream, and that only on a thread
// that has no Print. Start reading at [Words].
package dialect
