package load_test

import (
	"maps"
	"testing"
	"testing/fstest"

	"github.com/stretchr/testify/require"

	"github.com/mcpstar/mcpstar/starhost/load"
)

// A shop changes over several loads.
type shop struct {
	t     *testing.T
	files fstest.MapFS
	last  *load.Snapshot
}

func newShop(t *testing.T) *shop {
	s := &shop{t: t, files: fstest.MapFS{
		entry:             text("load('lib/a.star', 'a')\nload('lib/b.star', 'b')\n\ndef sell(x: int) -> int:\n    return a(x) + b(x)\n\ntool(sell)\n"),
		"lib/a.star":      text("load('shared.star', 'one')\n\ndef a(x): return x + one\n"),
		"lib/b.star":      text("def b(x): return x\n\ndef count() -> int:\n    return 1\n\ntool(count)\n"),
		"lib/shared.star": text("one = 1\n\nModel = model(x = int)\n"),
	}}
	s.load(4)
	return s
}

func text(s string) *fstest.MapFile { return &fstest.MapFile{Data: []byte(s)} }

func (s *shop) write(path, content string) { s.files[path] = text(content) }

func (s *shop) options() load.Options {
	o := optionsFor(maps.Clone(s.files))
	o.Previous = s.last
	return o
}

// load loads the shop anew, of which so many files have to be compiled.
func (s *shop) load(compiled int) *load.Snapshot {
	s.t.Helper()
	snapshot, err := load.Load(s.t.Context(), s.options())
	require.NoError(s.t, err)
	require.Equal(s.t, compiled, snapshot.Compiled)
	s.last = snapshot
	return snapshot
}

// fails loads a broken shop: the one before it stays.
func (s *shop) fails(want string) {
	s.t.Helper()
	require.Equal(s.t, want, texts(problemsOf(s.t, s.options())))
}

func TestNothingIsCompiledWhenNothingChanged(t *testing.T) {
	s := newShop(t)
	before := s.last
	after := s.load(0)
	require.Equal(t, before.Code, after.Code)
	require.Equal(t, before.Files, after.Files)
	require.Equal(t, []string{"count", "sell"}, toolNames(after), "a library's tool stays")
	require.Equal(t, before.Sources, after.Sources)
	require.Same(t, before.Tool("sell").Plan.Tool.Func.Call, after.Tool("sell").Plan.Tool.Func.Call)
}

func TestAChangeCompilesTheFileAndWhatNeedsIt(t *testing.T) {
	for path, compiled := range map[string]int{entry: 1, "lib/a.star": 2, "lib/b.star": 2, "lib/shared.star": 3} {
		t.Run(path, func(t *testing.T) {
			s := newShop(t)
			before := s.last.Code
			s.write(path, string(s.files[path].Data)+"# changed\n")
			require.NotEqual(t, before, s.load(compiled).Code)
			s.load(0)
		})
	}
}

func TestAFileThatBreaksAndRecovers(t *testing.T) {
	s := newShop(t)
	well := string(s.files["lib/shared.star"].Data)
	s.write("lib/shared.star", well+"two = undefined_name\n")
	s.fails("load-broken: lib/shared.star has problems, so lib/a.star and server.star could not be run (mend lib/shared.star first)\n" +
		"undefined: undefined: undefined_name ()\n")
	s.fails("load-broken: lib/shared.star has problems, so lib/a.star and server.star could not be run (mend lib/shared.star first)\n" +
		"undefined: undefined: undefined_name ()\n")
	s.write("lib/shared.star", well)
	s.load(0)
	s.write("lib/shared.star", well+"two = 2\n")
	s.load(3)
}

func TestAFileThatGoesAndComesBack(t *testing.T) {
	s := newShop(t)
	well := s.files["lib/b.star"]
	delete(s.files, "lib/b.star")
	s.fails("load: cannot read lib/b.star: no such file (did you mean \"lib/a.star\"?)\n")
	s.files["lib/b.star"] = well
	s.load(0)
}

func TestALoadIsAdded(t *testing.T) {
	s := newShop(t)
	s.write("lib/new.star", "def extra() -> int:\n    return 1\n\ntool(extra)\n")
	s.load(0)
	s.write("lib/b.star", "load('new.star', 'extra')\n"+string(s.files["lib/b.star"].Data))
	added := s.load(3)
	require.Equal(t, []string{"count", "extra", "sell"}, toolNames(added))
	require.Contains(t, added.Files, "lib/new.star")
	s.write("lib/new.star", "def extra() -> int:\n    return 2\n")
	require.Equal(t, []string{"count", "sell"}, toolNames(s.load(3)))
}

func TestALoadIsAddedThatMakesARing(t *testing.T) {
	s := newShop(t)
	s.write("lib/shared.star", "load('a.star', 'a')\none = 1\n")
	s.fails("load-ring: files load each other: lib/a.star -> lib/shared.star -> lib/a.star (move what they share into a file that loads none of them)\n" +
		"load-broken: lib/a.star has problems, so server.star could not be run (mend lib/a.star first)\n")
	s.write("lib/shared.star", "one = 2\n")
	s.load(3)
}

func TestALibraryThatIsNoLongerLoaded(t *testing.T) {
	s := newShop(t)
	s.write(entry, "def sell(x: int) -> int:\n    return x\n\ntool(sell)\n")
	after := s.load(1)
	require.Equal(t, []string{entry}, after.Files)
	require.Equal(t, []string{"sell"}, toolNames(after))
}

func TestAModelOfAFileThatChangedIsAnotherOne(t *testing.T) {
	s := newShop(t)
	s.write("lib/a.star", "load('shared.star', 'Model', 'one')\n\nheld = Model(x = 1)\n\ndef a(x): return x + one\n")
	s.load(2)
	s.write("lib/shared.star", "one = 1\n\nModel = model(x = int, y = field(int, default = 0))\n")
	s.load(3)
}

// A duplicate over a file that was taken over and one that was compiled is told
// with both places.
func TestProblemsBetweenOldFilesAndNewOnes(t *testing.T) {
	s := newShop(t)
	s.write(entry, string(s.files[entry].Data)+"tool(sell, name = 'count')\n")
	problems := problemsOf(t, s.options())
	require.Len(t, problems, 1)
	require.Equal(t, `two tools are named "count"`, problems[0].Message)
	require.Equal(t, "lib/b.star:6:1", problems[0].Also[0].Span.Start.String())
	require.Equal(t, "server.star:8:1", problems[0].At.Span.Start.String())
}

func TestWarningsOfFilesThatAreTakenOver(t *testing.T) {
	s := newShop(t)
	s.write("lib/b.star", string(s.files["lib/b.star"].Data)+"\ndef any_value(x) -> int:\n    return 1\n\ntool(any_value)\n")
	before := s.load(2)
	require.Len(t, before.Warnings, 1)
	require.Equal(t, before.Warnings, s.load(0).Warnings)
}

func TestAllFilesAreTold(t *testing.T) {
	s := newShop(t)
	read := map[string]bool{}
	o := s.options()
	o.Read = func(path string, sum load.Sum) { read[path] = sum != load.Sum{} }
	_, err := load.Load(t.Context(), o)
	require.NoError(t, err)
	require.Equal(t, map[string]bool{entry: true, "lib/a.star": true, "lib/b.star": true, "lib/shared.star": true}, read)

	delete(s.files, "lib/shared.star")
	clear(read)
	o = s.options()
	o.Read = func(path string, sum load.Sum) { read[path] = sum != load.Sum{} }
	problemsOf(t, o)
	require.Equal(t, map[string]bool{entry: true, "lib/a.star": true, "lib/b.star": true, "lib/shared.star": false}, read)
}
