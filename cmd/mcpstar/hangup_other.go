//go:build !unix

package main

import "os"

// hangup are the signals that reload: there are none here. Signals that nobody
// sends are listened to in their place.
var hangup = []os.Signal{os.Kill}
