package mcp

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"
)

// small makes a store with its own clock and limit.
func small(most int) (r *replays, pass func(time.Duration)) {
	r = newReplays()
	at := time.Unix(0, 0)
	r.most, r.now = most, func() time.Time { return at }
	return r, func(d time.Duration) { at = at.Add(d) }
}

// replayed returns the events of a stream after a given one.
func replayed(r *replays, session, stream string, index int) string {
	var all []string
	for data, err := range r.After(context.Background(), session, stream, index) {
		if err != nil {
			return "error"
		}
		all = append(all, string(data))
	}
	return strings.Join(all, " ")
}

func write(t *testing.T, r *replays, session, stream string, events ...string) {
	t.Helper()
	if err := r.Open(t.Context(), session, stream); err != nil {
		t.Fatal(err)
	}
	for _, e := range events {
		if err := r.Append(t.Context(), session, stream, []byte(e)); err != nil {
			t.Fatal(err)
		}
	}
}

func TestWhatWasSentIsReplayedFromAnEventOn(t *testing.T) {
	r, _ := small(1 << 20)
	write(t, r, "s", "a", "", "one", "two")
	write(t, r, "s", "b", "other")
	write(t, r, "t", "a", "another")
	for index, want := range map[int]string{-2: "error", -1: " one two", 0: "one two", 1: "two", 2: "", 3: "error"} {
		if got := replayed(r, "s", "a", index); got != want {
			t.Errorf("after %d: %q, want %q", index, got, want)
		}
	}
	if err := r.SessionClosed(t.Context(), "s"); err != nil {
		t.Fatal(err)
	}
	if got := replayed(r, "s", "a", -1) + replayed(r, "s", "b", -1) + replayed(r, "t", "a", -1); got != "errorerroranother" {
		t.Errorf("after the session's end: %q", got)
	}
	if want := len("another") + 2*replayEntry; r.bytes != want || r.quiet.Len() != 1 {
		t.Errorf("%d bytes of %d streams are kept, want %d", r.bytes, r.quiet.Len(), want)
	}
}

// The store has a limit, which also counts empty events and empty streams.
// Streams are dropped as a whole, so that no replay is incomplete.
func TestWhatIsKeptForReplayHasABound(t *testing.T) {
	const most = 20 * replayEntry
	r, _ := small(most)
	write(t, r, "s", "first", "", "kept")
	for i := range 1000 {
		write(t, r, "s", fmt.Sprint(i), "")
		if r.bytes > most || r.quiet.Len() > 20 || len(r.streams) != r.quiet.Len() {
			t.Fatalf("%d bytes of %d streams are kept", r.bytes, r.quiet.Len())
		}
	}
	if got := replayed(r, "s", "first", 0) + replayed(r, "s", "999", -1); got != "error" {
		t.Errorf("the first and the last: %q", got)
	}
	if err := r.Append(t.Context(), "s", "first", []byte("later")); err == nil || replayed(r, "s", "first", -1) != "error" {
		t.Errorf("a stream that is gone went on: %v", err)
	}
	write(t, r, "s", "large", "")
	if err := r.Append(t.Context(), "s", "large", make([]byte, most)); err != nil || replayed(r, "s", "large", 0) != "error" || r.bytes != 0 {
		t.Errorf("more than there is room for: %v, %d bytes", err, r.bytes)
	}
}

func TestWhatIsKeptForReplayIsForgottenInTime(t *testing.T) {
	r, pass := small(1 << 20)
	write(t, r, "s", "a", "one")
	pass(toolLimit) // a call may be silent for so long
	if err := r.Append(t.Context(), "s", "a", []byte("two")); err != nil {
		t.Fatal(err)
	}
	pass(replayTime)
	if got := replayed(r, "s", "a", -1); got != "one two" {
		t.Errorf("got %q", got)
	}
	pass(time.Second)
	if got := replayed(r, "s", "a", -1); got != "error" || r.bytes != 0 {
		t.Errorf("later: %q, %d bytes", got, r.bytes)
	}
}
