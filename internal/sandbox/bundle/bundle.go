// Package bundle packs and unpacks a browser's profile as a tar. A guest packs the
// profile when its browser has exited and unpacks it before the next one starts. A
// bundle from a box is untrusted: its readers check each entry and write it anew.
package bundle

import (
	"archive/tar"
	"errors"
	"fmt"
	"io"
	"path"
	"path/filepath"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/gloveboxhq/glovebox/internal/fault"
)

// Limits of a bundle. A box has a tmpfs of 96 MiB for its profile, including the
// browser's caches.
const (
	MaxContent = 64 << 20 // bytes of all files together
	maxEntries = 20_000   // a typical profile has hundreds
	maxName    = 512      // bytes of a path
	maxDepth   = 16       // folders in folders

	// MaxSize is the maximal size of a bundle: its files, and a header and padding for
	// each entry.
	MaxSize = MaxContent + maxEntries*2<<10
)

// Copy copies a bundle from src to dst, entry by entry. It only keeps names, kinds and
// sizes of the headers. An empty src is an empty bundle. Faults: invalid_request when
// src is not a bundle, contains links, devices or paths that lead out of it, or is too
// large; dst is then incomplete.
func Copy(dst io.Writer, src io.Reader) error {
	out := tar.NewWriter(dst)
	err := readEntries(src, func(e entry, content io.Reader) error {
		if err := out.WriteHeader(e.header()); err != nil {
			return fmt.Errorf("cannot write a bundle: %w", err)
		}
		if _, err := io.Copy(out, content); err != nil {
			return unreadable(err)
		}
		return nil
	})
	if err != nil {
		return err
	}
	if err := out.Close(); err != nil {
		return fmt.Errorf("cannot write a bundle: %w", err)
	}
	return nil
}

// entry is one checked entry of a bundle.
type entry struct {
	name string // a clean path with slashes, below the bundle's root
	dir  bool
	size int64 // bytes; 0 for a folder
}

func (e entry) header() *tar.Header {
	if e.dir {
		return &tar.Header{Typeflag: tar.TypeDir, Name: e.name + "/", Mode: 0o700, Format: tar.FormatPAX}
	}
	return &tar.Header{Typeflag: tar.TypeReg, Name: e.name, Mode: 0o600, Size: e.size, Format: tar.FormatPAX}
}

// readEntries checks every entry of a bundle and calls visit with it. content has the size of
// the entry.
func readEntries(src io.Reader, visit func(e entry, content io.Reader) error) error {
	in, entries := tar.NewReader(src), newValidator()
	for {
		header, err := in.Next()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return unreadable(err)
		}
		e, err := entries.check(header)
		if err != nil {
			return err
		}
		if err := visit(e, in); err != nil {
			return err
		}
	}
}

// validator checks the entries of a bundle against those before.
type validator struct {
	dirs     map[string]bool // paths so far; true for a folder
	explicit map[string]bool // paths that had their own entry
	entries  int
	content  int64 // bytes of all files so far
}

func newValidator() *validator {
	return &validator{dirs: map[string]bool{"": true}, explicit: map[string]bool{}}
}

// check checks the header of an entry.
func (v *validator) check(h *tar.Header) (entry, error) {
	e := entry{dir: h.Typeflag == tar.TypeDir}
	if !e.dir && h.Typeflag != tar.TypeReg {
		return e, invalidBundle("holds what is neither a file nor a folder")
	}
	if !validName(h.Name) {
		return e, invalidBundle("holds a name that is none of a file below it")
	}
	e.name = path.Clean(h.Name)
	if !e.dir {
		e.size = h.Size
	}
	v.entries++
	if e.size < 0 || e.size > MaxContent-v.content || v.entries > maxEntries {
		return e, invalidBundle("is too large: at most %d bytes in %d entries", MaxContent, maxEntries)
	}
	v.content += e.size
	return e, v.checkPath(e)
}

// checkPath refuses a path that has its own entry already, and a file inside a file.
func (v *validator) checkPath(e entry) error {
	for at := path.Dir(e.name); at != "."; at = path.Dir(at) {
		if dir, there := v.dirs[at]; there && !dir {
			return invalidBundle("holds a file in a file")
		}
		v.dirs[at] = true
	}
	dir, there := v.dirs[e.name]
	if there && (!dir || !e.dir || v.explicit[e.name]) {
		return invalidBundle("holds a name twice")
	}
	v.dirs[e.name] = e.dir
	v.explicit[e.name] = true
	return nil
}

// validName reports whether name is a path below the root, in the form that Pack writes.
func validName(name string) bool {
	bare := strings.TrimSuffix(name, "/")
	return bare != "." && len(name) <= maxName && utf8.ValidString(name) &&
		!strings.ContainsFunc(name, unicode.IsControl) && !strings.Contains(name, `\`) &&
		filepath.IsLocal(bare) && path.Clean(bare) == bare && strings.Count(bare, "/") < maxDepth
}

func invalidBundle(format string, args ...any) *fault.Fault {
	return fault.New(fault.InvalidRequest, "the profile's bundle "+format, args...).
		Hinted("it is not used; the profile stays as it was saved before")
}

// unreadable returns the fault for a bundle that cannot be read to its end. The text of
// err can come from the bundle, so it is only the cause and not shown.
func unreadable(err error) error {
	if f := (*fault.Fault)(nil); errors.As(err, &f) {
		return err
	}
	return invalidBundle("is cut off or broken").Because(err)
}
