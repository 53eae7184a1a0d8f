package main

import (
	"context"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/mcpstar/mcpstar/engine/exactjson"
	"github.com/mcpstar/mcpstar/starhost/load"
	"github.com/mcpstar/mcpstar/starhost/wire"
)

func newList(s streams) *cobra.Command {
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "list PATH",
		Short: "List what a server offers",
		Args:  cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			return list(cmd.Context(), s, args[0], asJSON)
		},
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "print the tools as tools/list shows them")
	return cmd
}

func list(ctx context.Context, s streams, path string, asJSON bool) error {
	snapshot, err := loadOnly(ctx, path)
	if err != nil {
		return err
	}
	if asJSON {
		tools := make([]any, len(snapshot.Tools))
		for i, t := range snapshot.Tools {
			tools[i] = wire.ToolJSON(t)
		}
		text, err := exactjson.Append(nil, exactjson.Object{{Name: "tools", Value: tools}}, "  ", exactjson.Limits{})
		if err != nil {
			return err
		}
		fmt.Fprintf(s.out, "%s\n", text)
		return nil
	}
	for _, t := range snapshot.Tools {
		fmt.Fprintln(s.out, signature(t))
		if first, _, _ := strings.Cut(strings.TrimSpace(t.Description), "\n"); first != "" {
			fmt.Fprintf(s.out, "    %s\n", first)
		}
		if len(t.Scopes) > 0 {
			fmt.Fprintf(s.out, "    needs the scope %s\n", strings.Join(t.Scopes, " "))
		}
		for _, n := range t.Plan.Resolvers {
			fmt.Fprintf(s.out, "    resolved by %s\n", n.Key)
		}
	}
	return nil
}

// signature is a tool as the model sees it: order_book(title: str).
func signature(t *load.Tool) string {
	var params []string
	for _, p := range t.Parameters {
		text := p.Name + ": " + p.Field.Type.TypeName()
		if !p.Field.Required() {
			text += " = ..."
		}
		params = append(params, text)
	}
	returns := ""
	if t.Returns != nil {
		returns = " -> " + t.Returns.TypeName()
	}
	return fmt.Sprintf("%s(%s)%s", t.Name, strings.Join(params, ", "), returns)
}
