// Package clock holds the words for time and chance: time, random and uuid().
//
// A resolver runs again in every round of its call, and must ask the same
// question each time. So these words never read the process's clock or generator
// themselves: they take both from the scope they run in ([engine.ScopeOf]),
// which stands still in a resolver. Only time.real() reads the true clock.
//
// It touches the clock and the system's time zones, nothing else. Start reading
// at [Words], then [Time].
package clock
