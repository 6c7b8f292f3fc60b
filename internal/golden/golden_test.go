package golden

import (
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
)

// recorder is a test that records its failure.
type recorder struct {
	testing.TB
	said string
}

func (r *recorder) Fatalf(format string, args ...any) {
	r.said = fmt.Sprintf(format, args...)
	runtime.Goexit()
}

// failure returns the failure of a check, or an empty text.
func failure(t *testing.T, check func(testing.TB)) string {
	r := &recorder{TB: t}
	over := make(chan struct{})
	go func() {
		defer close(over)
		check(r)
	}()
	<-over
	return r.said
}

func TestDocumentsAreComparedOrWritten(t *testing.T) {
	path := filepath.Join(t.TempDir(), "page.md")
	const page = "above\n<!-- begin a -->\nold\n<!-- end a -->\nbelow\n"
	restore := func() {
		if err := os.WriteFile(path, []byte(page), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	checks := map[string]struct {
		check   func(testing.TB)
		says    string
		updated string
	}{
		"the same part": {func(t testing.TB) { Part(t, path, "a", "old\n") }, "", page},
		"another part":  {func(t testing.TB) { Part(t, path, "a", "new\n") }, "-update", strings.Replace(page, "old", "new", 1)},
		"no marks":      {func(t testing.TB) { Part(t, path, "b", "new\n") }, "no marks of b", page},
		"the same file": {func(t testing.TB) { File(t, path, page) }, "", page},
		"another file":  {func(t testing.TB) { File(t, path, "new\n") }, "-update", "new\n"},
	}
	for name, c := range checks {
		for _, *update = range []bool{false, true} {
			restore()
			want, says := c.updated, c.says
			switch {
			case !*update:
				want = page
			case says == "-update":
				says = ""
			}
			said := failure(t, c.check)
			if got, _ := os.ReadFile(path); string(got) != want || (said == "") != (says == "") || !strings.Contains(said, says) {
				t.Errorf("%s, update %t: %q, and the page is %q", name, *update, said, got)
			}
		}
	}
	*update = false
	restore()
	if err := Write(path, "b", "new\n"); err == nil {
		t.Error("a file without marks was written")
	}
	if err := Write(path, "a", "new\n"); err != nil {
		t.Error(err)
	}
}
