package golden

import (
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// Each change of a server makes its transcript fail, on either revision, and the
// report names the place: the path in the message, and the resolver where its
// question has changed.
func TestEveryChangeOfAServerIsSeen(t *testing.T) {
	for name, c := range map[string]struct {
		old, new string
		modern   string // what the report says on 2026-07-28
		older    string // and on 2025-11-25; "" where it can't see the change
	}{
		"a wrong word in a question": {"Where shall", "Where should", "the question of shop:ask_address differs: params.message is", "of shop:ask_address differs: message is"},
		"a wrong word in a result":   {`title = title,`, `title = title + "!",`, "structuredContent.title", "structuredContent.title"},
		"a wrong word in an error":   {"we are closed", "we are close", "content[0].text is", ""},
		"a wrong description":        {"Buy a book.", "Buys a book.", "tools[0].description is", ""},
		"a wrong form description":   {"Add a tip?", "Add a tip", "of shop:ask_payment differs: params.requestedSchema.properties.tip.description", "of shop:ask_payment differs: requestedSchema.properties.tip.description"},
		"a form field dropped":       {"street = str, floor = field(int, ge = 0, default = 0)", "street = str", "of shop:ask_address differs: params.requestedSchema.properties.floor is gone", "of shop:ask_address differs: requestedSchema.properties.floor is gone"},
		"a result field dropped":     {"price = float, ", "", "structuredContent.price is gone", "structuredContent.price is gone"},
		"a form field more":          {`enum("card", "cash"),`, `enum("card", "cash"), note = field(str, default = ""),`, "properties.note is new", "properties.note is new"},
		"a result field more":        {"lines = list[str])", "lines = list[str], more = field(int, default = 1))", "structuredContent.more is new: 1", "structuredContent.more is new: 1"},
		"another order of fields":    {"serial = int, price = float", "price = float, serial = int", `structuredContent has another order: "price" where "serial" stood`, `structuredContent has another order`},
		"another order of questions": {"address: resolve(ask_address),\n        payment: resolve(ask_payment)", "payment: resolve(ask_payment),\n        address: resolve(ask_address)", "the order of the questions is shop:ask_payment, shop:ask_address", "of shop:ask_payment differs"},
		"a question less":            {"    return elicit(\"How do you pay?\", Payment)", "    return Payment(method = \"card\", tip = True)", "shop:ask_payment does not ask any more", "the question s2 (elicitation/create) does not come"},
		"a question more":            {"def ask_payment() -> Payment:", "def ask_more() -> Payment:\n    return elicit(\"Sure?\", Payment)\n\ndef ask_payment(more: resolve(ask_more)) -> Payment:", "shop:ask_more asks, and did not", "of shop:ask_more differs"},
		"another resolver's name":    {"ask_payment", "ask_money", "shop:ask_payment does not ask any more; shop:ask_money asks", ""},
		"a big integer rounded":      {"9007199254740993", "9007199254740992", "structuredContent.serial is 9007199254740992, not 9007199254740993", "structuredContent.serial is 9007199254740992, not 9007199254740993"},
		"an integer for a float":     {"12.5", "12.0", "structuredContent.price is 12.0, not 12.5", "structuredContent.price is 12.0"},
		"another limit":              {"ge = 0", "ge = 1", "", ""},
		"another choice":             {`enum("card", "cash")`, `enum("card", "coin")`, `properties.method.enum[1] is "coin", not "cash"`, `properties.method.enum[1] is "coin"`},
		"another order of choices":   {`enum("card", "cash")`, `enum("cash", "card")`, `properties.method.enum[0] is "cash"`, `properties.method.enum[0] is "cash"`},
		"an annotation dropped":      {`, annotations = {"destructiveHint": True}`, "", "tools[0].annotations is gone", ""},
		"a tool dropped":             {"tool(refuse)\n", "", "tools has 1 element, not 2", ""},
		"progress in another order":  {"ctx.progress(1, 2, \"packing\")\n    ctx.progress(2, 2, \"sent\")", "ctx.progress(2, 2, \"sent\")\n    ctx.progress(1, 2, \"packing\")", "another order", "another order"},
		"progress less":              {"    ctx.progress(2, 2, \"sent\")\n", "", "notifications/progress does not come", "notifications/progress does not come"},
	} {
		t.Run(name, func(t *testing.T) {
			folder := dir(t, filepath.Join("testdata", "mutations"))
			script := read(t, filepath.Join(folder, "shop.star"))
			require.Contains(t, script, c.old)
			changed := strings.ReplaceAll(script, c.old, c.new)
			if name == "a result field dropped" {
				changed = strings.Replace(changed, "        price = 12.5,\n", "", 1)
			}
			if name == "another limit" {
				changed = strings.Replace(changed, "default = 0)", "default = 2)", 1)
				c.modern = "params.requestedSchema.properties.floor"
				c.older = "requestedSchema.properties.floor"
			}
			write(t, folder, "shop.star", changed)
			for revision, says := range map[string]string{"2026-07-28": c.modern, "2025-11-25": c.older} {
				file := filepath.Join(folder, "shop.txtar")
				out := run(t, file, Options{Only: regexp.MustCompile(revision)})
				if says == "" {
					require.Equal(t, Passed, out.Status, out.Text)
					continue
				}
				require.Equal(t, Failed, out.Status)
				require.Contains(t, out.Text, says)
				require.Regexp(t, `shop\.txtar:\d+: `, out.Text)
				require.Contains(t, out.Text, "\n@@ -", "and shows the lines")
				require.NotZero(t, out.Line)
			}
		})
	}
}
