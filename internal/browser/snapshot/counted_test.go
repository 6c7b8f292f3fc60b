package snapshot_test

import (
	"strings"
	"testing"

	"github.com/gloveboxhq/glovebox/internal/browser/injected"
	"github.com/gloveboxhq/glovebox/internal/browser/snapshot"
)

func TestCountsAfterATextOrInAFrameAreShown(t *testing.T) {
	counted := []*injected.Node{{Role: "link", Name: "one", Number: 1}, {Text: "after", More: 30}}
	child := &snapshot.Frame{Document: "c", Tree: &injected.Tree{Container: 7, Nodes: counted}}
	top := &snapshot.Frame{Document: "d", Tree: &injected.Tree{Nodes: []*injected.Node{{Role: "iframe", Number: 3, Frame: true}}}, Children: map[int]*snapshot.Frame{3: child}}
	text := snapshot.Merge(top, &snapshot.Refs{}).Text(snapshot.Options{})
	if !strings.Contains(text, "… 30 more; ref=e") {
		t.Errorf("the page is\n%s", text)
	}
}
