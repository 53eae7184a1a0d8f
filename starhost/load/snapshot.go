package load

import (
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"time"

	"go.starlark.net/starlark"

	"github.com/mcpstar/mcpstar/builtins/types"
	"github.com/mcpstar/mcpstar/engine"
	"github.com/mcpstar/mcpstar/engine/graph"
	"github.com/mcpstar/mcpstar/starhost/load/report"
)

// A Snapshot is one version of a server: all that its scripts offer, compiled and
// checked. It is immutable and safe for concurrent use, so a call keeps the
// snapshot it began with while a newer one takes over.
type Snapshot struct {
	// Name is the server's: what server(name =) says, else the file's or the
	// folder's.
	Name string
	// Title, Version, Instructions and WebsiteURL are "" where nothing is said.
	Title, Version, Instructions, WebsiteURL string
	// Icons is wire JSON, or nil.
	Icons json.RawMessage
	// Tools are in the order of their names.
	Tools []*Tool
	// Prompts are in the order of their names.
	Prompts []*Prompt
	// Resources and Templates are in the order of their URIs.
	Resources, Templates []*Resource
	// Cache is what clients may keep of the lists, and of resources that say nothing
	// themselves.
	Cache Cache
	// Timers run as long as the server does.
	Timers []*Timer
	// Start makes the server's state, Stop ends it; nil without a lifespan.
	Start, Stop *starlark.Function
	// Code names this version: it changes when any file does.
	Code string
	// Warnings don't keep a server from starting.
	Warnings []*engine.Problem
	// Sources are the texts of the files, for reports.
	Sources report.Sources
	// Files are all files that were read, as paths below the root.
	Files []string
	// Compiled counts the files that were compiled for this snapshot; the others
	// were taken over from the one before.
	Compiled int

	modules   map[string]*module
	tools     map[string]*Tool
	prompts   map[string]*Prompt
	resources map[string]*Resource // and templates, by URI as written
	matching  []*Resource          // templates, in the order in which they are tried
}

// Tool is the tool of that name, or nil.
func (s *Snapshot) Tool(name string) *Tool { return s.tools[name] }

// A Tool is one tool of a [Snapshot].
type Tool struct {
	Name        string
	Title       string // "" without
	Description string
	// Function is the name of the function: errors and schema titles use it.
	Function string
	// Parameters are what the model fills.
	Parameters types.Parameters
	// Input checks all arguments at once, before they are bound to Parameters; nil
	// where the parameters say all there is to check.
	Input *types.Verbatim
	// Returns is the type after ->, or nil.
	Returns engine.Type
	// InputSchema and OutputSchema are complete JSON; OutputSchema is nil where
	// the tool has none. Wrapped says that results stand under "result" in it.
	InputSchema, OutputSchema json.RawMessage
	Wrapped                   bool
	// Timeout is how long a call may run; 0: as long as the host says.
	Timeout time.Duration
	// Annotations, Icons and Meta are wire JSON, or nil.
	Annotations, Icons, Meta json.RawMessage
	// Enabled says that it is on the list when the server starts.
	Enabled bool
	// Scopes are what a caller's token must have, where there is authorization.
	Scopes []string
	// Plan is the compiled graph of resolvers.
	Plan *graph.Plan
}

// codeOf names a version of the scripts by what they say.
func codeOf(modules []*module) string {
	sum := sha256.New()
	for _, m := range modules {
		fmt.Fprintf(sum, "%s\x00%x\x00", m.path, m.source.hash)
	}
	return fmt.Sprintf("%x", sum.Sum(nil)[:8])
}
