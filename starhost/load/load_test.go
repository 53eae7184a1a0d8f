package load_test

import (
	"errors"
	"io/fs"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/stretchr/testify/require"
	"go.starlark.net/starlark"

	"github.com/mcpstar/mcpstar/starhost/load"
	"github.com/mcpstar/mcpstar/starhost/load/report"
)

// declaring is a file with a tool of that name.
func declaring(name string) *fstest.MapFile {
	return &fstest.MapFile{Data: []byte("def " + name + "() -> str:\n    return \"\"\n\ntool(" + name + ")\n")}
}

func toolNames(s *load.Snapshot) []string {
	var names []string
	for _, t := range s.Tools {
		names = append(names, t.Name)
	}
	return names
}

func TestTheFilesOfAServer(t *testing.T) {
	for name, c := range map[string]struct {
		entry, folder string
		files         []string
		tools         []string
		server        string
	}{
		"a file":                               {"shop.star", "", []string{"shop.star", "other.star"}, []string{"shop"}, "shop"},
		"a file in a folder":                   {"lib/shop.star", "", []string{"lib/shop.star", "shop.star"}, []string{"shop"}, "shop"},
		"a folder's server.star":               {".", "books", []string{"server.star", "other.star"}, []string{"server"}, "books"},
		"else all of its files":                {".", "books", []string{"b.star", "a.star", "lib/c.star"}, []string{"a", "b"}, "books"},
		"but tests and those that others load": {"", "books", []string{"a.star", "a_test.star", "_lib.star", ".hidden.star"}, []string{"a"}, "books"},
		"a folder below":                       {"books", "", []string{"books/a.star", "b.star"}, []string{"a"}, "books"},
		"a folder without a name":              {".", "", []string{"a.star"}, []string{"a"}, "server"},
		"server.star by its own name":          {"server.star", "books", []string{"server.star"}, []string{"server"}, "books"},
	} {
		t.Run(name, func(t *testing.T) {
			files := fstest.MapFS{}
			for _, f := range c.files {
				files[f] = declaring(strings.Trim(strings.TrimSuffix(f[strings.LastIndex(f, "/")+1:], ".star"), "."))
			}
			snapshot, err := load.Load(t.Context(), load.Options{Root: files, Entry: c.entry, Folder: c.folder})
			require.NoError(t, err)
			require.Equal(t, c.tools, toolNames(snapshot))
			require.Equal(t, c.server, snapshot.Name)
		})
	}
}

func TestThereIsNothingToLoad(t *testing.T) {
	files := fstest.MapFS{"a.txt": {}, "empty/b.txt": {}}
	for entry, want := range map[string]string{
		"shop.star": "shop.star: no such file",
		"a.txt":     "a.txt: a server is a .star file, or a folder of them",
		"empty":     "no .star file in the folder",
		".":         "no .star file in the folder",
		"../x.star": `"../x.star" is not a path below the root`,
		"/etc":      `"/etc" is not a path below the root`,
	} {
		snapshot, err := load.Load(t.Context(), load.Options{Root: files, Entry: entry})
		require.Nil(t, snapshot)
		require.EqualError(t, err, want)
		var bad *report.Error
		require.False(t, errors.As(err, &bad))
	}
}

// shut is a file that can't be read.
type shut struct{ fstest.MapFS }

func (s shut) Open(name string) (fs.File, error) {
	if name == "shut.star" {
		return nil, &fs.PathError{Op: "open", Path: "/home/me/" + name, Err: fs.ErrPermission}
	}
	return s.MapFS.Open(name)
}

func TestAFileThatCanNotBeReadIsNamed(t *testing.T) {
	files := shut{fstest.MapFS{"a.star": declaring("a"), "shut.star": declaring("b")}}
	o := optionsFor(files)
	o.Entry = "."
	require.Equal(t, "read: cannot read shut.star: no permission to read it ()\n", texts(problemsOf(t, o)))
}

func TestWordsOfTheProgramCanNotHideOurs(t *testing.T) {
	o := optionsFor(one("x = 1\n"))
	o.Words["tool"] = starlark.None
	_, err := load.Load(t.Context(), o)
	require.EqualError(t, err, `the word "tool" is mcpstar's own and can't be replaced`)
}

func TestWhatASnapshotSays(t *testing.T) {
	files := fstest.MapFS{
		entry: {Data: []byte(`load("lib/a.star", "a")
server(name = "shop", title = "A shop", version = "1.2", instructions = "Buy.", website_url = "https://example.com")

def start():
    return {}

def stop(state):
    pass

lifespan(start, stop)

def order(title: str, count: int = 1, *, gift: bool = False) -> str:
    """Order a book.

    Args:
        title: Which one.
    """
    return title

tool(order, title = "Order")
tool(a)
`)},
		"lib/a.star": {Data: []byte("load('@std/money.star', 'show')\ndef a() -> int:\n    return 1\n")},
	}
	s, err := load.Load(t.Context(), optionsFor(files))
	require.NoError(t, err)
	require.Equal(t, []string{"shop", "A shop", "1.2", "Buy.", "https://example.com"},
		[]string{s.Name, s.Title, s.Version, s.Instructions, s.WebsiteURL})
	require.Equal(t, "start", s.Start.Name())
	require.Equal(t, "stop", s.Stop.Name())
	require.Equal(t, []string{"@std/money.star", "lib/a.star", "server.star"}, s.Files)
	require.Equal(t, 3, s.Compiled)
	require.Equal(t, []string{"a", "order"}, toolNames(s), "in the order of names")
	order := s.Tool("order")
	require.Equal(t, "Order a book.", order.Description)
	require.JSONEq(t, `{"type": "object", "title": "orderArguments", "required": ["title"], "properties": {
		"title": {"type": "string", "title": "Title", "description": "Which one."},
		"count": {"type": "integer", "title": "Count", "default": 1},
		"gift": {"type": "boolean", "title": "Gift", "default": false}}}`, string(order.InputSchema))
	require.True(t, order.Wrapped)
	require.Nil(t, s.Tool("nothing"))
	require.Contains(t, s.Sources["server.star"], "Order a book.")
}

func TestWhatIsSharedIsFrozen(t *testing.T) {
	files := one(`
def make():
    seen = []
    def remember(x: str) -> int:
        seen.append(x)
        return len(seen)
    return remember

def asker():
    asked = []
    def ask():
        asked.append(1)
        return 1
    return ask

def start():
    pass

tool(make(), name = "remember")

def f(x: resolve(asker(), key = "ask")) -> int:
    return x

tool(f)

Log = model(lines = field(list[str], factory = asker()))
`)
	s, err := load.Load(t.Context(), optionsFor(files))
	require.NoError(t, err)
	thread := &starlark.Thread{Name: "test"}
	_, err = starlark.Call(thread, s.Tool("remember").Plan.Tool.Func.Call, starlark.Tuple{starlark.String("x")}, nil)
	require.ErrorContains(t, err, "frozen list")
	_, err = starlark.Call(thread, s.Tool("f").Plan.Resolvers[0].Func.Call, nil, nil)
	require.ErrorContains(t, err, "frozen list")
	_, err = starlark.Call(thread, s.Globals(entry)["Log"], nil, nil)
	require.ErrorContains(t, err, "frozen list")
}

func TestWarningsDoNotStopAServer(t *testing.T) {
	s, err := load.Load(t.Context(), optionsFor(one("def f(x) -> str:\n    return x\n\ntool(f, name = \"a.b\")\n")))
	require.NoError(t, err)
	require.Len(t, s.Warnings, 2)
	for _, w := range s.Warnings {
		require.True(t, w.Warning)
	}
}

// A report holds what somebody reads, and says how much there is beyond.
func TestAReportOfOneFileIsBounded(t *testing.T) {
	problems := problemsOf(t, optionsFor(one(times("tool()\n", 250))))
	require.Len(t, problems, 100)
	require.Equal(t, []string{"this file has 150 more problems, which are not shown"}, problems[99].Notes)
}

func TestPrintOfAFileThatLoads(t *testing.T) {
	var lines []string
	o := optionsFor(one("print('hello')\n"))
	o.Print = func(_ *starlark.Thread, msg string) { lines = append(lines, msg) }
	_, err := load.Load(t.Context(), o)
	require.NoError(t, err)
	require.Equal(t, []string{"hello"}, lines)
}
