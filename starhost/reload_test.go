package starhost

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/fstest"
	"time"

	"github.com/stretchr/testify/require"

	hosttest "github.com/mcpstar/mcpstar/starhost/testing"
)

// A folder is a server on disk that a test changes.
type folder struct {
	t   *testing.T
	dir string
}

func newFolder(t *testing.T, files map[string]string) folder {
	f := folder{t, t.TempDir()}
	for name, text := range files {
		f.write(name, text)
	}
	return f
}

func (f folder) path(name string) string { return filepath.Join(f.dir, filepath.FromSlash(name)) }

func (f folder) write(name, text string) {
	f.t.Helper()
	require.NoError(f.t, os.MkdirAll(filepath.Dir(f.path(name)), 0o755))
	require.NoError(f.t, os.WriteFile(f.path(name), []byte(text), 0o644))
}

func (f folder) rename(from, to string) {
	f.t.Helper()
	require.NoError(f.t, os.Rename(f.path(from), f.path(to)))
}

// greeter is a server whose tool greet says a word.
func greeter(word string) string {
	return fmt.Sprintf("def greet() -> str:\n    return %q\n\ntool(greet)\n", word)
}

func loadDir(t *testing.T, path string, options Options) *Host {
	t.Helper()
	host, err := LoadDir(t.Context(), path, options)
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, host.Close(context.WithoutCancel(t.Context()))) })
	return host
}

// told is what Watch has said of a reload.
type told struct {
	change *Change
	err    error
}

// watch watches a host; the channel gets what is told of each reload.
func watch(t *testing.T, host *Host) <-chan told {
	t.Helper()
	tell := make(chan told, 1000)
	ready := make(chan struct{})
	host.scripts.(*program).watching = func() { close(ready) }
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() { ended <- host.Watch(ctx, func(c *Change, err error) { tell <- told{c, err} }) }()
	t.Cleanup(func() {
		cancel()
		require.NoError(t, <-ended)
	})
	<-ready
	return tell
}

// next is what is told of the next reload.
func next(t *testing.T, tell <-chan told) told {
	t.Helper()
	select {
	case got := <-tell:
		return got
	case <-time.After(20 * time.Second):
		require.Fail(t, "no reload")
		panic("unreachable")
	}
}

// call calls a tool on 2026-07-28 and gives the text of its result.
func call(t *testing.T, host *Host, tool string) string {
	t.Helper()
	client, err := hosttest.Connect(t.Context(), host, hosttest.Options{})
	require.NoError(t, err)
	defer client.Close()
	played, err := client.Call(t.Context(), tool, nil)
	require.NoError(t, err)
	return textOf(t, played.Reply)
}

func textOf(t *testing.T, reply hosttest.Reply) string {
	t.Helper()
	if reply.Error != nil {
		return reply.Error.Error()
	}
	var result struct{ Content []struct{ Text string } }
	require.NoError(t, json.Unmarshal(reply.Result, &result))
	var texts []string
	for _, c := range result.Content {
		texts = append(texts, c.Text)
	}
	return strings.Join(texts, "\n")
}

func TestSavingAFileServesTheNewCode(t *testing.T) {
	for name, save := range map[string]func(f folder){
		"written in place": func(f folder) { f.write("server.star", greeter("new")) },
		"written and renamed": func(f folder) {
			f.write(".server.star.tmp", greeter("new"))
			f.rename(".server.star.tmp", "server.star")
		},
		"renamed away and created": func(f folder) {
			f.rename("server.star", "server.star~")
			f.write("server.star", greeter("new"))
		},
		"deleted and created": func(f folder) {
			require.NoError(f.t, os.Remove(f.path("server.star")))
			f.write("server.star", greeter("new"))
		},
		"truncated and written in two parts": func(f folder) {
			text := greeter("new")
			f.write("server.star", text[:20])
			f.write("server.star", text)
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			f := newFolder(t, map[string]string{"server.star": greeter("old")})
			host := loadDir(t, f.dir, Options{})
			tell := watch(t, host)
			require.Equal(t, "old", call(t, host, "greet"))
			save(f)
			got := next(t, tell)
			for got.err != nil { // half of a save may be seen; the other half follows
				got = next(t, tell)
			}
			require.Equal(t, []string{"greet"}, got.change.Changed)
			require.Equal(t, "new", call(t, host, "greet"))
		})
	}
}

// sed -i writes a temporary file beside the original and renames it.
func TestSedInPlaceReloads(t *testing.T) {
	f := newFolder(t, map[string]string{"server.star": greeter("old")})
	host := loadDir(t, f.path("server.star"), Options{})
	tell := watch(t, host)
	text, err := os.ReadFile(f.path("server.star"))
	require.NoError(t, err)
	temp, err := os.CreateTemp(f.dir, "sed*")
	require.NoError(t, err)
	_, err = temp.WriteString(strings.ReplaceAll(string(text), "old", "new"))
	require.NoError(t, err)
	require.NoError(t, temp.Close())
	require.NoError(t, os.Rename(temp.Name(), f.path("server.star")))
	require.NoError(t, next(t, tell).err)
	require.Equal(t, "new", call(t, host, "greet"))
}

// A Kubernetes ConfigMap is a folder of links into a folder that is a link, and
// only the latter is swapped.
func TestSwappedLinksReload(t *testing.T) {
	f := newFolder(t, map[string]string{
		"..one/server.star": greeter("old"),
		"..two/server.star": greeter("new"),
	})
	require.NoError(t, os.Symlink("..one", f.path("..data")))
	require.NoError(t, os.Symlink("..data/server.star", f.path("server.star")))
	host := loadDir(t, f.dir, Options{})
	tell := watch(t, host)
	require.Equal(t, "old", call(t, host, "greet"))
	require.NoError(t, os.Symlink("..two", f.path("..data_tmp")))
	f.rename("..data_tmp", "..data")
	require.NoError(t, next(t, tell).err)
	require.Equal(t, "new", call(t, host, "greet"))
}

// A release folder is a link that is swapped as a whole.
func TestSwappedFolderReloads(t *testing.T) {
	f := newFolder(t, map[string]string{
		"releases/1/server.star": greeter("old"),
		"releases/2/server.star": greeter("new"),
	})
	require.NoError(t, os.Symlink("releases/1", f.path("current")))
	host := loadDir(t, f.path("current"), Options{})
	tell := watch(t, host)
	require.Equal(t, "old", call(t, host, "greet"))
	require.NoError(t, os.Symlink("releases/2", f.path("current.tmp")))
	f.rename("current.tmp", "current")
	require.NoError(t, next(t, tell).err)
	require.Equal(t, "new", call(t, host, "greet"))
}

func TestEveryFileThatWasReadCounts(t *testing.T) {
	f := newFolder(t, map[string]string{
		"server.star":        "load(\"lib/words.star\", \"word\")\n\ndef greet() -> str:\n    return word()\n\ntool(greet)\n",
		"lib/words.star":     "load(\"deep/word.star\", \"WORD\")\n\ndef word():\n    return WORD\n",
		"lib/deep/word.star": "WORD = \"old\"\n",
	})
	host := loadDir(t, f.dir, Options{})
	tell := watch(t, host)
	f.write("lib/deep/word.star", "WORD = \"new\"\n")
	got := next(t, tell)
	require.NoError(t, got.err)
	require.Equal(t, []string{"greet"}, got.change.Changed)
	require.Equal(t, 3, got.change.Compiled)
	require.Equal(t, "new", call(t, host, "greet"))
}

func TestAFileInANewFolderIsSeen(t *testing.T) {
	f := newFolder(t, map[string]string{"server.star": greeter("old")})
	host := loadDir(t, f.dir, Options{})
	tell := watch(t, host)
	f.write("server.star", "load(\"new/words.star\", \"WORD\")\n\ndef greet() -> str:\n    return WORD\n\ntool(greet)\n")
	require.ErrorContains(t, next(t, tell).err, "new/words.star")
	require.Equal(t, "old", call(t, host, "greet"))
	f.write("new/words.star", "WORD = \"new\"\n")
	got := next(t, tell)
	for got.err != nil {
		got = next(t, tell)
	}
	require.Equal(t, "new", call(t, host, "greet"))
}

func TestToolsComeAndGoWithTheirFiles(t *testing.T) {
	f := newFolder(t, map[string]string{
		"a.star": "def a() -> str:\n    return \"a\"\ntool(a)\n",
		"b.star": "def b() -> str:\n    return \"b\"\ntool(b)\n",
	})
	host := loadDir(t, f.dir, Options{})
	tell := watch(t, host)
	require.NoError(t, os.Remove(f.path("b.star")))
	require.Equal(t, "- b", next(t, tell).change.String())
	require.Equal(t, "Unknown tool: b", strings.Split(call(t, host, "b"), " (")[0])
	f.write("c.star", "def c() -> str:\n    return \"c\"\ntool(c)\n")
	got := next(t, tell)
	for got.err != nil || got.change.String() != "+ c" { // the file may be seen before its text
		got = next(t, tell)
	}
	require.Equal(t, "c", call(t, host, "c"))
}

func TestATouchIsNoChange(t *testing.T) {
	f := newFolder(t, map[string]string{"server.star": greeter("old")})
	host := loadDir(t, f.dir, Options{})
	reloads := 0
	count := func(*Change, error) { reloads++ }
	now := time.Now().Add(time.Hour)
	require.NoError(t, os.Chtimes(f.path("server.star"), now, now))
	f.write("notes.txt", "nobody reads this")
	f.write("server.star", greeter("old"))
	require.False(t, host.scripts.(*program).look(t.Context(), false, count))
	require.Zero(t, reloads)
	f.write("server.star", greeter("new"))
	require.False(t, host.scripts.(*program).look(t.Context(), false, count))
	require.Equal(t, 1, reloads)
	require.False(t, host.scripts.(*program).look(t.Context(), false, count))
	require.Equal(t, 1, reloads, "the same content is loaded once")
}

// An editor that writes in place passes through an empty file, which would be a
// valid server without tools.
func TestAHalfWrittenFileIsWaitedFor(t *testing.T) {
	f := newFolder(t, map[string]string{"server.star": greeter("old")})
	host := loadDir(t, f.dir, Options{})
	reloads := 0
	count := func(*Change, error) { reloads++ }
	f.write("server.star", "")
	require.True(t, host.scripts.(*program).look(t.Context(), false, count))
	require.Zero(t, reloads)
	require.Equal(t, "old", call(t, host, "greet"))
	require.False(t, host.scripts.(*program).look(t.Context(), true, count), "after a while an empty file is what the author wants")
	require.Equal(t, 1, reloads)
	f.write("server.star", greeter("new"))
	require.False(t, host.scripts.(*program).look(t.Context(), false, count))
	require.Equal(t, "new", call(t, host, "greet"))
}

func TestTwoFilesSavedTogetherAreOneReload(t *testing.T) {
	f := newFolder(t, map[string]string{
		"a.star":  "load(\"_w.star\", \"W\")\ndef a() -> str:\n    return \"a1\" + W\ntool(a)\n",
		"_w.star": "W = \"1\"\n",
	})
	host := loadDir(t, f.dir, Options{})
	tell := watch(t, host)
	f.write("_w.star", "W = \"2\"\n")
	f.write("a.star", "load(\"_w.star\", \"W\")\ndef a() -> str:\n    return \"a2\" + W\ntool(a)\n")
	require.NoError(t, next(t, tell).err)
	require.Equal(t, "a22", call(t, host, "a"))
	require.Empty(t, tell)
}

func TestABrokenFileLeavesTheLastGoodVersion(t *testing.T) {
	f := newFolder(t, map[string]string{"server.star": greeter("old")})
	host := loadDir(t, f.dir, Options{})
	tell := watch(t, host)
	f.write("server.star", "def greet() -> str:\n    return wrod\n\ntool(greet)\n")
	broken := next(t, tell)
	require.ErrorContains(t, broken.err, "server.star:2:12")
	_, again := LoadDir(t.Context(), f.dir, Options{})
	require.EqualError(t, again, broken.err.Error(), "loading it anew says the same")
	require.Equal(t, "old", call(t, host, "greet"))
	f.write("server.star", greeter("mended"))
	require.NoError(t, next(t, tell).err)
	require.Equal(t, "mended", call(t, host, "greet"))
}

func TestABrokenLibraryUnderTwoServers(t *testing.T) {
	server := "load(\"../lib/words.star\", \"word\")\n\ndef greet() -> str:\n    return word()\n\ntool(greet)\n"
	f := newFolder(t, map[string]string{
		"mcpstar.toml":    "",
		"one/server.star": server,
		"two/server.star": server,
		"lib/words.star":  "def word():\n    return \"old\"\n",
	})
	one, two := loadDir(t, f.path("one"), Options{}), loadDir(t, f.path("two"), Options{})
	tellOne, tellTwo := watch(t, one), watch(t, two)
	f.write("lib/words.star", "def word():\n    return nothing\n")
	for _, tell := range []<-chan told{tellOne, tellTwo} {
		require.ErrorContains(t, next(t, tell).err, "lib/words.star:2:12")
	}
	require.Equal(t, "old", call(t, one, "greet"))
	require.Equal(t, "old", call(t, two, "greet"))
	f.write("lib/words.star", "def word():\n    return \"new\"\n")
	for _, tell := range []<-chan told{tellOne, tellTwo} {
		require.NoError(t, next(t, tell).err)
	}
	require.Equal(t, "new", call(t, one, "greet"))
	require.Equal(t, "new", call(t, two, "greet"))
}

// A host of any file system can be told to reload, but not watched.
func TestOnlyAFolderCanBeWatched(t *testing.T) {
	fsys := fstest.MapFS{"s.star": &fstest.MapFile{Data: []byte(greeter("old"))}}
	host, err := Load(t.Context(), fsys, Options{Entry: "s.star"})
	require.NoError(t, err)
	defer host.Close(t.Context())
	require.ErrorIs(t, host.Watch(t.Context(), nil), ErrNotWatchable)
	fsys["s.star"] = &fstest.MapFile{Data: []byte(greeter("new"))}
	change, err := host.Reload(t.Context())
	require.NoError(t, err)
	require.Equal(t, "~ greet", change.String())
	require.Equal(t, "new", call(t, host, "greet"))
}

func TestOnlyWhatHasChangedIsCompiled(t *testing.T) {
	files := map[string]string{"_lib.star": "def twice(x):\n    return 2 * x\n"}
	for i := range 20 {
		files[fmt.Sprintf("t%02d.star", i)] = fmt.Sprintf("def t%02d() -> str:\n    return \"%d\"\ntool(t%02d)\n", i, i, i)
	}
	for _, i := range []int{3, 7} {
		files[fmt.Sprintf("t%02d.star", i)] = "load(\"_lib.star\", \"twice\")\n" + files[fmt.Sprintf("t%02d.star", i)]
	}
	f := newFolder(t, files)
	host := loadDir(t, f.dir, Options{})
	require.Equal(t, 21, host.Snapshot().Compiled)

	f.write("t05.star", "def t05() -> str:\n    return \"five\"\ntool(t05)\n")
	change, err := host.Reload(t.Context())
	require.NoError(t, err)
	require.Equal(t, 1, change.Compiled)
	require.Equal(t, []string{"t05"}, change.Changed)

	f.write("_lib.star", "def twice(x):\n    return x + x\n")
	change, err = host.Reload(t.Context())
	require.NoError(t, err)
	require.Equal(t, 3, change.Compiled, "the library and its two dependents")
	require.Empty(t, change.Changed, "no tool uses what it loads")
}

func TestChangeIsOneLine(t *testing.T) {
	for want, c := range map[string]*Change{
		"no tool has changed":                                                      {},
		"~ order_book  + cancel_order  - old_tool":                                 {Changed: []string{"order_book"}, Added: []string{"cancel_order"}, Removed: []string{"old_tool"}},
		"+ 0  + 1  + 2  + 3  + 4  + 5  + 6  + 7  + 8  + 9  + 10  + 11  and 3 more": {Added: strings.Fields("0 1 2 3 4 5 6 7 8 9 10 11 12 13 14")},
	} {
		require.Equal(t, want, c.String())
	}
}
