package starhost

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/mcpstar/mcpstar/starhost/reload"
	hosttest "github.com/mcpstar/mcpstar/starhost/testing"
)

// BenchmarkSaveToNewCode measures from the save of one file to the first call
// that the new code answers, in servers of 1, 100 and 1,000 files. It counts the
// quiet time for which a watcher waits (reported apart), and reports what the
// reload itself took.
func BenchmarkSaveToNewCode(b *testing.B) {
	for _, files := range []int{1, 100, 1000} {
		b.Run(fmt.Sprintf("files=%d", files), func(b *testing.B) {
			dir := b.TempDir()
			save := func(i, version int) {
				text := fmt.Sprintf("def t%04d() -> str:\n    return \"%d\"\ntool(t%04d)\n", i, version, i)
				if err := os.WriteFile(filepath.Join(dir, fmt.Sprintf("t%04d.star", i)), []byte(text), 0o644); err != nil {
					b.Fatal(err)
				}
			}
			for i := range files {
				save(i, 0)
			}
			host, err := LoadDir(b.Context(), dir, Options{})
			if err != nil {
				b.Fatal(err)
			}
			defer host.Close(context.WithoutCancel(b.Context()))
			client, err := hosttest.Connect(b.Context(), host, hosttest.Options{})
			if err != nil {
				b.Fatal(err)
			}
			defer client.Close()
			ctx, cancel := context.WithCancel(b.Context())
			told, ready, ended := make(chan told), make(chan struct{}), make(chan error)
			host.scripts.(*program).watching = func() { close(ready) }
			go func() {
				ended <- host.Watch(ctx, func(c *Change, err error) { told <- toldOf(c, err) })
			}()
			<-ready
			var took time.Duration
			version := 0
			for b.Loop() {
				version++
				save(0, version)
				got := <-told
				if got.err != nil {
					b.Fatal(got.err)
				}
				took += got.change.Took
				if _, err := client.Call(b.Context(), "t0000", nil); err != nil {
					b.Fatal(err)
				}
			}
			b.ReportMetric(float64(took.Microseconds())/float64(version), "reload-µs/op")
			b.ReportMetric(float64(reload.Quiet.Microseconds()), "quiet-µs/op")
			cancel()
			<-ended
		})
	}
}

func toldOf(c *Change, err error) told { return told{c, err} }
