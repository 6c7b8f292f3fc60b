package redact

import (
	"context"
	"fmt"
	"log/slog"
	"slices"
)

// Handler returns a handler of log lines that passes them on to another without
// the secrets that are known when they are written.
func (b *Book) Handler(to slog.Handler) slog.Handler { return &handler{book: b, root: to, now: to} }

// handler keeps how it came about: what was said beforehand may have become a
// secret since.
type handler struct {
	book  *Book
	root  slog.Handler
	now   slog.Handler // root after the steps, as they were said
	steps []step
}

// step is a group that was opened, or attributes that were given.
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
	return &handler{book: h.book, root: h.root, now: s.apply(h.now), steps: append(slices.Clip(h.steps), s)}
}

// Enabled is that of the handler it passes on to.
func (h *handler) Enabled(ctx context.Context, level slog.Level) bool {
	return h.root.Enabled(ctx, level)
}

// WithAttrs is as slog.Handler says.
func (h *handler) WithAttrs(attrs []slog.Attr) slog.Handler { return h.with(step{attrs: attrs}) }

// WithGroup is as slog.Handler says.
func (h *handler) WithGroup(name string) slog.Handler {
	if name == "" {
		return h
	}
	return h.with(step{group: name})
}

// Handle passes a line on.
func (h *handler) Handle(ctx context.Context, r slog.Record) error {
	m := h.book.All()
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

// attr is an attribute without secrets: where it has one it is a text.
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
