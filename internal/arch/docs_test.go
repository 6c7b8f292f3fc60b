package arch

import (
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

var (
	named   = regexp.MustCompile("`(Test[A-Za-z0-9]+)`")
	defined = regexp.MustCompile(`(?m)^func (Test[A-Za-z0-9]+)\(`)
)

// TestDocsNameTestsThatExist holds the pages that promise something to the
// tests they say hold it.
func TestDocsNameTestsThatExist(t *testing.T) {
	exist := map[string]bool{}
	for _, folder := range []string{"../../internal", "../../e2e", "../../cmd", "../../demo", "../../bench"} {
		err := filepath.WalkDir(folder, func(path string, entry fs.DirEntry, err error) error {
			if err != nil || !strings.HasSuffix(path, "_test.go") || entry.IsDir() {
				return err
			}
			text, err := os.ReadFile(path)
			for _, found := range defined.FindAllSubmatch(text, -1) {
				exist[string(found[1])] = true
			}
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	pages, err := filepath.Glob("../../docs/*.md")
	if err != nil {
		t.Fatal(err)
	}
	mentions := 0
	for _, page := range pages {
		text, err := os.ReadFile(page)
		if err != nil {
			t.Fatal(err)
		}
		for _, found := range named.FindAllSubmatch(text, -1) {
			mentions++
			if name := string(found[1]); !exist[name] {
				t.Errorf("%s names %s, and there is no such test", filepath.Base(page), name)
			}
		}
	}
	if mentions == 0 {
		t.Error("no page names a test: this test looks for the wrong thing")
	}
}
