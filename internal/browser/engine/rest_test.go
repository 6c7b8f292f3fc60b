package engine_test

import (
	"bytes"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/gloveboxhq/glovebox/internal/action"
	"github.com/gloveboxhq/glovebox/internal/browser/browsertest"
	"github.com/gloveboxhq/glovebox/internal/browser/engine"
	"github.com/gloveboxhq/glovebox/internal/credentials"
)

// TestNothingIsLeftOnTheDisk of the cookies and headers that a browser with a
// profile had, once it has ended. Of what was put into storage something is:
// Chromium appends to its files, and the session room does not keep those.
func TestNothingIsLeftOnTheDisk(t *testing.T) {
	c := browsertest.For(t)
	s, seen := noting(t, map[string]string{"/": "<title>in</title>"})
	b, err := engine.Open(t.Context(), c.Transport(), engine.Options{Keeps: true, Guard: openAll, Owns: openAll})
	must(t, err)
	defer func() { _ = b.Close() }()
	tr := &trial{t: t, ctx: t.Context(), Browser: b}
	// Chromium encrypts values of cookies, under a key that is known: their names
	// are in the clear.
	const secret, named = "canary-0123456789", "canary-name"
	later := time.Now().Add(24 * time.Hour)
	must(t, tr.Inject(tr.ctx, credentials.Set{
		Domain: "127.0.0.1", Origin: s.URL, Headers: keep(map[string]string{"X-Api-Key": secret}),
		Cookies: []credentials.Cookie{{Name: named, Value: credentials.Keep(secret), Expires: &later}},
	}))
	tr.must("page.goto", &action.Goto{URL: s.URL})
	if r := seen.to("/")[0]; r.Header.Get("X-Api-Key") != secret || !strings.Contains(r.Header.Get("Cookie"), secret) {
		t.Fatalf("asked for with %v", r.Header)
	}
	must(t, tr.Purge(tr.ctx, []string{"127.0.0.1"}))
	dir := profileOf(t, c)
	engine.End(b)
	files := 0
	must(t, filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || !d.Type().IsRegular() {
			return nil // what goes while we look
		}
		text, err := os.ReadFile(path)
		if err != nil {
			return nil
		}
		files++
		if bytes.Contains(text, []byte(secret)) || bytes.Contains(text, []byte(named)) {
			t.Errorf("it is in %s", strings.TrimPrefix(path, dir))
		}
		return nil
	}))
	if files < 10 {
		t.Errorf("the profile has %d files", files)
	}
}

func profileOf(t *testing.T, c *browsertest.Chromium) string {
	t.Helper()
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/cmdline", c.PID()))
	must(t, err)
	for _, a := range strings.Split(string(text), "\x00") {
		if dir, is := strings.CutPrefix(a, "--user-data-dir="); is {
			return dir
		}
	}
	t.Fatal("the browser has no profile")
	return ""
}
