package report_test

import (
	"fmt"
	"os"

	"github.com/mcpstar/mcpstar/engine"
	"github.com/mcpstar/mcpstar/starhost/load/report"
)

func ExampleRender() {
	const text = `tool(reserve_book)

def check_stock(titel):
    return 1

def reserve_book(title: str, stock: resolve(check_stock)):
    return stock
`
	problems := []*engine.Problem{{
		Code:    "unknown-parameter",
		Message: `resolver check_stock() wants "titel", which is not an argument of tool reserve_book`,
		At:      find("shop.star", text, "titel", 1, "no argument of that name"),
		Also:    []engine.Label{find("shop.star", text, "title", 1, "the tool's argument")},
		Help:    engine.DidYouMean("titel", []string{"title"}),
	}}
	if err := report.Render(os.Stdout, problems, report.Sources{"shop.star": text}, report.Options{}); err != nil {
		fmt.Println(err)
	}
	// Output:
	// error[unknown-parameter]: resolver check_stock() wants "titel", which is not an argument of tool reserve_book
	//  --> shop.star:3:17
	//   |
	// 3 | def check_stock(titel):
	//   |                 ^^^^^ no argument of that name
	// ...
	// 6 | def reserve_book(title: str, stock: resolve(check_stock)):
	//   |                  ----- the tool's argument
	//   |
	//   = help: did you mean title?
	//
	// 1 error
}
