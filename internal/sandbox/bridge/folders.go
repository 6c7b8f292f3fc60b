package bridge

import (
	"errors"
	"io"
	"io/fs"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"syscall"
)

// MaxUpload is the size of the largest file that can be put into a box, in bytes.
const MaxUpload = 32 << 20

// Folders are the folders of a box through which it exchanges files with the
// gateway: files that the browser can upload, and files that it downloaded.
type Folders struct{ Upload, Download string }

var (
	folderPattern   = regexp.MustCompile(`^[0-9a-f]{16}$`)
	downloadPattern = regexp.MustCompile(`^[0-9A-Fa-f-]{32,36}$`) // guid of Browser.downloadWillBegin
)

// isFileName reports whether name is a file name without folders.
func isFileName(name string) bool {
	return len(name) <= 255 && filepath.IsLocal(name) && filepath.Base(name) == name && name != "."
}

// put writes a new file into a new folder. Both are readable by others, because
// the browser may run as another user.
func (e *endpoint) put(w http.ResponseWriter, r *http.Request) {
	folder, name := r.PathValue("folder"), r.PathValue("name")
	if !folderPattern.MatchString(folder) || !isFileName(name) || r.ContentLength < 0 || r.ContentLength > MaxUpload {
		writeError(w, http.StatusBadRequest, "malformed")
		return
	}
	err := e.folders.write(folder, name, io.LimitReader(r.Body, r.ContentLength), r.ContentLength)
	switch {
	case errors.Is(err, syscall.ENOSPC):
		writeError(w, http.StatusInsufficientStorage, "no_room")
	case err != nil:
		writeError(w, http.StatusInternalServerError, "not_written")
	default:
		writeJSON(w, struct{}{})
	}
}

func (f Folders) write(folder, name string, content io.Reader, size int64) (err error) {
	root, err := os.OpenRoot(f.Upload)
	if err != nil {
		return err
	}
	defer func() { _ = root.Close() }()
	if err := root.Mkdir(folder, 0o755); err != nil {
		return err
	}
	defer func() {
		if err != nil {
			_ = root.RemoveAll(folder) // leave no partial file
		}
	}()
	file, err := root.OpenFile(filepath.Join(folder, name), os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o644)
	if err != nil {
		return err
	}
	written, err := io.Copy(file, content)
	if err == nil && written != size {
		err = io.ErrUnexpectedEOF
	}
	return errors.Join(err, file.Close())
}

func (e *endpoint) removeUpload(w http.ResponseWriter, r *http.Request) {
	folder := r.PathValue("folder")
	e.remove(w, e.folders.Upload, folder, folderPattern.MatchString(folder))
}

func (e *endpoint) removeDownload(w http.ResponseWriter, r *http.Request) {
	id := r.PathValue("id")
	e.remove(w, e.folders.Download, id, downloadPattern.MatchString(id))
}

func (e *endpoint) remove(w http.ResponseWriter, dir, name string, wellFormed bool) {
	root, err := os.OpenRoot(dir)
	if err != nil || !wellFormed {
		writeError(w, http.StatusBadRequest, "malformed")
		return
	}
	defer func() { _ = root.Close() }()
	if err := root.RemoveAll(name); err != nil {
		writeError(w, http.StatusInternalServerError, "not_removed")
		return
	}
	writeJSON(w, struct{}{})
}

// fetch sends a downloaded file. It refuses everything but regular files.
func (e *endpoint) fetch(w http.ResponseWriter, r *http.Request) {
	id := r.PathValue("id")
	if !downloadPattern.MatchString(id) {
		writeError(w, http.StatusBadRequest, "malformed")
		return
	}
	file, size, err := openRegularFile(e.folders.Download, id)
	if err != nil {
		writeError(w, http.StatusNotFound, "no_such_file")
		return
	}
	defer func() { _ = file.Close() }()
	w.Header().Set("Content-Type", "application/octet-stream")
	w.Header().Set("Content-Length", strconv.FormatInt(size, 10))
	_, _ = io.CopyN(w, file, size) // fails only when the gateway has gone
}

func openRegularFile(dir, name string) (*os.File, int64, error) {
	root, err := os.OpenRoot(dir)
	if err != nil {
		return nil, 0, err
	}
	defer func() { _ = root.Close() }()
	before, err := root.Lstat(name)
	if err != nil || !before.Mode().IsRegular() {
		return nil, 0, errors.Join(err, fs.ErrNotExist)
	}
	file, err := root.OpenFile(name, os.O_RDONLY|syscall.O_NOFOLLOW|syscall.O_NONBLOCK, 0)
	if err != nil {
		return nil, 0, err
	}
	info, err := file.Stat()
	if err != nil || !info.Mode().IsRegular() {
		return nil, 0, errors.Join(err, file.Close(), fs.ErrNotExist)
	}
	return file, info.Size(), nil
}
