// Package report shows an author the problems of a load: what is wrong, where,
// the line with a caret under it, and what to write instead.
//
//	error[unknown-parameter]: resolver check_stock() wants "titel", which is not an argument of tool reserve_book
//	 --> shop.star:3:17
//	  |
//	3 | def check_stock(titel):
//	  |                 ^^^^^ no argument of that name
//	...
//	6 | def reserve_book(title: str, stock: resolve(check_stock)):
//	  |                  ----- the tool's argument
//	  |
//	  = help: did you mean title?
//
//	1 error
//
// It gets problems and source texts and gives text and JSON. It opens no files, so
// it shows lines only of what it was handed, and nothing that it shows can
// move a terminal's cursor or hide: all text goes through cells.go.
//
// Start reading at [Render]. excerpt.go picks the lines, marks.go draws under them,
// cells.go knows what stands in which column.
package report
