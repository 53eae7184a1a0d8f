package annotate

import (
	"errors"
	"fmt"
	"strings"

	"go.starlark.net/syntax"

	"github.com/mcpstar/mcpstar/engine"
	"github.com/mcpstar/mcpstar/starhost/load/tokens"
)

// Weave parses the annotations and adds to the tree, after every def that has
// some, a statement that hands them to [Builtin]. The file must come from the
// text that [Rewrite] gave together with the annotations, and must not have been
// resolved yet; of a file that was cut down before it was parsed, the defs that
// are left get their annotations. What is added has the annotation's own place,
// so errors of resolving or running it point there.
//
// An annotation that is no expression is reported and left out.
func Weave(file *syntax.File, annotations []Annotation, opts *syntax.FileOptions) (Places, []*engine.Problem) {
	w := &weaver{
		filename: &file.Path,
		byDef:    map[Key][]typed{},
		places:   Places{},
	}
	for _, a := range annotations {
		expr, problem := a.parse(file.Path, opts)
		if problem != nil {
			w.problems = append(w.problems, problem)
			continue
		}
		def := KeyOf(a.Def, "")
		w.byDef[def] = append(w.byDef[def], typed{a, expr})
		w.places[a.Key()] = Place{Span: a.Span, Expr: expr}
	}
	w.reserve(file)
	file.Stmts = w.stmts(file.Stmts)
	return w.places, w.problems
}

type weaver struct {
	filename *string
	byDef    map[Key][]typed // the key of the result stands for the def
	places   Places
	problems []*engine.Problem
}

// typed is an annotation and its parsed type.
type typed struct {
	Annotation
	expr syntax.Expr
}

// reserve refuses the name that the added statements look up: a script that
// bound it would take their place.
func (w *weaver) reserve(file *syntax.File) {
	syntax.Walk(file, func(n syntax.Node) bool {
		if id, ok := n.(*syntax.Ident); ok && id.Name == Builtin {
			w.problems = append(w.problems, &engine.Problem{
				Code:    "reserved-name",
				Message: "`" + Builtin + "` is mcpstar's own",
				At:      engine.Label{Span: engine.SpanOf(id)},
				Help:    "use another name",
			})
		}
		return true
	})
}

// stmts weaves a block and the blocks in it. The parser bounds how deep those
// nest, but not how long a chain of elif is, which is nested too.
func (w *weaver) stmts(block []syntax.Stmt) []syntax.Stmt {
	out := block[:0:0]
	for _, stmt := range block {
		out = append(out, stmt)
		switch stmt := stmt.(type) {
		case *syntax.DefStmt:
			stmt.Body = w.stmts(stmt.Body)
			if types := w.byDef[KeyOf(stmt.Def, "")]; len(types) > 0 {
				out = append(out, w.call(stmt, types))
			}
		case *syntax.ForStmt:
			stmt.Body = w.stmts(stmt.Body)
		case *syntax.WhileStmt:
			stmt.Body = w.stmts(stmt.Body)
		case *syntax.IfStmt:
			w.branches(stmt)
		}
	}
	return out
}

func (w *weaver) branches(stmt *syntax.IfStmt) {
	for {
		stmt.True = w.stmts(stmt.True)
		elif, ok := elifOf(stmt)
		if !ok {
			stmt.False = w.stmts(stmt.False)
			return
		}
		stmt = elif
	}
}

// elifOf is the next link of a chain of elif.
func elifOf(stmt *syntax.IfStmt) (*syntax.IfStmt, bool) {
	if len(stmt.False) != 1 {
		return nil, false
	}
	elif, ok := stmt.False[0].(*syntax.IfStmt)
	return elif, ok
}

// positional is how many positional arguments the compiler allows in a call.
const positional = 255

// call is __annotate__(f, "a", lambda: A, ...) for a def.
func (w *weaver) call(def *syntax.DefStmt, types []typed) syntax.Stmt {
	var args []syntax.Expr
	for _, t := range types {
		name := t.Param
		if name == "" {
			name = Return
		}
		start := t.at(t.Span.Start, w.filename)
		args = append(args,
			&syntax.Literal{Token: syntax.STRING, TokenPos: start, Raw: `"` + name + `"`, Value: name},
			&syntax.LambdaExpr{Lambda: start, Body: t.expr})
	}
	if len(args) >= positional {
		args = []syntax.Expr{&syntax.UnaryExpr{OpPos: def.Def, Op: syntax.STAR, X: &syntax.TupleExpr{Lparen: def.Def, List: args, Rparen: def.Def}}}
	}
	end := syntax.End(def)
	end.Col = max(1, end.Col-1) // the call ends where the def does, so that blocks keep their spans
	f := &syntax.Ident{NamePos: def.Name.NamePos, Name: def.Name.Name}
	return &syntax.ExprStmt{X: &syntax.CallExpr{
		Fn:     &syntax.Ident{NamePos: def.Def, Name: Builtin},
		Lparen: def.Name.NamePos,
		Args:   append([]syntax.Expr{f}, args...),
		Rparen: end,
	}}
}

// at is the position with the file's own name, which the compiler takes all
// positions of a file to share.
func (a Annotation) at(p syntax.Position, filename *string) syntax.Position {
	return syntax.MakePosition(filename, p.Line, p.Col)
}

// parse reads the annotation's type.
func (a Annotation) parse(filename string, opts *syntax.FileOptions) (syntax.Expr, *engine.Problem) {
	expr, err := opts.ParseExpr(filename, a.portion(), 0)
	if err != nil {
		return nil, a.malformed(err)
	}
	paren, ok := expr.(*syntax.ParenExpr)
	if !ok {
		return nil, a.problem("bad-annotation", a.subject()+" is not a type", a.Span, "write one type, such as `str` or `list[str]`")
	}
	if tuple, ok := paren.X.(*syntax.TupleExpr); ok && !tuple.Lparen.IsValid() {
		return nil, a.problem("bad-annotation", a.subject()+" is more than one type", a.Span,
			"write one: `list[str]`, or a model with a field for each: `model(a = str, b = int)`")
	}
	return paren.X, nil
}

// malformed puts the parser's complaint about the type into a problem. Where the
// parser tells what it wanted, that is about the brackets which were put around
// the type, so only the token it stopped at is told.
func (a Annotation) malformed(err error) *engine.Problem {
	const help = "write one type, such as `str`, `list[str]` or `str | None`"
	var bad syntax.Error
	if !errors.As(err, &bad) {
		return a.problem("bad-annotation", a.subject()+" is not a type: "+err.Error(), a.Span, help)
	}
	token, span := a.tokenAt(bad.Pos, strings.HasPrefix(bad.Msg, "got ") && !strings.HasSuffix(bad.Msg, "want primary expression"))
	switch {
	case !strings.HasPrefix(bad.Msg, "got "):
		return a.problem("bad-annotation", a.subject()+" is not a type: "+bad.Msg, span, help)
	case token == "":
		return a.problem("bad-annotation", a.subject()+" ends too early", span, help)
	}
	return a.problem("bad-annotation", fmt.Sprintf("%s is not a type: unexpected `%s`", a.subject(), token), span, help)
}

// tokenAt is the token of the type that the parser complains about at pos:
// mostly that which begins there, but where it wanted another one, behind says
// that pos is the place behind it. The text is "" at the end of the type, where
// the parser met the bracket that was put there.
func (a Annotation) tokenAt(pos syntax.Position, behind bool) (text string, at engine.Span) {
	scan := tokens.New("(" + a.inner)
	for t := scan.Next(); t.Kind != tokens.EOF; t = scan.Next() {
		span := engine.Span{Start: a.place(pos, t.Line, t.Col), End: a.place(pos, t.EndLine, t.EndCol)}
		if t.Kind != tokens.Newline && (!behind && span.Start == pos || behind && span.End == pos) {
			return t.Text, span
		}
	}
	if behind {
		pos = a.Span.End
	}
	return "", engine.Span{Start: pos, End: pos}
}

// place is where a line and column of the annotation's portion are in the file, with the
// file name of pos.
func (a Annotation) place(pos syntax.Position, line, col int32) syntax.Position {
	if line == 1 {
		col += a.col - 1
	}
	pos.Line, pos.Col = line+a.line-1, col
	return pos
}

func (a Annotation) problem(code, message string, at engine.Span, help string) *engine.Problem {
	return &engine.Problem{Code: code, Message: message, At: engine.Label{Span: at}, Help: help}
}

// subject names the annotation in a message.
func (a Annotation) subject() string {
	if a.Param == "" {
		return "what stands behind the arrow of `" + a.Func + "`"
	}
	return "the annotation of `" + a.Param + "`"
}
