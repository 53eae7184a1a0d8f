package transcript

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"
)

// A Direction is who says a line.
type Direction byte

// Send is -->, Receive <--, Free <~~: a notification whose place inside its
// request is free.
const (
	Send Direction = iota + 1
	Receive
	Free
)

// An Entry is one message as it is written in a section.
type Entry struct {
	Direction Direction
	// ID is the request's id as it is written, s1, s2, ... for the server's
	// own requests, or "" for a notification.
	ID string
	// Method is "" for an answer.
	Method string
	// Params are those of a request or notification, the result of an answer or
	// the members of an error beside its code; nil when nothing is written.
	Params *Value
	// Error says that an answer is an error, of that code.
	Error bool
	Code  int64
	// HTTP is the status of an answer, 0 when none is written.
	HTTP int
	// Raw is a line that is sent as it is: --> raw TEXT.
	Raw string

	// Line is where it begins in the file, counted from 1. Lines are its text.
	Line  int
	Lines []string
	// Group numbers the {{ }} group it stands in; 0 is none.
	Group int
}

// Request reports whether the entry is a request (of either side).
func (e *Entry) Request() bool { return e.Method != "" && e.ID != "" }

// Notification reports whether the entry is one (of either side).
func (e *Entry) Notification() bool { return e.Method != "" && e.ID == "" }

// Answer reports whether the entry answers a request (of either side).
func (e *Entry) Answer() bool { return e.Method == "" && e.Raw == "" }

var serverLabel = regexp.MustCompile(`^s[1-9][0-9]*$`)

// ServerRequest reports whether an id names a request of the server's.
func ServerRequest(id string) bool { return serverLabel.MatchString(id) }

// WireID is an entry's id as JSON: a number as it is, a word as text.
func WireID(id string) string {
	if id == "null" {
		return id
	}
	if numberID.MatchString(id) {
		return id
	}
	return quote(id)
}

var (
	numberID = regexp.MustCompile(`^-?(0|[1-9][0-9]*)(\.[0-9]+)?$`)
	wordID   = regexp.MustCompile(`^[A-Za-z0-9_.:-]+$`)
	method   = regexp.MustCompile(`^[^\s{"\[]+$`)
)

// readEntry reads the entry that begins at lines[0]. It returns how many lines
// it has.
func readEntry(lines []string) (*Entry, int, error) {
	e := &Entry{}
	first := lines[0]
	switch {
	case strings.HasPrefix(first, "-->"):
		e.Direction = Send
	case strings.HasPrefix(first, "<--"):
		e.Direction = Receive
	case strings.HasPrefix(first, "<~~"):
		e.Direction = Free
	default:
		return nil, 1, fmt.Errorf("a line begins with -->, <--, <~~, {{, }} or #, not %q", clip(first))
	}
	rest := strings.Trim(first[3:], " \t\r")
	if raw, ok := strings.CutPrefix(rest, "raw "); ok {
		if e.Direction != Send {
			return nil, 1, fmt.Errorf("only the client sends raw lines: --> raw TEXT")
		}
		e.Raw = raw
		e.Lines = lines[:1]
		return e, 1, nil
	}
	rest, err := e.readHead(rest)
	if err != nil {
		return nil, 1, err
	}
	n := 1
	if strings.TrimSpace(rest) != "" {
		text := strings.Join(append([]string{rest}, lines[1:]...), "\n")
		v, length, err := parsePrefix([]byte(text))
		if err != nil {
			return nil, 1, fmt.Errorf("%w: %s", err, clip(strings.TrimSpace(rest)))
		}
		n = 1 + strings.Count(text[:length], "\n")
		if after, _, _ := strings.Cut(text[length:], "\n"); strings.TrimSpace(after) != "" {
			return nil, n, fmt.Errorf("text after the JSON: %s", clip(strings.TrimSpace(after)))
		}
		e.Params = v
	}
	e.Lines = lines[:n]
	if err := e.check(); err != nil {
		return nil, n, err
	}
	return e, n, nil
}

// word takes the first word off a text.
func word(text string) (first, rest string) {
	text = strings.TrimLeft(text, " \t")
	if i := strings.IndexAny(text, " \t"); i >= 0 {
		return text[:i], strings.TrimLeft(text[i:], " \t")
	}
	return text, ""
}

// readHead reads what stands before the JSON: id, method, status, error code.
func (e *Entry) readHead(text string) (rest string, err error) {
	first, rest := word(text)
	if first == "" {
		return "", fmt.Errorf("nothing is said: write an id and a method, or a notification")
	}
	if strings.Contains(first, "/") {
		e.Method = first
		return rest, nil
	}
	if !wordID.MatchString(first) {
		return "", fmt.Errorf("%q is neither an id nor a method", clip(first))
	}
	e.ID = first
	second, after := word(rest)
	if second == "HTTP" && e.Direction == Receive {
		status, more := word(after)
		if e.HTTP, err = strconv.Atoi(status); err != nil || e.HTTP < 100 || e.HTTP > 599 {
			return "", fmt.Errorf("HTTP wants a status: HTTP 400")
		}
		rest = more
		second, after = word(rest)
	}
	switch {
	case second == "error":
		code, more := word(after)
		if e.Code, err = strconv.ParseInt(code, 10, 64); err != nil {
			return "", fmt.Errorf("error wants a code: error -32602 {...}")
		}
		e.Error = true
		return more, nil
	case second != "" && method.MatchString(second) && second != "null" && second != "true" && second != "false" && !numberID.MatchString(second):
		e.Method = second
		return after, nil
	}
	return rest, nil
}

// check says what can't be meant.
func (e *Entry) check() error {
	fromServer := e.Direction != Send
	switch {
	case e.Direction == Free && !e.Notification():
		return fmt.Errorf("<~~ is for notifications; write <-- for an answer or a question")
	case fromServer && e.Request() && !ServerRequest(e.ID):
		return fmt.Errorf("requests of the server are named s1, s2, ...: <-- s1 %s", e.Method)
	case !fromServer && e.Request() && ServerRequest(e.ID):
		return fmt.Errorf("%s names a request of the server's; give this one another id", e.ID)
	case !fromServer && e.Answer() && !ServerRequest(e.ID):
		return fmt.Errorf("a request wants a method: --> %s tools/call {...}", e.ID)
	case fromServer && e.Answer() && ServerRequest(e.ID):
		return fmt.Errorf("%s is asked by the server, so the client answers it: --> %s {...}", e.ID, e.ID)
	case e.Answer() && e.Params == nil && e.HTTP == 0:
		return fmt.Errorf("an answer wants a result: {...}, or error CODE {...}")
	}
	return checkPlaceholders(e.Params)
}

// checkPlaceholders finds placeholders that can't be read.
func checkPlaceholders(v *Value) error {
	if v == nil {
		return nil
	}
	if v.Kind == String {
		_, _, err := parsePattern(v.Text)
		return err
	}
	for _, m := range v.Members {
		if err := checkPlaceholders(m.Value); err != nil {
			return err
		}
	}
	for _, e := range v.Elements {
		if err := checkPlaceholders(e); err != nil {
			return err
		}
	}
	return nil
}
