package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"github.com/mcpstar/mcpstar/engine"
	"github.com/mcpstar/mcpstar/starhost"
	"github.com/mcpstar/mcpstar/starhost/load"
	"github.com/mcpstar/mcpstar/starhost/load/report"
)

func newCheck(s streams) *cobra.Command {
	var asJSON bool
	var limits loadFlags
	cmd := &cobra.Command{
		Use:   "check PATH",
		Short: "Load a server and report every problem, without running it",
		Args:  cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			return check(cmd.Context(), s, args[0], limits.limits(), asJSON)
		},
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "print the problems as JSON")
	limits.add(cmd)
	return cmd
}

func check(ctx context.Context, s streams, path string, limits engine.Limits, asJSON bool) error {
	snapshot, err := loadOnly(ctx, path, limits)
	var bad *report.Error
	if err != nil && !errors.As(err, &bad) {
		return err
	}
	var problems []*engine.Problem
	var sources report.Sources
	if bad != nil {
		problems, sources = bad.Problems, bad.Sources
	} else {
		problems, sources = snapshot.Warnings, snapshot.Sources
	}
	if asJSON {
		text, err := report.JSON(problems)
		if err != nil {
			return err
		}
		fmt.Fprintf(s.out, "%s\n", text)
	} else if len(problems) > 0 {
		if err := report.Render(s.err, problems, sources, report.Options{Color: s.color}); err != nil {
			return err
		}
	}
	if bad != nil {
		return exit(exitUsage)
	}
	if !asJSON {
		fmt.Fprintf(s.out, "%s: %s\n", path, counted(snapshot))
	}
	return nil
}

func counted(s *load.Snapshot) string {
	text := number(len(s.Tools), "tool")
	for _, more := range []string{
		number(len(s.Prompts), "prompt"), number(len(s.Resources), "resource"), number(len(s.Templates), "template"),
	} {
		if !strings.HasPrefix(more, "0 ") {
			text += ", " + more
		}
	}
	return fmt.Sprintf("ok, %s in %s", text, number(len(s.Files), "file"))
}

func number(n int, word string) string {
	if n == 1 {
		return "1 " + word
	}
	return fmt.Sprintf("%d %ss", n, word)
}

// loadOnly loads a server without starting its lifespan.
func loadOnly(ctx context.Context, path string, limits engine.Limits) (*load.Snapshot, error) {
	place, err := starhost.Locate(path)
	if err != nil {
		return nil, err
	}
	root, err := os.OpenRoot(place.Root)
	if err != nil {
		return nil, err
	}
	defer root.Close()
	snapshot, err := load.Load(ctx, load.Options{
		Root: root.FS(), Entry: place.Entry, Folder: filepath.Base(place.Folder), Version: version, Limits: limits,
	})
	return snapshot, named(path, err)
}

// loadDir is a host of the server at a path.
func loadDir(ctx context.Context, path string, options starhost.Options) (*starhost.Host, error) {
	host, err := starhost.LoadDir(ctx, path, options)
	return host, named(path, err)
}

// named adds a path, as it was given, to an error that does not say which it means.
func named(path string, err error) error {
	if errors.Is(err, load.ErrNoFile) {
		return fmt.Errorf("%s: %w", path, err)
	}
	return err
}
