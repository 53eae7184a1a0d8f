package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/mcpstar/mcpstar/engine"
	"github.com/mcpstar/mcpstar/engine/exactjson"
	"github.com/mcpstar/mcpstar/starhost"
	"github.com/mcpstar/mcpstar/starhost/load"
	"github.com/mcpstar/mcpstar/starhost/testing"
)

// callFlags are the flags of mcpstar call.
type callFlags struct {
	args    string
	answers []string
	json    bool
	limits  limitFlags
}

func newCall(s streams) *cobra.Command {
	var f callFlags
	cmd := &cobra.Command{
		Use:   "call PATH [TOOL [KEY=VALUE ...]]",
		Short: "Call a tool and answer its questions",
		Long: `Call a tool and answer its questions.

Values follow the tool's schema: text is taken as it is, everything else is JSON.
Questions are asked at the terminal; --answer KEY=JSON answers the one of the
resolver with that wire key (or the part of it behind the colon). JSON is the
form's content, or one of accept, decline and cancel; for a sampling question the
text, for roots a list of URIs. Without a terminal a question that has no
--answer is declined. Without TOOL the tools are named.`,
		Args: cobra.MinimumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			if len(args) == 1 {
				return nameTools(cmd.Context(), args[0])
			}
			return callTool(cmd.Context(), s, args[0], args[1], args[2:], &f)
		},
	}
	flags := cmd.Flags()
	flags.StringVar(&f.args, "args", "", "the arguments as a JSON object; KEY=VALUE are added to it")
	flags.StringArrayVar(&f.answers, "answer", nil, "KEY=JSON: answer a question (repeat it for more)")
	flags.BoolVar(&f.json, "json", false, "print the whole result as JSON")
	f.limits.add(cmd)
	return cmd
}

// nameTools is the error of a command line that names no tool.
func nameTools(ctx context.Context, path string) error {
	snapshot, err := loadOnly(ctx, path, engine.Limits{})
	if err != nil {
		return err
	}
	return fmt.Errorf("which tool? %s", theTools(snapshot))
}

// theTools says what there is to call.
func theTools(snapshot *load.Snapshot) string {
	if len(snapshot.Tools) == 0 {
		return "the server has none; a script offers one with tool(f)"
	}
	var names []string
	for _, t := range snapshot.Tools {
		names = append(names, t.Name)
	}
	return "there are: " + strings.Join(names, ", ")
}

func callTool(ctx context.Context, s streams, path, name string, pairs []string, f *callFlags) error {
	limits, err := f.limits.limits()
	if err != nil {
		return err
	}
	host, err := loadDir(ctx, path, starhost.Options{
		Output: s.err, Version: version, OnFailed: s.failed, MaxSteps: f.limits.maxSteps, Limits: limits,
	})
	if err != nil {
		return err
	}
	defer func() {
		ending, cancel := context.WithTimeout(context.WithoutCancel(ctx), 5*time.Second)
		defer cancel()
		if err := host.Close(ending); err != nil {
			s.complain(err)
		}
	}()
	tool := host.Snapshot().Tool(name)
	if tool == nil {
		return noTool(host.Snapshot(), name)
	}
	args, err := arguments(tool, f.args, pairs)
	if err != nil {
		return err
	}
	answerer, err := newAnswerer(s, f.answers)
	if err != nil {
		return err
	}
	client, err := testing.Connect(ctx, host, testing.Options{Answer: answerer.answer})
	if err != nil {
		return err
	}
	defer client.Close()
	played, err := client.Call(ctx, name, args)
	if err != nil {
		return err
	}
	var keys []string
	for _, r := range tool.Plan.Resolvers {
		keys = append(keys, r.Key)
	}
	answerer.warnUnused(keys)
	return printPlayed(s, played, f.json)
}

func noTool(snapshot *load.Snapshot, name string) error {
	var names []string
	for _, t := range snapshot.Tools {
		names = append(names, t.Name)
	}
	if near := engine.DidYouMean(name, names); near != "" {
		return fmt.Errorf("there is no tool %q; %s", name, near)
	}
	return fmt.Errorf("there is no tool %q; %s", name, theTools(snapshot))
}

// arguments puts together --args and KEY=VALUE.
func arguments(tool *load.Tool, object string, pairs []string) (json.RawMessage, error) {
	var members exactjson.Object
	if object != "" {
		given, err := objectMembers(object)
		if err != nil {
			return nil, fmt.Errorf("--args is not a JSON object: %w", err)
		}
		members = given
	}
	for _, pair := range pairs {
		key, value, ok := strings.Cut(pair, "=")
		if !ok {
			return nil, fmt.Errorf("%q is not KEY=VALUE", pair)
		}
		v, err := argument(tool, key, value)
		if err != nil {
			return nil, err
		}
		if slices.ContainsFunc(members, func(m exactjson.Member) bool { return m.Name == key }) {
			return nil, fmt.Errorf("%s is given twice", key)
		}
		members = append(members, exactjson.Member{Name: key, Value: v})
	}
	if len(members) == 0 {
		return nil, nil
	}
	return exactjson.Marshal(members)
}

// objectMembers takes the members of a JSON object apart, in order.
func objectMembers(text string) (exactjson.Object, error) {
	dec := json.NewDecoder(strings.NewReader(text))
	if t, err := dec.Token(); err != nil || t != json.Delim('{') {
		return nil, errors.Join(errors.New("it does not begin with {"), err)
	}
	var members exactjson.Object
	for dec.More() {
		key, err := dec.Token()
		if err != nil {
			return nil, err
		}
		var value json.RawMessage
		if err := dec.Decode(&value); err != nil {
			return nil, err
		}
		members = append(members, exactjson.Member{Name: key.(string), Value: value})
	}
	if _, err := dec.Token(); err != nil {
		return nil, err
	}
	if _, err := dec.Token(); !errors.Is(err, io.EOF) {
		return nil, errors.New("there is more after it")
	}
	return members, nil
}

// argument is a value from the command line: text where the tool takes text,
// else JSON, else text again for the tool to judge.
func argument(tool *load.Tool, key, value string) (any, error) {
	var names []string
	for _, p := range tool.Parameters {
		if p.Name == key {
			if p.Field.Type.TypeName() != "str" && json.Valid([]byte(value)) {
				return json.RawMessage(value), nil
			}
			return value, nil
		}
		names = append(names, p.Name)
	}
	if near := engine.DidYouMean(key, names); near != "" {
		return nil, fmt.Errorf("%s has no argument %q; %s", tool.Name, key, near)
	}
	if len(names) == 0 {
		return nil, fmt.Errorf("%s has no argument %q; it takes none", tool.Name, key)
	}
	return nil, fmt.Errorf("%s has no argument %q; it has: %s", tool.Name, key, strings.Join(names, ", "))
}

// printPlayed prints what came of a call, and says with which status to end.
func printPlayed(s streams, p *testing.Played, asJSON bool) error {
	switch {
	case p.Error != nil:
		fmt.Fprintf(s.err, "mcpstar: %s\n", p.Error)
		if p.Error.Data != nil {
			fmt.Fprintf(s.err, "  %s\n", p.Error.Data)
		}
		return exit(exitError)
	case len(p.Open) > 0:
		for _, q := range p.Open {
			fmt.Fprintf(s.err, "mcpstar: nobody answers %s of %s; give one with --answer '%s=...'\n", q.Method, q.Key, q.Key)
		}
		return exit(exitError)
	}
	var result struct {
		Content []struct{ Type, Text, MimeType string }
		IsError bool
	}
	if err := json.Unmarshal(p.Result, &result); err != nil {
		return fmt.Errorf("the result can't be read: %w", err)
	}
	if asJSON {
		var out strings.Builder
		if err := writeIndented(&out, p.Result); err != nil {
			return err
		}
		fmt.Fprintln(s.out, out.String())
	} else {
		to := s.out
		if result.IsError {
			to = s.err
		}
		for _, block := range result.Content {
			if block.Type == "text" {
				fmt.Fprintln(to, block.Text)
				continue
			}
			fmt.Fprintf(to, "(%s %s)\n", block.Type, block.MimeType)
		}
	}
	if result.IsError {
		return exit(exitError)
	}
	return nil
}

func writeIndented(w io.Writer, text json.RawMessage) error {
	v, err := exactjson.Decode(text, exactjson.Limits{})
	if err != nil {
		return err
	}
	out, err := exactjson.Append(nil, v, "  ", exactjson.Limits{})
	if err != nil {
		return err
	}
	_, err = w.Write(out)
	return err
}
