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

// leftOut are folders of a profile that its browser makes anew, and what belongs
// to the last session's tabs: what would open them again, and their storage,
// whose log has what was removed from it too.
var leftOut = []string{
	"Cache", "Code Cache", "GPUCache", "DawnGraphiteCache", "DawnWebGPUCache", "GrShaderCache", "GraphiteDawnCache",
	"ShaderCache", "ScriptCache", "Crashpad", "Crash Reports", "BrowserMetrics", "component_crx_cache",
	"extensions_crx_cache", "Safe Browsing", "Subresource Filter", "optimization_guide_model_store", "segmentation_platform",
	"WidevineCdm", "Sessions", "Session Storage",
}

// Pack writes the files below dir to w, without caches, and without whatever
// is neither file nor folder. The browser must have ended. Faults:
// invalid_request when it is too large.
func Pack(w io.Writer, dir string) error {
	root, err := os.OpenRoot(dir)
	if err != nil {
		return fmt.Errorf("cannot open the profile: %w", err)
	}
	defer func() { _ = root.Close() }()
	out, seen := tar.NewWriter(w), newTally()
	err = fs.WalkDir(root.FS(), ".", func(name string, d fs.DirEntry, err error) error {
		if err != nil || name == "." {
			return err
		}
		if d.IsDir() && slices.Contains(leftOut, path.Base(name)) {
			return fs.SkipDir
		}
		if !d.IsDir() && (!d.Type().IsRegular() || strings.HasSuffix(name, ".pma")) { // .pma: metrics, 4 MB of nothing
			return nil
		}
		return pack(out, seen, root, name, d)
	})
	return errors.Join(err, out.Close())
}

func pack(out *tar.Writer, seen *tally, root *os.Root, name string, d fs.DirEntry) error {
	info, err := d.Info()
	if err != nil {
		return fmt.Errorf("cannot look at a file of the profile: %w", err)
	}
	e := entry{name: name, dir: d.IsDir(), size: info.Size()}
	if e.dir {
		e.size = 0
	}
	if _, err := seen.admit(e.header()); err != nil {
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

// Unpack makes the files of a bundle below dir, which must be there and empty.
// No name leads out of it, whatever links lie there. Faults: invalid_request,
// as Copy; what was made until then stays.
func Unpack(dir string, src io.Reader) error {
	root, err := os.OpenRoot(dir)
	if err != nil {
		return fmt.Errorf("cannot open the profile: %w", err)
	}
	defer func() { _ = root.Close() }()
	return each(src, func(e entry, content io.Reader) error {
		if e.dir {
			return root.MkdirAll(e.name, 0o700)
		}
		if err := root.MkdirAll(path.Dir(e.name), 0o700); err != nil {
			return fmt.Errorf("cannot make a folder of the profile: %w", err)
		}
		return unpack(root, e, content)
	})
}

func unpack(root *os.Root, e entry, content io.Reader) error {
	file, err := root.OpenFile(e.name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return fmt.Errorf("cannot make a file of the profile: %w", err)
	}
	if _, err := io.Copy(file, content); err != nil {
		_ = file.Close()
		return broken(err)
	}
	if err := file.Close(); err != nil {
		return fmt.Errorf("cannot write a file of the profile: %w", err)
	}
	return nil
}
