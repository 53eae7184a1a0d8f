// Package exactjson reads JSON into Starlark values and writes it back without
// losing anything: keys keep their order, integers of any size stay exact, and
// both directions have limits, so that neither a client's text nor a script's
// value can exhaust the process.
//
// encoding/json does neither (maps forget order, numbers become float64), which
// is why this exists. Start reading at [Decode] and [Append].
package exactjson
