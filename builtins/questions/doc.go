// Package questions holds the words by which a resolver asks: elicit and
// elicit_url ask the person, sample asks the client's model, list_roots asks the
// client. Each makes an [engine.Question]; nothing here sends one.
//
// A question renders the params of its request for every protocol revision,
// names the client capability it needs and reads an answer. What it accepts and
// what it refuses is decided in one place for all revisions, so that a script
// can't tell them apart.
//
// The room knows Starlark and JSON. What a form looks like is the business of
// whoever implements [Form]; carrying questions and answers is the host's.
//
// Start reading at [Words], then question.go for what all questions share, then
// answer.go for how an answer is told from a question of another kind, and
// shape.go for how wire JSON is checked in both directions.
package questions
