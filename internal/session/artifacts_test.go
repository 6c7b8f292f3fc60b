package session_test

import (
	"archive/zip"
	"bytes"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/gloveboxhq/glovebox/internal/action"
	"github.com/gloveboxhq/glovebox/internal/credentials"
	"github.com/gloveboxhq/glovebox/internal/fault"
)

const secret = "k7Qp2mXv9RtLw4Zs8NbY3cDf"

func TestStoredFilesContainNoSecretsOfTheirSession(t *testing.T) {
	r := newRig(t, withVault(&fakeVault{}))
	s := r.start(alice, action.SessionStart{})
	files := r.page(s.Box).options.Files
	r.options.Known.Learn(s.ID, credentials.Keep(secret))
	put, err := r.call(t.Context(), alice, "artifact.put", s.ID, &action.NewFile{Name: secret + ".txt", Bytes: []byte("it is " + secret)})
	must(t, err)
	if a := put.Data.(*action.Artifact); a.Name != "_redacted_.txt" || a.Size != int64(len("it is [redacted]")) {
		t.Errorf("kept %+v", a)
	}
	const download = "01234567-89ab-cdef-0123-456789abcdef"
	r.engine.Download(s.Box, download, []byte("id,"+secret+"\n"))
	file, err := files.Keep(t.Context(), action.Download{ID: download, Name: "export-" + secret + ".csv"})
	must(t, err)
	if string(file.Bytes) != "id,[redacted]\n" || strings.Contains(file.Name, secret) {
		t.Errorf("kept %q as %q", file.Bytes, file.Name)
	}
	var packed bytes.Buffer
	z := zip.NewWriter(&packed)
	w, _ := z.Create("a.txt")
	_, _ = w.Write([]byte(strings.Repeat("a line\n", 50) + secret))
	must(t, z.Close())
	const other = "11234567-89ab-cdef-0123-456789abcdef"
	r.engine.Download(s.Box, other, packed.Bytes())
	_, err = files.Keep(t.Context(), action.Download{ID: other, Name: "a.zip"})
	wants(t, fault.RedactionFailed, err)
	if listing, err := r.call(t.Context(), alice, "artifact.list", s.ID, nil); err != nil || len(listing.Data.(*action.ArtifactListing).Artifacts) != 2 {
		t.Errorf("kept %+v, %v", listing.Data, err)
	}
	_, err = r.goTo(alice, s.ID, "https://app.example/"+secret)
	must(t, err)
	r.end()
	r.nowhere(secret)
}

// nowhere checks that no file that the rig wrote contains the secret.
func (r *rig) nowhere(secret string) {
	r.t.Helper()
	seen := 0
	err := filepath.WalkDir(r.state, func(path string, e fs.DirEntry, err error) error {
		if err != nil || e.IsDir() {
			return err
		}
		content, err := os.ReadFile(path)
		if seen++; bytes.Contains(content, []byte(secret)) {
			r.t.Errorf("%s has the secret", path)
		}
		return err
	})
	if err != nil || seen < 3 {
		r.t.Errorf("looked into %d files: %v", seen, err)
	}
}
