package gate_test

import (
	"testing"

	"github.com/gloveboxhq/glovebox/internal/action"
)

func BenchmarkCallWrite(b *testing.B) {
	h := open(b)
	h.shelf.element = &action.Element{Role: "tab", Name: "History"}
	benchmark(b, h, click(agent))
}

func BenchmarkCallRead(b *testing.B) {
	benchmark(b, open(b), snapshot(agent))
}

func benchmark(b *testing.B, h *house, call action.Call) {
	b.Helper()
	b.ReportAllocs()
	for b.Loop() {
		if _, err := h.Call(b.Context(), call); err != nil {
			b.Fatal(err)
		}
	}
}
