package main

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/mcpstar/mcpstar/builtins/types"
	"github.com/mcpstar/mcpstar/engine"
	"github.com/mcpstar/mcpstar/engine/exactjson"
	"github.com/mcpstar/mcpstar/engine/graph"
	"github.com/mcpstar/mcpstar/starhost/calls"
	"github.com/mcpstar/mcpstar/starhost/load"
)

func newList(s streams) *cobra.Command {
	var asJSON bool
	var limits loadFlags
	cmd := &cobra.Command{
		Use:   "list PATH",
		Short: "List what a server offers",
		Args:  cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			return list(cmd.Context(), s, args[0], limits.limits(), asJSON)
		},
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "print it as the list methods show it")
	return cmd
}

func list(ctx context.Context, s streams, path string, limits engine.Limits, asJSON bool) error {
	snapshot, err := loadOnly(ctx, path, limits)
	if err != nil {
		return err
	}
	if asJSON {
		text, err := exactjson.Append(nil, listed(snapshot), "  ", exactjson.Limits{})
		if err != nil {
			return err
		}
		fmt.Fprintf(s.out, "%s\n", text)
		return nil
	}
	for _, t := range snapshot.Tools {
		show(s, signature(t.Name, t.Parameters, t.Returns), t.Enabled, t.Description, t.Plan)
		if len(t.Scopes) > 0 {
			fmt.Fprintf(s.out, "    needs the scope %s\n", strings.Join(t.Scopes, " "))
		}
	}
	for _, p := range snapshot.Prompts {
		show(s, "prompt "+signature(p.Name, p.Parameters, nil), p.Enabled, p.Description, p.Plan)
	}
	for _, r := range slices.Concat(snapshot.Resources, snapshot.Templates) {
		kind := "resource "
		if r.Template != nil {
			kind = "template "
		}
		show(s, kind+r.URI, r.Enabled, r.Description, r.Plan)
	}
	return nil
}

// show prints one thing that a server offers.
func show(s streams, head string, enabled bool, description string, plan *graph.Plan) {
	if !enabled {
		head += " (off at first)"
	}
	fmt.Fprintln(s.out, head)
	if first, _, _ := strings.Cut(strings.TrimSpace(description), "\n"); first != "" {
		fmt.Fprintf(s.out, "    %s\n", first)
	}
	if plan == nil {
		return
	}
	for _, n := range plan.Resolvers {
		fmt.Fprintf(s.out, "    resolved by %s\n", n.Key)
	}
}

// listed is what the list methods show.
func listed(s *load.Snapshot) exactjson.Object {
	var tools, prompts, resources, templates []any
	for _, t := range s.Tools {
		tools = append(tools, calls.ToolJSON(t))
	}
	for _, p := range s.Prompts {
		prompts = append(prompts, calls.PromptJSON(p))
	}
	for _, r := range s.Resources {
		resources = append(resources, calls.ResourceJSON(r))
	}
	for _, r := range s.Templates {
		templates = append(templates, calls.ResourceJSON(r))
	}
	o := exactjson.Object{{Name: "tools", Value: append([]any{}, tools...)}}
	for _, more := range []exactjson.Member{
		{Name: "prompts", Value: prompts}, {Name: "resources", Value: resources}, {Name: "resourceTemplates", Value: templates},
	} {
		if list, ok := more.Value.([]any); ok && len(list) > 0 {
			o = append(o, more)
		}
	}
	return o
}

// signature is a tool as the model sees it, order_book(title: str), or a prompt as
// its clients do.
func signature(name string, parameters types.Parameters, returns engine.Type) string {
	var params []string
	for _, p := range parameters {
		text := p.Name + ": " + p.Field.Type.TypeName()
		switch {
		case p.Field.Default != nil:
			text += " = " + brief(p.Field.Default.String())
		case !p.Field.Required():
			text += " = ..." // made anew for each call
		}
		params = append(params, text)
	}
	result := ""
	if returns != nil {
		result = " -> " + returns.TypeName()
	}
	return fmt.Sprintf("%s(%s)%s", name, strings.Join(params, ", "), result)
}

// brief is a text that does not take over its line.
func brief(text string) string {
	const longest = 40
	if runes := []rune(text); len(runes) > longest {
		return string(runes[:longest-1]) + "…"
	}
	return text
}
