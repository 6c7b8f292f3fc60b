package gate

import (
	"crypto/sha256"
	"fmt"
	"path"
	"strings"

	"github.com/gloveboxhq/glovebox/internal/action"
	"github.com/gloveboxhq/glovebox/internal/gate/approval"
)

const keptFiles = 2000 // characters of names and hashes of files in a record

// named says which files an upload is of: names, sizes and hashes, never what
// is in them.
func named(a *action.Upload) string {
	var all []string
	for _, name := range append([]string{a.Path, a.Artifact}, a.Paths...) {
		if name != "" {
			all = append(all, path.Base(name))
		}
	}
	for _, f := range a.Files {
		all = append(all, fileOf(f))
	}
	if a.Clear {
		all = append(all, "no files")
	}
	return approval.Inert(strings.Join(all, ", "), keptFiles)
}

func fileOf(f action.NewFile) string {
	return fileText(f.Name, int64(len(f.Bytes)), fmt.Sprintf("%x", sha256.Sum256(f.Bytes)))
}

func fileText(name string, size int64, sum string) string {
	return fmt.Sprintf("%q, %d bytes, sha256 %s", approval.Inert(name, keptText), size, sum)
}

// carried says which files a result is of, for the record of the outcome.
func carried(data any) string {
	var all []string
	switch d := data.(type) {
	case *action.Uploaded:
		for _, f := range d.Files {
			all = append(all, fileText(f.Name, f.Size, f.SHA256))
		}
	case *action.File:
		all = append(all, fileText(d.Name, d.Size, d.SHA256))
	case *action.Artifact:
		all = append(all, fileText(d.Name, d.Size, d.SHA256))
	}
	return approval.Inert(strings.Join(all, ", "), keptFiles)
}
