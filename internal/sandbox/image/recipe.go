package image

import (
	"archive/tar"
	"bytes"
	"crypto/sha256"
	"debug/elf"
	"encoding/hex"
	"fmt"
	"io"
	"io/fs"
	"os"

	"github.com/gloveboxhq/glovebox/images"
	"github.com/gloveboxhq/glovebox/internal/fault"
)

const staticBuild = "CGO_ENABLED=0 GOOS=linux go build -o glovebox ./cmd/glovebox"

// file is one file of the build context.
type file struct {
	name string
	mode int64
	data []byte
}

// recipe is everything that an image is built from.
type recipe struct {
	files  []file // the embedded files, then the binary
	binary string // SHA-256 of the binary
	hash   string // SHA-256 of the embedded files

	arguments map[string]*string // of the build, in addition to those of every build
}

// newRecipe returns the recipe for a binary (a path, empty for the running program).
// architecture is the engine's, named as by uname, or empty when unknown.
func newRecipe(binary, architecture string) (*recipe, error) {
	if binary == "" {
		self, err := os.Executable()
		if err != nil {
			return nil, fault.New(fault.InvalidRequest, "this program cannot find its own file").
				Hinted("build a static one (%s) and name it with --binary", staticBuild).Because(err)
		}
		binary = self
	}
	data, err := os.ReadFile(binary)
	if err != nil {
		return nil, fault.New(fault.InvalidRequest, "the glovebox binary cannot be read").
			Hinted("name a file that exists with --binary").Because(err)
	}
	if err := checkStatic(data, architecture); err != nil {
		return nil, fault.New(fault.InvalidRequest, "this glovebox binary cannot run in a box: %v", err).
			Hinted("build a static one (%s) and name it with --binary", staticBuild)
	}
	r, err := embeddedRecipe()
	if err != nil {
		return nil, err
	}
	r.binary = digest(data)
	r.files = append(r.files, file{"glovebox", 0o755, data})
	return r, nil
}

// embeddedRecipe returns the recipe without the binary.
func embeddedRecipe() (*recipe, error) {
	r := &recipe{}
	sum := sha256.New()
	for _, name := range []string{"Dockerfile", "policy.json", "screen.c"} {
		data, err := fs.ReadFile(images.Browser, "browser/"+name)
		if err != nil {
			return nil, fmt.Errorf("cannot read an embedded file: %w", err)
		}
		_, _ = fmt.Fprintf(sum, "%s %d\n%s", name, len(data), data) // writing to a hash cannot fail
		r.files = append(r.files, file{name, 0o644, data})
	}
	r.hash = hex.EncodeToString(sum.Sum(nil))
	return r, nil
}

func (r *recipe) labels() map[string]string {
	return map[string]string{LabelBinary: r.binary, LabelRecipe: r.hash}
}

// context returns the build context as a tar archive. The same files give the same
// bytes.
func (r *recipe) context() (io.Reader, error) {
	var packed bytes.Buffer
	archive := tar.NewWriter(&packed)
	for _, f := range r.files {
		header := &tar.Header{Name: f.name, Mode: f.mode, Size: int64(len(f.data)), Typeflag: tar.TypeReg}
		if err := archive.WriteHeader(header); err != nil {
			return nil, fmt.Errorf("cannot pack %s: %w", f.name, err)
		}
		if _, err := archive.Write(f.data); err != nil {
			return nil, fmt.Errorf("cannot pack %s: %w", f.name, err)
		}
	}
	if err := archive.Close(); err != nil {
		return nil, fmt.Errorf("cannot pack the build context: %w", err)
	}
	return &packed, nil
}

// elfMachines maps uname's names to those of ELF.
var elfMachines = map[string]elf.Machine{"x86_64": elf.EM_X86_64, "aarch64": elf.EM_AARCH64}

// checkStatic returns why a binary cannot run in the image.
func checkStatic(data []byte, architecture string) error {
	program, err := elf.NewFile(bytes.NewReader(data))
	if err != nil {
		return fmt.Errorf("it is no Linux program")
	}
	defer func() { _ = program.Close() }()
	if want, known := elfMachines[architecture]; known && program.Machine != want {
		return fmt.Errorf("it is for %s, the engine runs on %s", program.Machine, want)
	}
	for _, part := range program.Progs {
		if part.Type == elf.PT_INTERP {
			return fmt.Errorf("it is linked to libraries of this machine")
		}
	}
	return nil
}

func digest(data []byte) string {
	sum := sha256.Sum256(data)
	return hex.EncodeToString(sum[:])
}
