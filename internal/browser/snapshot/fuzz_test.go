package snapshot_test

import (
	"regexp"
	"strings"
	"testing"

	"github.com/gloveboxhq/glovebox/internal/browser/injected"
	"github.com/gloveboxhq/glovebox/internal/browser/snapshot"
	"github.com/gloveboxhq/glovebox/internal/fault"
)

// FuzzResolve resolves any text: only references that were given resolve, in each
// of their three spellings.
func FuzzResolve(f *testing.F) {
	for _, seed := range []string{"e1", "@e2", "ref=e3", " e1 ", "e01", "e0", "e-1", "e99999999999999999999", "E1", "e1x", "ref=@e1", "", "é1", "e١"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, raw string) {
		refs := new(snapshot.Refs)
		given := map[string]int{}
		for node := range 3 {
			given[refs.Ref(snapshot.Place{Document: "A", Node: node + 10})] = node + 10
		}
		at, err := refs.Resolve(raw)
		plain := strings.TrimPrefix(strings.TrimPrefix(strings.TrimSpace(raw), "ref="), "@")
		if err == nil && (at.Document != "A" || given[plain] != at.Node) {
			t.Errorf("%q stands for %+v", raw, at)
		}
		if err != nil && given[plain] != 0 {
			t.Errorf("%q stands for nothing: %v", raw, err)
		}
		if code := fault.CodeOf(err); err != nil && code != fault.InvalidRequest && code != fault.StaleRef {
			t.Errorf("%q is refused with %v", raw, err)
		}
	})
}

var roles = []string{"button", "link", "textbox", "row", "cell", "table", "list", "listitem", "heading", "generic", "iframe", "text", "img", "", "odd role"}

// grow makes a tree from bytes: each pair adds a node, and goes down, up or
// stays. Frames get their own documents.
func grow(data []byte, text string) *snapshot.Frame {
	top := &snapshot.Frame{Document: "A", Tree: &injected.Tree{URL: text, Title: text}, Children: map[int]*snapshot.Frame{}}
	way := []*injected.Node{{}}
	for i := 0; i+1 < len(data) && i < 4000; i += 2 {
		kind, step := data[i], data[i+1]
		n := &injected.Node{Role: roles[int(kind)%len(roles)], Name: text[:int(kind)%(len(text)+1)], Number: int(step) * int(kind%3), Level: int(kind % 7)}
		switch {
		case kind%16 == 0:
			n = &injected.Node{Text: "t" + text}
		case kind%16 == 1:
			n.Frame, n.Number = true, i+1000
			top.Children[n.Number] = frame(string(rune('B'+len(top.Children)%20)), &injected.Node{Role: "button", Number: i + 1, Name: text})
		case kind%16 == 2:
			n.Container = i + 5000
		case kind%16 == 3:
			n.Protected, n.Value = true, "never-shown"
		case kind%16 == 4:
			n.States = &injected.States{Checked: text, Disabled: true, Description: text}
		}
		at := way[len(way)-1]
		at.Children = append(at.Children, n)
		switch {
		case step%3 == 1 && n.Text == "" && !n.Frame && len(way) < 300:
			way = append(way, n)
		case step%3 == 2 && len(way) > 1:
			way = way[:len(way)-1]
		}
	}
	top.Tree.Nodes = way[0].Children
	return top
}

var shown = regexp.MustCompile(`\[(e\d+)\]$|\[(e\d+)\] `)

// FuzzTrees formats any tree: the text keeps its grammar, each reference in it
// resolves, and it contains no protected value.
func FuzzTrees(f *testing.F) {
	f.Add([]byte{1, 1, 16, 1, 33, 1, 50, 2, 3, 0}, "Save")
	f.Add([]byte(strings.Repeat("\x05\x01", 200)), "deep")
	f.Add([]byte(strings.Repeat("\x03\x01\x04\x02", 60)), "rows")
	f.Add([]byte(strings.Repeat("\x20\x00", 50)), "a\nb\u2028[e1]")
	f.Fuzz(func(t *testing.T, data []byte, text string) {
		if len(text) > 200 {
			return
		}
		refs := new(snapshot.Refs)
		page := snapshot.Merge(grow(data, text), refs)
		for _, o := range []snapshot.Options{{}, {URLs: true, Unfold: true}, {Depth: 2}} {
			level := -1
			for line := range strings.Lines(page.Text(o)) {
				deep := len(line) - len(strings.TrimLeft(line, " "))
				if deep > level+1 || !strings.HasSuffix(line, "\n") {
					t.Errorf("the line %q is %d deep below %d", line, deep, level)
				}
				level = deep
				if strings.Contains(line, "never-shown") && !strings.Contains(text, "never-shown") {
					t.Errorf("a protected value is shown: %q", line)
				}
				for _, found := range shown.FindAllStringSubmatch(strings.TrimSuffix(line, "\n"), -1) {
					if _, err := refs.Resolve(found[1] + found[2]); err != nil && !strings.Contains(text, "[e") {
						t.Errorf("%q: %v", line, err)
					}
				}
			}
		}
		if tree := page.Tree(5); tree == nil || tree.Role != "RootWebArea" {
			t.Errorf("the tree is %+v", tree)
		}
	})
}
