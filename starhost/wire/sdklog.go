package wire

import (
	"context"
	"log/slog"
)

// sdkLogger is the logger that the SDK gets. What it says of its own, beneath a
// warning or at the end of a session, is for those who look for a fault; and it
// must not name sessions, because who knows a session's id can use it.
func sdkLogger(to *slog.Logger) *slog.Logger { return slog.New(&sdkHandler{to.Handler()}) }

type sdkHandler struct{ to slog.Handler }

// Enabled implements [slog.Handler].
func (h *sdkHandler) Enabled(ctx context.Context, _ slog.Level) bool {
	return h.to.Enabled(ctx, slog.LevelDebug)
}

// Handle implements [slog.Handler].
func (h *sdkHandler) Handle(ctx context.Context, r slog.Record) error {
	quiet := slog.NewRecord(r.Time, slog.LevelDebug, r.Message, r.PC)
	r.Attrs(func(a slog.Attr) bool {
		if a.Key != "session_id" {
			quiet.AddAttrs(a)
		}
		return true
	})
	return h.to.Handle(ctx, quiet)
}

// WithAttrs implements [slog.Handler].
func (h *sdkHandler) WithAttrs(attrs []slog.Attr) slog.Handler {
	return &sdkHandler{h.to.WithAttrs(attrs)}
}

// WithGroup implements [slog.Handler].
func (h *sdkHandler) WithGroup(name string) slog.Handler { return &sdkHandler{h.to.WithGroup(name)} }
