package bridge

import (
	"bytes"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/gloveboxhq/glovebox/internal/fault"
)

// Folders of the box, as paths inside it.
const (
	home    = "/tmp"
	uploads = home + "/upload"
)

const download = "01234567-89ab-cdef-0123-456789abcdef"

func TestFilesArePutFetchedAndRemoved(t *testing.T) {
	r := newTestBox(t, longLease)
	l := r.listen(nil)
	r.dial()
	big := bytes.Repeat([]byte{0, 1, 2, 3}, 5<<20)
	for name, content := range map[string][]byte{"empty": nil, "a b%2f ü\n漢 .txt": []byte("x"), "big": big} {
		at, err := l.Put(r.context(), name, content)
		if err != nil {
			t.Fatalf("%q: %v", name, err)
		}
		rest, found := strings.CutPrefix(at, uploads)
		got, err := os.ReadFile(filepath.Join(r.folders.Upload, rest))
		if err != nil || !found || !bytes.Equal(got, content) {
			t.Errorf("%q at %s has %d bytes, %v", name, at, len(got), err)
		}
		if err := l.Remove(r.context(), at); err != nil {
			t.Error(err)
		}
		if left, _ := os.ReadDir(r.folders.Upload); len(left) != 0 {
			t.Errorf("%v is left", left)
		}
	}
	if err := os.WriteFile(filepath.Join(r.folders.Download, download), big, 0o600); err != nil {
		t.Fatal(err)
	}
	if got, err := l.Fetch(r.context(), download, int64(len(big))); err != nil || !bytes.Equal(got, big) {
		t.Errorf("fetched %d bytes, %v", len(got), err)
	}
	if _, err := l.Fetch(r.context(), download, int64(len(big))-1); fault.CodeOf(err) != fault.LimitReached {
		t.Errorf("more than was asked for: %v", err)
	}
	if err := l.Remove(r.context(), download); err != nil {
		t.Error(err)
	}
	if _, err := l.Fetch(r.context(), download, 1); fault.CodeOf(err) != fault.NotFound {
		t.Errorf("what was removed: %v", err)
	}
}

func TestOnlyRegularFilesOfTheFoldersAreAccessible(t *testing.T) {
	r := newTestBox(t, longLease)
	l := r.listen(nil)
	r.dial()
	outside := filepath.Join(t.TempDir(), "secret")
	for _, err := range []error{
		os.WriteFile(outside, []byte("secret"), 0o600),
		os.Symlink(outside, filepath.Join(r.folders.Download, download)),
		os.Mkdir(filepath.Join(r.folders.Download, "1"+download[1:]), 0o700),
	} {
		if err != nil {
			t.Fatal(err)
		}
	}
	for _, id := range []string{download, "1" + download[1:], "../../etc/passwd", "..", "", "a/b", "%2e%2e"} {
		if got, err := l.Fetch(r.context(), id, 100); fault.CodeOf(err) != fault.NotFound {
			t.Errorf("%q: %q, %v", id, got, err)
		}
	}
	for _, name := range []string{"..", ".", "", "a/b", "/a", "../a", strings.Repeat("a", 256)} {
		if at, err := l.Put(r.context(), name, nil); fault.CodeOf(err) != fault.InvalidRequest {
			t.Errorf("%q is put at %q, %v", name, at, err)
		}
	}
	for _, file := range []string{"/etc/passwd", uploads + "/../x", uploads + "/0123456789abcdef/../../x", "..", ""} {
		if err := l.Remove(r.context(), file); err == nil {
			t.Errorf("%q was removed", file)
		}
	}
	if _, err := os.Stat(outside); err != nil {
		t.Error(err)
	}
}

func TestHostileFilesAreBounded(t *testing.T) {
	for name, answer := range map[string]http.HandlerFunc{
		"endless": func(w http.ResponseWriter, _ *http.Request) {
			block := bytes.Repeat([]byte("x"), 64<<10)
			for {
				if _, err := w.Write(block); err != nil {
					return
				}
			}
		},
		"cut short": func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Length", "1000")
			_, _ = io.WriteString(w, "x")
		},
		"a lie about its size": func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Length", "9000000000000000000")
			_, _ = io.WriteString(w, strings.Repeat("x", 2000))
		},
		"no file": func(w http.ResponseWriter, r *http.Request) {
			http.Redirect(w, r, "http://elsewhere/", http.StatusFound)
		},
	} {
		t.Run(name, func(t *testing.T) {
			r := newTestBox(t, longLease)
			l := r.listen(nil)
			startHostileGuest(t, r, answer)
			if got, err := l.Fetch(r.context(), download, 1000); err == nil {
				t.Errorf("fetched %d bytes", len(got))
			}
		})
	}
}
