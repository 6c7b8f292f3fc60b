package session

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"net/http"
	"sync"

	"github.com/gloveboxhq/glovebox/internal/action"
	"github.com/gloveboxhq/glovebox/internal/artifact"
	"github.com/gloveboxhq/glovebox/internal/browser/engine"
	"github.com/gloveboxhq/glovebox/internal/fault"
	"github.com/gloveboxhq/glovebox/internal/sandbox"
	"github.com/gloveboxhq/glovebox/internal/untrusted"
)

const (
	maxStaged  = 56 << 20 // bytes of all files in a box for uploads; the folder is slightly larger
	maxFetched = 64 << 20 // bytes of a download; the page engine has a limit too
)

// boxFiles moves files between callers, artifacts and one box. Only a path that
// it created can be uploaded again.
type boxFiles struct {
	files *fileStore
	box   string

	mu     sync.Mutex // one upload at a time
	staged []action.SentFile
}

var _ engine.Files = (*boxFiles)(nil)

// content is a file to put into the box, or one that is already there (path).
type content struct {
	name  string
	bytes []byte
	there *action.SentFile
}

// Stage copies the files of an upload into the box (engine.Files).
func (f *boxFiles) Stage(ctx context.Context, a *action.Upload) ([]action.SentFile, error) {
	sess, box, err := f.session()
	if err != nil {
		return nil, err
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	files, err := f.named(ctx, sess.scope, a)
	if err != nil {
		return nil, err
	}
	if err := f.makeRoom(ctx, box, files); err != nil {
		return nil, err
	}
	sent := make([]action.SentFile, 0, len(files))
	for _, file := range files {
		one, err := f.put(ctx, box, file)
		if err != nil {
			return nil, err
		}
		sent = append(sent, one)
	}
	return sent, nil
}

// session returns the session of the box, and the box.
func (f *boxFiles) session() (*openSession, sandbox.Box, error) {
	sess := f.files.sessions.byBox(f.box)
	if sess == nil {
		return nil, nil, gone()
	}
	box := sess.stage().box
	if box == nil {
		return nil, nil, gone()
	}
	return sess, box, nil
}

func gone() *fault.Fault {
	return fault.New(fault.NotActive, "the session of that box is over").Hinted("start another session")
}

// named returns the files of an upload, in the order of its fields.
func (f *boxFiles) named(ctx context.Context, scope string, a *action.Upload) ([]content, error) {
	var names []string
	if a.Path != "" {
		names = append(names, a.Path)
	}
	if a.Artifact != "" {
		names = append(names, a.Artifact)
	}
	var all []content
	for _, name := range append(names, a.Paths...) {
		one, err := f.find(ctx, scope, name)
		if err != nil {
			return nil, err
		}
		all = append(all, one)
	}
	for _, file := range a.Files {
		all = append(all, content{name: untrusted.FileName(file.Name), bytes: file.Bytes})
	}
	total := 0
	for _, one := range all {
		total += len(one.bytes)
	}
	if total > action.MostUpload {
		return nil, tooMuch()
	}
	return all, nil
}

// find returns a file by its path in the box, which must be one that we returned,
// or by the id of an artifact of the scope.
func (f *boxFiles) find(ctx context.Context, scope, name string) (content, error) {
	for i := range f.staged {
		if f.staged[i].Path == name {
			return content{there: &f.staged[i]}, nil
		}
	}
	if name != "" && name[0] == '/' || len(name) != 32 {
		return content{}, fault.New(fault.InvalidRequest, "that is no file of this session's upload folder").
			Hinted("give a path that an upload answered with, an artifact's id, or send the file with the call").With("field", "path")
	}
	file, err := f.files.artifacts.Load(ctx, scope, name)
	return content{name: untrusted.FileName(file.Name), bytes: file.Bytes}, err
}

func tooMuch() *fault.Fault {
	return fault.New(fault.InvalidRequest, "the files have more than %d bytes together", action.MostUpload).Hinted("upload less at a time")
}

// makeRoom removes the oldest files of earlier uploads until the new ones fit. By
// then the page has read them or had time to.
func (f *boxFiles) makeRoom(ctx context.Context, box sandbox.Box, files []content) error {
	var total int64
	wanted := map[string]bool{}
	for _, one := range files {
		total += int64(len(one.bytes))
		if one.there != nil {
			wanted[one.there.Path] = true
		}
	}
	for _, old := range f.staged {
		total += old.Size
	}
	kept := f.staged[:0:0]
	for _, old := range f.staged {
		if total <= maxStaged || wanted[old.Path] {
			kept = append(kept, old)
			continue
		}
		if err := box.Remove(ctx, old.Path); err != nil {
			return err
		}
		total -= old.Size
	}
	f.staged = kept
	return nil
}

func (f *boxFiles) put(ctx context.Context, box sandbox.Box, file content) (action.SentFile, error) {
	if file.there != nil {
		return *file.there, nil
	}
	at, err := box.Put(ctx, file.name, file.bytes)
	if err != nil {
		return action.SentFile{}, err
	}
	sum := sha256.Sum256(file.bytes)
	sent := action.SentFile{Name: file.name, Size: int64(len(file.bytes)), SHA256: hex.EncodeToString(sum[:]), Path: at}
	f.staged = append(f.staged, sent)
	return sent, nil
}

// Keep copies a download out of the box and stores it as an artifact
// (engine.Files). Its media type is determined from its content, not from what
// the page declared (mimesniff.spec.whatwg.org).
func (f *boxFiles) Keep(ctx context.Context, d action.Download) (action.File, error) {
	sess, box, err := f.session()
	if err != nil {
		return action.File{}, err
	}
	if d.Artifact != "" {
		return f.files.artifacts.Load(ctx, sess.scope, d.Artifact)
	}
	bytes, err := box.Fetch(ctx, d.ID, maxFetched)
	if err != nil {
		return action.File{}, err
	}
	owner := artifact.Owner{Scope: sess.scope, Session: sess.id}
	kept, err := f.files.save(ctx, owner, d.Name, http.DetectContentType(bytes), bytes)
	if err != nil {
		return action.File{}, err
	}
	if err := box.Remove(ctx, d.ID); err != nil {
		f.files.log.WarnContext(ctx, "cannot remove a download from its box", "box", f.box, "error", err)
	}
	return kept, nil
}

// Drop removes a download from the box (engine.Files).
func (f *boxFiles) Drop(ctx context.Context, id string) error {
	_, box, err := f.session()
	if err != nil {
		return err
	}
	return box.Remove(ctx, id)
}
