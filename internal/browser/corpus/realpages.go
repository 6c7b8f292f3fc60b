// Package corpus hands tests some ninety pages of the web as others saved
// them: news, encyclopedias, forums, blogs, in nine languages and more. They are
// the test pages of go-readability, taken from Go's module cache and kept
// nowhere else.
package corpus

import (
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
)

const (
	module  = "github.com/go-shiori/go-readability@v0.0.0-20251205110129-5db1dc9836f0"
	atLeast = 20_000 // bytes of HTML; what is smaller was written to test one thing
)

// Page is a saved page.
type Page struct {
	Name    string
	HTML    []byte // in UTF-8
	Article []byte // the HTML of the article alone, as those who saved the page took it out; nil where they did not
}

// All returns the pages by name. The module is fetched when the cache does not
// hold it.
func All() ([]Page, error) {
	dir, err := fetched()
	if err != nil {
		return nil, err
	}
	files, err := filepath.Glob(filepath.Join(dir, "test-pages", "*", "source.html"))
	if err != nil {
		return nil, err
	}
	var all []Page
	for _, file := range files {
		html, err := os.ReadFile(file)
		if err != nil {
			return nil, err
		}
		if len(html) >= atLeast {
			article, err := os.ReadFile(filepath.Join(filepath.Dir(file), "expected.html"))
			if err != nil && !os.IsNotExist(err) {
				return nil, err
			}
			all = append(all, Page{filepath.Base(filepath.Dir(file)), html, article})
		}
	}
	if len(all) < 50 {
		return nil, fmt.Errorf("%s has %d pages only", module, len(all))
	}
	return all, nil
}

func fetched() (string, error) {
	answer, err := exec.Command("go", "mod", "download", "-json", module).Output()
	if err != nil {
		return "", fmt.Errorf("cannot fetch %s: %w", module, err)
	}
	var at struct{ Dir string }
	err = json.Unmarshal(answer, &at)
	return at.Dir, err
}
