package frame

import (
	"bufio"
	"bytes"
	"errors"
	"io"
)

// errLong is the error for a line over the cap. What has been read of it comes along.
var errLong = errors.New("line too long")

// A lineReader cuts a stream into lines and never holds more than max bytes of one.
type lineReader struct {
	r    *bufio.Reader
	max  int
	long []byte // collects a line that doesn't fit into r's buffer
}

func newLineReader(r io.Reader, max int) *lineReader {
	return &lineReader{r: bufio.NewReaderSize(r, 64<<10), max: max}
}

// next is the next line without its end, valid until the next call. Blank lines are
// passed over. At the end of the stream a last line that lacks its end still counts.
func (l *lineReader) next() ([]byte, error) {
	for {
		line, err := l.read()
		if errors.Is(err, errLong) {
			return line, err
		}
		if line = bytes.TrimSpace(bytes.TrimPrefix(line, byteOrderMark)); len(line) > 0 {
			return line, nil
		}
		if err != nil {
			return nil, err
		}
	}
}

// read reads up to a line break, and of a line over the cap keeps only the beginning.
func (l *lineReader) read() ([]byte, error) {
	line, err := l.r.ReadSlice('\n')
	length := len(line)
	if errors.Is(err, bufio.ErrBufferFull) {
		line, length, err = l.collect(line)
	}
	content := bytes.TrimRight(line, "\r\n")
	if length > len(line) || len(content) > l.max {
		return content[:min(len(content), l.max)], errLong
	}
	return line, err
}

// collect reads on after a first part that filled the buffer. length counts what it
// has read, line keeps of it what a line with its break may have.
func (l *lineReader) collect(part []byte) (line []byte, length int, err error) {
	if cap(l.long) > 1<<20 {
		l.long = nil // one long line should not cost its memory for ever
	}
	l.long = l.long[:0]
	for {
		length += len(part)
		room := l.max + len("\r\n") - len(l.long)
		l.long = append(l.long, part[:min(max(room, 0), len(part))]...)
		if err != nil && !errors.Is(err, bufio.ErrBufferFull) || length > 0 && bytes.HasSuffix(part, []byte("\n")) {
			return l.long, length, err
		}
		part, err = l.r.ReadSlice('\n')
	}
}
