package main

import (
	"testing"

	"github.com/stretchr/testify/require"
)

const addresses = `
Address = model(
    street = field(str, min_length = 3, title = "Where to"),
    zip = field(str, pattern = "^[0-9]{5}$"),
    express = bool,
    size = enum(s = "Small one", l = "Large one"),
    toppings = list[enum("ham", "olives")],
    n = field(int, ge = 1, le = 9, default = 2),
    mail = field(str, format = "email"),
    price = field(float, gt = 0, default = 1.5),
)

def ask() -> Address:
    return elicit("Where to?", Address)

def ask_size() -> Address:
    return elicit("Which size?", Address)

def send(address: resolve(ask)) -> str:
    return str(address)

tool(send)
`

// A line that the form does not take is asked for again, at once and with the
// reason, and the call is not lost.
func TestFieldsAreCheckedAtTheTerminal(t *testing.T) {
	fits := []string{"a\n", "abc\n", "12345\n", "y\n", "s\n", "ham\n", "\n", "me@x.org\n", "\n"}
	taken := `Address(street = "abc", zip = "12345", express = True, size = "s", toppings = ["ham"], n = 2, mail = "me@x.org", price = 1.5)` + "\n"
	for name, c := range map[string]struct {
		at   int // the line before which it is typed
		line string
		says string
	}{
		"a wrong word":             {0, "what\n", "type a, d or c"},
		"a short text":             {1, "ab\n", "at least 3 characters"},
		"no match":                 {2, "1234\n", "^[0-9]{5}$"},
		"no bool":                  {3, "perhaps\n", "not yes or no"},
		"no choice":                {4, "xl\n", "none of them: s (Small one), l (Large one)"},
		"a part that is no choice": {5, "ham, eggs\n", `"eggs" is none of them: ham, olives`},
		"a fraction":               {6, "1.5\n", "not a whole number"},
		"true as a number":         {6, "true\n", "not a whole number"},
		"a list as a number":       {6, "[1]\n", "not a whole number"},
		"too much":                 {6, "10\n", "at most 9"},
		"no address":               {7, "me\n", "an email address"},
		"zero":                     {8, "0\n", "more than 0"},
		"text as a number":         {8, "\"1\"\n", "not a number"},
	} {
		t.Run(name, func(t *testing.T) {
			typed := append(append(append([]string{}, fits[:c.at]...), c.line), fits[c.at:]...)
			got := mcpstar(t, typed, "call", script(t, addresses), "send")
			require.Equal(t, 0, got.status, got.err)
			require.Equal(t, taken, got.out)
			require.Contains(t, got.err, c.says)
		})
	}

	got := mcpstar(t, []string{"a\n", "abc\n", "12345\n", "n\n", "large one\n", "olives, HAM\n", "3\n", "me@x.org\n", "2\n"}, "call", script(t, addresses), "send")
	require.Contains(t, got.out, `size = "l", toppings = ["olives", "ham"], n = 3`)
	require.Contains(t, got.err, "street (Where to) [at least 3 characters]: ")
	require.Contains(t, got.err, "toppings [ham, olives; separated by commas]: ")
	require.Contains(t, got.err, "n [at least 1; at most 9] = 2: ")
}

func TestAnswersThatMissAreTold(t *testing.T) {
	path := script(t, addresses)
	for name, c := range map[string]struct {
		args   []string
		status int
		says   string
	}{
		"a field":     {[]string{`--answer=ask={"street": "abc", "zip": "1", "express": true, "size": "s", "toppings": [], "mail": "a@b.org"}`}, 1, "--answer shop:ask does not fit the form: zip: expected text that matches"},
		"a key":       {[]string{"--answer=ask=decline", "--answer=aks=decline"}, 1, "--answer aks: no question of that key was asked; did you mean ask?"},
		"another key": {[]string{"--answer=ask=decline", "--answer=weather=decline"}, 1, "--answer weather: no question of that key was asked\n"},
		"a key twice": {[]string{"--answer=ask=decline", "--answer=ask=cancel"}, 2, "--answer ask is given twice"},
	} {
		t.Run(name, func(t *testing.T) {
			got := mcpstar(t, nil, append([]string{"call", path, "send"}, c.args...)...)
			require.Equal(t, c.status, got.status, got.err)
			require.Contains(t, got.err, c.says)
		})
	}
	// A resolver that has nothing to ask this time is no mistake.
	got := mcpstar(t, nil, "call", example("backorder.star"), "order_book", "title=Dune", `--answer=confirm_backorder={"confirm": true}`)
	require.Equal(t, 0, got.status)
	require.Empty(t, got.err)
}
