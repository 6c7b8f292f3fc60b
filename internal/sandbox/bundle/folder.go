package bundle

import (
	"archive/tar"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"slices"
	"strings"
)

// excluded are the folders of a profile that are not packed: those that the browser
// makes again, and the open tabs of the last session with their session storage, whose
// log still contains removed values.
var excluded = []string{
	"Cache", "Code Cache", "GPUCache", "DawnGraphiteCache", "DawnWebGPUCache", "GrShaderCache", "GraphiteDawnCache",
	"ShaderCache", "ScriptCache", "Crashpad", "Crash Reports", "BrowserMetrics", "component_crx_cache",
	"extensions_crx_cache", "Safe Browsing", "Subresource Filter", "optimization_guide_model_store", "segmentation_platform",
	"WidevineCdm", "Sessions", "Session Storage",
}

// Pack writes the files below dir to w, without caches and without anything but files
// and folders. The browser must have exited. Faults: invalid_request when they are too
// large.
func Pack(w io.Writer, dir string) error {
	root, err := os.OpenRoot(dir)
	if err != nil {
		return fmt.Errorf("cannot open the profile: %w", err)
	}
	defer func() { _ = root.Close() }()
	out, entries := tar.NewWriter(w), newValidator()
	err = fs.WalkDir(root.FS(), ".", func(name string, d fs.DirEntry, err error) error {
		if err != nil || name == "." {
			return err
		}
		if d.IsDir() && slices.Contains(excluded, path.Base(name)) {
			return fs.SkipDir
		}
		if !d.IsDir() && (!d.Type().IsRegular() || strings.HasSuffix(name, ".pma")) { // .pma: 4 MB of metrics
			return nil
		}
		return packFile(out, entries, root, name, d)
	})
	return errors.Join(err, out.Close())
}

func packFile(out *tar.Writer, entries *validator, root *os.Root, name string, d fs.DirEntry) error {
	info, err := d.Info()
	if err != nil {
		return fmt.Errorf("cannot look at a file of the profile: %w", err)
	}
	e := entry{name: name, dir: d.IsDir(), size: info.Size()}
	if e.dir {
		e.size = 0
	}
	if _, err := entries.check(e.header()); err != nil {
		return err
	}
	if err := out.WriteHeader(e.header()); err != nil || e.dir {
		return err
	}
	file, err := root.Open(name)
	if err != nil {
		return fmt.Errorf("cannot open a file of the profile: %w", err)
	}
	defer func() { _ = file.Close() }()
	if _, err := io.CopyN(out, file, e.size); err != nil {
		return fmt.Errorf("cannot read a file of the profile: %w", err)
	}
	return nil
}

// Unpack writes the files of a bundle below dir, which must exist and be empty. No
// entry can be written outside of dir, even through links in it. Faults:
// invalid_request as for Copy; files written before it stay.
func Unpack(dir string, src io.Reader) error {
	root, err := os.OpenRoot(dir)
	if err != nil {
		return fmt.Errorf("cannot open the profile: %w", err)
	}
	defer func() { _ = root.Close() }()
	return readEntries(src, func(e entry, content io.Reader) error {
		if e.dir {
			return root.MkdirAll(e.name, 0o700)
		}
		if err := root.MkdirAll(path.Dir(e.name), 0o700); err != nil {
			return fmt.Errorf("cannot make a folder of the profile: %w", err)
		}
		return unpackFile(root, e, content)
	})
}

func unpackFile(root *os.Root, e entry, content io.Reader) error {
	file, err := root.OpenFile(e.name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return fmt.Errorf("cannot make a file of the profile: %w", err)
	}
	if _, err := io.Copy(file, content); err != nil {
		_ = file.Close()
		return unreadable(err)
	}
	if err := file.Close(); err != nil {
		return fmt.Errorf("cannot write a file of the profile: %w", err)
	}
	return nil
}
