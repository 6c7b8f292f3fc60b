package peer

import "testing"

// Home is a folder, and all processes that have its mark in their environment.
// They end with the test, and when the run is interrupted (Main).
type Home struct{ family family }

// NewHome makes one that goes with the test.
func NewHome(tb testing.TB) *Home {
	tb.Helper()
	f, err := newFamily()
	if err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(f.end)
	return &Home{f}
}

// Path is the folder's.
func (h *Home) Path() string { return h.family.home }

// Mark is a variable, "NAME=value", for the environment of a process.
func (h *Home) Mark() string { return h.family.mark }
