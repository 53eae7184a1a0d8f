package main

import (
	"fmt"

	"github.com/spf13/cobra"
)

func newRoot(s streams) *cobra.Command {
	root := &cobra.Command{
		Use:   "mcpstar",
		Short: "MCP servers written in Starlark",
		Long: `mcpstar serves MCP servers that are written in Starlark.

A server is a .star file, or a folder of them: its server.star, or else every
.star file at its top except tests (*_test.star) and files that others load
(_*.star).`,
		SilenceUsage:      true,
		SilenceErrors:     true,
		CompletionOptions: cobra.CompletionOptions{HiddenDefaultCmd: true},
	}
	root.AddCommand(newServe(s), newWorker(s), newCheck(s), newCall(s), newList(s), newTest(s), newRecord(s), newVersion(s))
	return root
}

func newVersion(s streams) *cobra.Command {
	return &cobra.Command{
		Use:   "version",
		Short: "Print the version and the protocol revisions",
		Args:  cobra.NoArgs,
		RunE: func(*cobra.Command, []string) error {
			fmt.Fprintf(s.out, "mcpstar %s (MCP 2025-11-25 and 2026-07-28)\n", version)
			return nil
		},
	}
}
