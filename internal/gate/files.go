package gate

import (
	"crypto/sha256"
	"fmt"
	"maps"
	"path"
	"slices"
	"strings"

	"github.com/gloveboxhq/glovebox/internal/action"
	"github.com/gloveboxhq/glovebox/internal/untrusted"
)

const maxFilesText = 2000 // characters of names and hashes of files in a record

// uploadText describes the files of an upload: names, sizes and hashes, not the
// content.
func uploadText(a *action.Upload) string {
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
	return untrusted.Record(strings.Join(all, ", "), maxFilesText)
}

func fileOf(f action.NewFile) string {
	return fileText(f.Name, int64(len(f.Bytes)), fmt.Sprintf("%x", sha256.Sum256(f.Bytes)))
}

func fileText(name string, size int64, sum string) string {
	return fmt.Sprintf("%q, %d bytes, sha256 %s", untrusted.Record(name, maxText), size, sum)
}

// filesText describes the files, or the login state, of a result for its record.
func filesText(data any) string {
	var all []string
	switch d := data.(type) {
	case *action.StorageState:
		return exportedText(d)
	case *action.ProfileImported:
		return loginText(d.Cookies, d.LocalStorage, d.Hosts, d.Left)
	case *action.Uploaded:
		for _, f := range d.Files {
			all = append(all, fileText(f.Name, f.Size, f.SHA256))
		}
	case *action.File:
		all = append(all, fileText(d.Name, d.Size, d.SHA256))
	case *action.Artifact:
		all = append(all, fileText(d.Name, d.Size, d.SHA256))
	}
	return untrusted.Record(strings.Join(all, ", "), maxFilesText)
}

// exportedText describes an exported login state.
func exportedText(s *action.StorageState) string {
	hosts, items := map[string]bool{}, 0
	for _, c := range s.Cookies {
		hosts[strings.TrimPrefix(c.Domain, ".")] = true
	}
	for _, o := range s.Origins {
		hosts[hostOf(o.Origin)] = true
		items += len(o.LocalStorage)
	}
	return loginText(len(s.Cookies), items, slices.Sorted(maps.Keys(hosts)), s.Left)
}

// loginText describes a login state by numbers and hosts.
func loginText(cookies, items int, hosts []string, left []action.LeftOut) string {
	return untrusted.Record(fmt.Sprintf("%d cookies and %d entries of localStorage of %s; left out: %s",
		cookies, items, strings.Join(hosts, ", "), leftOut(left)), maxFilesText)
}

func leftOut(left []action.LeftOut) string {
	if len(left) == 0 {
		return "nothing"
	}
	rows := make([]string, len(left))
	for i, l := range left {
		rows[i] = fmt.Sprintf("%s (%s)", l.Host, l.Why)
	}
	return strings.Join(rows, ", ")
}
