package redact

import (
	"context"
	"fmt"
	"log/slog"
	"slices"
)

// Handler returns a handler that gives log lines to another handler without the
// secrets that are known when the line is written.
func (b *SecretStore) Handler(to slog.Handler) slog.Handler {
	return &handler{store: b, root: to, now: to}
}

// handler keeps the groups and attributes that were given before: a value in them
// may have become a secret since.
type handler struct {
	store *SecretStore
	root  slog.Handler
	now   slog.Handler // root after the steps, which are not redacted
	steps []step
}

// step is one call of WithGroup or WithAttrs.
type step struct {
	group string
	attrs []slog.Attr
}

func (s step) apply(to slog.Handler) slog.Handler {
	if s.group != "" {
		return to.WithGroup(s.group)
	}
	return to.WithAttrs(s.attrs)
}

func (h *handler) with(s step) slog.Handler {
	return &handler{store: h.store, root: h.root, now: s.apply(h.now), steps: append(slices.Clip(h.steps), s)}
}

// Enabled implements slog.Handler.
func (h *handler) Enabled(ctx context.Context, level slog.Level) bool {
	return h.root.Enabled(ctx, level)
}

// WithAttrs implements slog.Handler.
func (h *handler) WithAttrs(attrs []slog.Attr) slog.Handler { return h.with(step{attrs: attrs}) }

// WithGroup implements slog.Handler.
func (h *handler) WithGroup(name string) slog.Handler {
	if name == "" {
		return h
	}
	return h.with(step{group: name})
}

// Handle implements slog.Handler.
func (h *handler) Handle(ctx context.Context, r slog.Record) error {
	m := h.store.All()
	if m.none() {
		return h.now.Handle(ctx, r) //nolint:wrapcheck // the handler's own
	}
	to := h.root
	for _, s := range h.steps {
		to = step{s.group, m.attrs(s.attrs)}.apply(to)
	}
	clean := slog.NewRecord(r.Time, r.Level, m.Text(r.Message), r.PC)
	r.Attrs(func(a slog.Attr) bool {
		clean.AddAttrs(m.attr(a))
		return true
	})
	return to.Handle(ctx, clean) //nolint:wrapcheck // the handler's own
}

func (m *Matcher) attrs(all []slog.Attr) []slog.Attr {
	out := make([]slog.Attr, len(all))
	for i, a := range all {
		out[i] = m.attr(a)
	}
	return out
}

// attr is an attribute without secrets. A value that has one becomes a string.
func (m *Matcher) attr(a slog.Attr) slog.Attr {
	a.Key, a.Value = m.Text(a.Key), a.Value.Resolve()
	if a.Value.Kind() == slog.KindGroup {
		a.Value = slog.GroupValue(m.attrs(a.Value.Group())...)
		return a
	}
	text := a.Value.String()
	if v := a.Value.Any(); a.Value.Kind() == slog.KindAny {
		text = fmt.Sprintf("%+v", v)
	}
	if clean := m.Text(text); clean != text {
		a.Value = slog.StringValue(clean)
	}
	return a
}
