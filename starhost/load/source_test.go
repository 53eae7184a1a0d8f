package load_test

import (
	"encoding/binary"
	"io/fs"
	"testing"
	"testing/fstest"
	"unicode/utf16"

	"github.com/stretchr/testify/require"

	"github.com/mcpstar/mcpstar/starhost/load"
)

func inUTF16(order binary.AppendByteOrder, mark bool, text string) string {
	var out []byte
	units := utf16.Encode([]rune(text))
	if mark {
		units = append([]uint16{0xfeff}, units...)
	}
	for _, u := range units {
		out = order.AppendUint16(out, u)
	}
	return string(out)
}

const hello = "def hello() -> str:\n    return \"hello\"\n\ntool(hello)\n"

func TestFilesThatAreNoTextAreRefused(t *testing.T) {
	for name, c := range map[string]struct {
		bytes, want string
		line, col   int32
	}{
		"UTF-16, little endian":       {inUTF16(binary.LittleEndian, true, hello), "not-utf8: the file is UTF-16, not UTF-8 (save it as UTF-8)", 1, 1},
		"UTF-16, big endian":          {inUTF16(binary.BigEndian, true, hello), "not-utf8: the file is UTF-16, not UTF-8 (save it as UTF-8)", 1, 1},
		"UTF-16, without a mark":      {inUTF16(binary.LittleEndian, false, hello), "not-utf8: the file is UTF-16, not UTF-8 (save it as UTF-8)", 1, 1},
		"UTF-16, big, without a mark": {inUTF16(binary.BigEndian, false, hello), "not-utf8: the file is UTF-16, not UTF-8 (save it as UTF-8)", 1, 1},
		"a NUL":                       {"x = 1\ny = \"a\x00b\"\n", "nul-byte: the file has a NUL byte, so it is no text (save the script as UTF-8 text; a NUL in a string is written `\"\\x00\"`)", 2, 7},
		"a NUL at the end":            {hello + "\x00", "nul-byte: the file has a NUL byte, so it is no text (save the script as UTF-8 text; a NUL in a string is written `\"\\x00\"`)", 5, 1},
		"a program":                   {"\x7fELF\x02\x01\x01\x00\x00\x00", "nul-byte: the file has a NUL byte, so it is no text (save the script as UTF-8 text; a NUL in a string is written `\"\\x00\"`)", 1, 8},
		"Latin-1 in a comment":        {"x = 1\n# caf\xe9\n", "not-utf8: byte 0xe9 is not UTF-8 (save the file as UTF-8)", 2, 6},
		"Latin-1 behind UTF-8":        {"x = 'äöü\xe9'\n", "not-utf8: byte 0xe9 is not UTF-8 (save the file as UTF-8)", 1, 9},
		"half a letter":               {"x = '\xe6\x97'\n", "not-utf8: byte 0xe6 is not UTF-8 (save the file as UTF-8)", 1, 6},
		"behind lone CRs":             {"x = 1\ry = 2\r\n\xff", "not-utf8: byte 0xff is not UTF-8 (save the file as UTF-8)", 3, 1},
		"behind a byte order mark":    {"\xef\xbb\xbf\xff", "not-utf8: byte 0xff is not UTF-8 (save the file as UTF-8)", 1, 1},
	} {
		t.Run(name, func(t *testing.T) {
			problems := problemsOf(t, optionsFor(one(c.bytes)))
			require.Len(t, problems, 1)
			require.Equal(t, c.want+"\n", texts(problems))
			at := problems[0].At.Span.Start
			require.Equal(t, [2]int32{c.line, c.col}, [2]int32{at.Line, at.Col})
		})
	}
}

func TestOddFilesThatAreText(t *testing.T) {
	for name, text := range map[string]string{
		"a byte order mark": "\xef\xbb\xbf" + hello,
		"CRLF":              "def hello(n: int,\r\n        m: str) -> str:\r\n    \"\"\"Lines.\r\n\r\n    Args:\r\n        n: a number\r\n    \"\"\"\r\n    return \"hello\"\r\n\r\ntool(hello)\r\n",
		"lone CRs":          "def hello() -> str:\r    return \"hello\"\r\rtool(hello)\r",
		"no last newline":   hello + "# the end",
		"form feeds":        "# a\x0cb\n" + hello,
		"other alphabets":   "größe = 1\n" + hello + "日本 = größe\n",
	} {
		t.Run(name, func(t *testing.T) {
			snapshot, err := load.Load(t.Context(), optionsFor(one(text)))
			require.NoError(t, err)
			require.NotNil(t, snapshot.Tool("hello"))
		})
	}
}

// The places in a report are those that an editor shows, whatever the lines end with.
func TestPlacesDoNotDependOnLineEnds(t *testing.T) {
	for name, newline := range map[string]string{"LF": "\n", "CRLF": "\r\n", "CR": "\r"} {
		t.Run(name, func(t *testing.T) {
			text := "x = 1" + newline + "def f(a: int) -> str:" + newline + "    return b" + newline
			problems := problemsOf(t, optionsFor(one(text)))
			require.Len(t, problems, 1)
			require.Equal(t, "server.star:3:12", problems[0].At.Span.Start.String())
		})
	}
}

// Only regular files are opened: a pipe would be waited for.
func TestWhatIsNoRegularFileIsNotOpened(t *testing.T) {
	for name, mode := range map[string]fs.FileMode{"a pipe": fs.ModeNamedPipe, "a device": fs.ModeDevice, "a socket": fs.ModeSocket} {
		t.Run(name, func(t *testing.T) {
			files := fstest.MapFS{entry: {Data: []byte("load('odd.star', 'x')\n")}, "odd.star": {Data: []byte("x = 1\n"), Mode: mode}}
			require.Equal(t, "load: cannot read odd.star: not a regular file ()\n", texts(problemsOf(t, optionsFor(files))))
		})
	}
	files := fstest.MapFS{entry: {Data: []byte("load('lib.star', 'x')\n")}, "lib.star/a.star": {}}
	require.Equal(t, "load: cannot read lib.star: not a regular file ()\n", texts(problemsOf(t, optionsFor(files))))
}
