package report

// A style is how a piece of the report looks on a terminal.
type style string

const (
	plain  style = ""
	strong style = "1"
	red    style = "1;31"
	yellow style = "1;33"
	blue   style = "1;34"
)

// A palette paints, or does not.
type palette bool

// paint gives text that looks like s. The text must be visible already.
func (p palette) paint(s style, text string) string {
	if !p || s == plain || text == "" {
		return text
	}
	return "\x1b[" + string(s) + "m" + text + "\x1b[0m"
}
