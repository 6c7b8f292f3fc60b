package session_test

import (
	"strings"
	"testing"

	"github.com/gloveboxhq/glovebox/internal/action"
	"github.com/gloveboxhq/glovebox/internal/fault"
)

func TestFilesAreMovedToAndFromTheBoxOfTheirSession(t *testing.T) {
	r := newRig(t)
	mine, other := r.start(alice, action.SessionStart{}), r.start(bob, action.SessionStart{})
	files := r.page(mine.Box).options.Files
	kept, err := r.call(t.Context(), alice, "artifact.put", mine.ID, &action.NewFile{Name: "../a.txt", Bytes: []byte("kept")})
	must(t, err)
	id := kept.Data.(*action.Artifact).ID
	sent, err := files.Stage(t.Context(), &action.Upload{Artifact: id, Files: []action.NewFile{{Name: "/etc/passwd", Bytes: []byte("sent")}}})
	must(t, err)
	if len(sent) != 2 || sent[0].Size != 4 || sent[1].Name != "_etc_passwd" || len(r.engine.Files(mine.Box)) != 2 || len(r.engine.Files(other.Box)) != 0 {
		t.Fatalf("staged %+v", sent)
	}
	if again, err := files.Stage(t.Context(), &action.Upload{Path: sent[1].Path}); err != nil || again[0] != sent[1] {
		t.Errorf("again %+v, %v", again, err)
	}
	for _, path := range []string{"/etc/passwd", "/tmp/upload/../prof", sent[1].Path + "/..", "x", strings.Repeat("/", 32)} {
		_, err := files.Stage(t.Context(), &action.Upload{Path: path})
		wants(t, fault.InvalidRequest, err)
	}
	_, err = r.page(other.Box).options.Files.Stage(t.Context(), &action.Upload{Artifact: id})
	wants(t, fault.NotFound, err)
	_, err = r.page(other.Box).options.Files.Stage(t.Context(), &action.Upload{Path: sent[1].Path})
	wants(t, fault.InvalidRequest, err)

	const download = "01234567-89ab-cdef-0123-456789abcdef"
	r.engine.Download(mine.Box, download, []byte("<html>fetched"))
	file, err := files.Keep(t.Context(), action.Download{ID: download, Name: "a.png"})
	must(t, err)
	if string(file.Bytes) != "<html>fetched" || !strings.HasPrefix(file.MediaType, "text/html") || len(r.engine.Files(mine.Box)) != 2 {
		t.Errorf("fetched %+v, left %v", file, r.engine.Files(mine.Box))
	}
	if again, err := files.Keep(t.Context(), action.Download{ID: download, Artifact: file.ID}); err != nil || string(again.Bytes) != string(file.Bytes) {
		t.Errorf("again %+v, %v", again, err)
	}
}

func TestOldUploadsAreRemovedForNewOnes(t *testing.T) {
	r := newRig(t)
	s := r.start(alice, action.SessionStart{})
	files := r.page(s.Box).options.Files
	var sent []action.SentFile
	for range 3 {
		one, err := files.Stage(t.Context(), &action.Upload{Files: []action.NewFile{{Name: "big", Bytes: make([]byte, 20<<20)}}})
		must(t, err)
		sent = append(sent, one...)
	}
	left := strings.Join(r.engine.Files(s.Box), " ")
	if strings.Contains(left, sent[0].Path) || !strings.Contains(left, sent[1].Path) || !strings.Contains(left, sent[2].Path) {
		t.Errorf("in the box are %s", left)
	}
	_, err := files.Stage(t.Context(), &action.Upload{Path: sent[0].Path})
	wants(t, fault.InvalidRequest, err)
}

func TestAnEndedSessionAcceptsNoArtifacts(t *testing.T) {
	r := newRig(t)
	s := r.start(alice, action.SessionStart{})
	put := func(who action.Caller) error {
		_, err := r.call(t.Context(), who, "artifact.put", s.ID, &action.NewFile{Name: "a.txt", Bytes: []byte("kept")})
		return err
	}
	must(t, put(alice))
	for _, how := range []string{"session.close", "session.archive"} {
		_, err := r.call(t.Context(), alice, how, s.ID, nil)
		must(t, err)
		wants(t, fault.NotActive, put(alice))
		wants(t, fault.SessionNotFound, put(bob))
	}
	left, err := r.call(t.Context(), alice, "artifact.list", s.ID, nil)
	must(t, err)
	if list := left.Data.(*action.ArtifactListing).Artifacts; len(list) != 1 {
		t.Errorf("it has %v", list)
	}
}
