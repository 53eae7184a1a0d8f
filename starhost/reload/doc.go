// Package reload finds out when the files of a server have changed.
//
// A [Fingerprint] is what was read at a load: content decides whether there is
// something new, not times and not events, so a touch is nothing and two files
// saved together are one change. A [Watcher] only says when to look: it watches
// folders, because editors replace files rather than writing them, and waits
// until things are quiet.
//
// It loads and serves nothing; starhost does, and says what came of it as a [Change]. Start reading at [Watcher.Run].
package reload
