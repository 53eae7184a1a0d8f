package declare_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/mcpstar/mcpstar/builtins/declare"
)

// What Python 3.13 and later make of a docstring, to the letter.
func TestADocstringWithoutArgsIsThatOfPython(t *testing.T) {
	for name, c := range map[string]struct{ doc, want string }{
		"none":                         {"", ""},
		"one line":                     {"Order a book.", "Order a book."},
		"spaces around one line":       {"  Order a book.  ", "Order a book.  "},
		"the closing quotes below":     {"Order a book.\n    ", "Order a book.\n    "}, // no line has a margin to take away
		"two paragraphs":               {"Order a book.\n\n    It ships at once.\n    ", "Order a book.\n\nIt ships at once.\n"},
		"further indentation stays":    {"List:\n\n    - a\n      - b\n    - c", "List:\n\n- a\n  - b\n- c"},
		"the first line has no margin": {"Order\n    a\n      b", "Order\na\n  b"},
		"beginning on the second line": {"\n    Order a book.\n    ", "\nOrder a book.\n"},
		"without indentation":          {"Order\na book.\n", "Order\na book.\n"},
		"tabs are eight columns":       {"Order\n\ta book\n        now", "Order\na book\nnow"},
		"tabs within a line":           {"a\tb", "a       b"},
		"a line of spaces":             {"Order\n      \n    a book.", "Order\n  \na book."},
		"a shorter line of spaces":     {"Order\n  \n    a book.", "Order\n\na book."},
		"only spaces":                  {"   ", ""},
		"CRLF":                         {"Order\r\n    a book.\r\n", "Order\na book.\n"},
		"other alphabets":              {"Größe\n    日本\n", "Größe\n日本\n"},
		"a word that is no heading":    {"Order.\n\n    Args: are described nowhere.\n    ", "Order.\n\nArgs: are described nowhere.\n"},
		"an indented heading":          {"Order.\n\n    Like this:\n        Args:\n            x: 1\n    ", "Order.\n\nLike this:\n    Args:\n        x: 1\n"},
	} {
		t.Run(name, func(t *testing.T) {
			got := declare.ParseDoc(c.doc)
			require.Equal(t, c.want, got.Description)
			require.Empty(t, got.Params)
		})
	}
}

func TestTheArgsSectionMovesToTheParameters(t *testing.T) {
	type params = []declare.ParamDoc
	for name, c := range map[string]struct {
		doc, want string
		params    params
	}{
		"one": {"Order a book.\n\n    Args:\n        title: Which one.\n    ", "Order a book.", params{{"title", "Which one."}}},
		"several, in their order": {"Order.\n\n    Args:\n        b: The first.\n        a: The second.\n    ", "Order.",
			params{{"b", "The first."}, {"a", "The second."}}},
		"with types": {"Order.\n\n    Args:\n        title (str): Which one.\n        count (int, optional): How many.\n    ", "Order.",
			params{{"title", "Which one."}, {"count", "How many."}}},
		"with stars":              {"Order.\n\n    Args:\n        *titles: All.\n        **more: The rest.\n", "Order.", params{{"titles", "All."}, {"more", "The rest."}}},
		"over lines":              {"Order.\n\n    Args:\n        title: Which one\n            of them all.\n        n: How many.", "Order.", params{{"title", "Which one of them all."}, {"n", "How many."}}},
		"text on the next line":   {"Order.\n\n    Args:\n        title:\n            Which one.", "Order.", params{{"title", "Which one."}}},
		"a colon in a later line": {"Order.\n\n    Args:\n        title: Which one.\n            Note: of them all.", "Order.", params{{"title", "Which one. Note: of them all."}}},
		"a paragraph":             {"Order.\n\n    Args:\n        title: Which one.\n\n            It is exact.\n\n        n: How many.", "Order.", params{{"title", "Which one.\n\nIt is exact."}, {"n", "How many."}}},
		"a URL is no entry":       {"Order.\n\n    Args:\n        title: See\n        https://example.com", "Order.", params{{"title", "See https://example.com"}}},
		"a time is no entry":      {"Order.\n\n    Args:\n        title: From\n        10:30 on", "Order.", params{{"title", "From 10:30 on"}}},
		"another section behind":  {"Order.\n\n    Args:\n        title: Which one.\n\n    Returns:\n        A receipt.\n    ", "Order.\n\nReturns:\n    A receipt.", params{{"title", "Which one."}}},
		"text behind":             {"Order.\n\n    Args:\n        title: Which one.\n    More words.", "Order.\n\nMore words.", params{{"title", "Which one."}}},
		"nothing before":          {"\n    Args:\n        title: Which one.\n    ", "", params{{"title", "Which one."}}},
		"on the first line":       {"Args:\n        title: Which one.\n        n: How\n            many.\n    ", "", params{{"title", "Which one."}, {"n", "How many."}}},
		"on the first line, and a section": {"Args:\n        title: Which one.\n    Returns:\n        A receipt.\n", "Returns:\n    A receipt.",
			params{{"title", "Which one."}}},
		"empty":                   {"Order.\n\n    Args:\n    ", "Order.", nil},
		"words that are no entry": {"Order.\n\n    Args:\n        Nothing to tell.\n    ", "Order.", nil},
		"other headings":          {"Order.\n\n    Parameters:\n        title: Which one.\n", "Order.", params{{"title", "Which one."}}},
		"tabs":                    {"Order.\n\n\tArgs:\n\t\ttitle: Which one.\n\t", "Order.", params{{"title", "Which one."}}},
		"CRLF":                    {"Order.\r\n\r\n    Args:\r\n        title: Which one.\r\n    ", "Order.", params{{"title", "Which one."}}},
		"other alphabets":         {"Bestellen.\n\n    Args:\n        größe: Wie groß.\n    ", "Bestellen.", params{{"größe", "Wie groß."}}},
		"twice":                   {"Order.\n\n    Args:\n        a: One.\n\n    Args:\n        b: Two.\n", "Order.\n\nArgs:\n    b: Two.", params{{"a", "One."}}},
	} {
		t.Run(name, func(t *testing.T) {
			got := declare.ParseDoc(c.doc)
			require.Equal(t, c.want, got.Description)
			require.Equal(t, c.params, got.Params)
		})
	}
}

func TestTheDescriptionOfOneParameter(t *testing.T) {
	doc := declare.ParseDoc("Order.\n\n    Args:\n        title: Which one.\n")
	require.Equal(t, "Which one.", doc.Param("title"))
	require.Equal(t, "", doc.Param("count"))
}
