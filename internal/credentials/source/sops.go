package source

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"filippo.io/age"

	"github.com/gloveboxhq/glovebox/internal/fault"
)

// SOPSKeyEnv is the environment variable that SOPS itself takes age keys from.
const SOPSKeyEnv = "SOPS_AGE_KEY"

const mostSOPS = 8 << 20 // bytes of one encrypted file

// encodings are the names of SOPS documents in a folder.
var encodings = []string{".json", ".yaml", ".yml"}

// sops keeps documents that SOPS encrypted for an age key: each in a file of its
// own below a folder, or all in one file, under their paths.
type sops struct {
	at      string
	keys    []age.Identity
	oneFile bool
}

// SOPS makes a source of a folder or a file of documents. keys are age
// identities, one on a line. Faults: invalid_request.
func SOPS(at, keys string) (Source, error) {
	identities, err := age.ParseIdentities(strings.NewReader(keys))
	if err != nil { // the cause may repeat a key
		return nil, fault.New(fault.InvalidRequest, "there is no age key for SOPS documents").
			Hinted("set security.credentials.sops.age_key_file to a file as age-keygen writes it, or %s", SOPSKeyEnv)
	}
	info, err := os.Stat(at)
	if err != nil {
		return nil, fault.New(fault.InvalidRequest, "security.credentials.sops.path cannot be read").Hinted("make %s readable for the gateway", at).Because(err)
	}
	return &sops{at: at, keys: identities, oneFile: !info.IsDir()}, nil
}

// Name is what it is, for people.
func (s *sops) Name() string { return "SOPS in " + filepath.Base(s.at) }

// Fetch decrypts the document at a path.
func (s *sops) Fetch(_ context.Context, path string) (Document, error) {
	if s.oneFile {
		tree, d, err := s.whole()
		if err != nil {
			return Document{}, err
		}
		return s.written(tree.value(path), d)
	}
	folder, err := os.OpenRoot(s.at)
	if err != nil {
		return Document{}, s.unusable("cannot be read", err)
	}
	defer folder.Close()
	for _, encoding := range encodings {
		file, err := folder.Open(path + encoding)
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err != nil {
			return Document{}, s.unusable("cannot be read", err)
		}
		tree, d, err := s.decrypt(file, encoding == ".json")
		if err != nil {
			return Document{}, err
		}
		return s.written(tree, d)
	}
	return Document{}, nil
}

// List names the documents right below a prefix.
func (s *sops) List(_ context.Context, prefix string) ([]string, error) {
	if s.oneFile {
		tree, _, err := s.whole()
		var paths []string
		for _, p := range tree {
			if strings.HasPrefix(p.name, prefix) {
				paths = append(paths, p.name)
			}
		}
		return paths, err
	}
	entries, err := os.ReadDir(filepath.Join(s.at, prefix))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, s.unusable("cannot be listed", err)
	}
	var paths []string
	for _, e := range entries {
		if encoding := path.Ext(e.Name()); slices.Contains(encodings, encoding) && !strings.HasPrefix(e.Name(), ".") {
			paths = append(paths, prefix+strings.TrimSuffix(e.Name(), encoding))
		}
	}
	return slices.Compact(paths), nil
}

// whole decrypts the one file that has all documents.
func (s *sops) whole() (branch, Document, error) {
	file, err := os.Open(s.at)
	if err != nil {
		return nil, Document{}, s.unusable("cannot be read", err)
	}
	return s.decrypt(file, filepath.Ext(s.at) == ".json")
}

// decrypt reads and closes a file. The document it returns has no text yet.
func (s *sops) decrypt(file *os.File, isJSON bool) (branch, Document, error) {
	defer file.Close()
	info, err := file.Stat()
	if err != nil {
		return nil, Document{}, s.unusable("cannot be read", err)
	}
	text, err := io.ReadAll(io.LimitReader(file, mostSOPS+1))
	if err != nil {
		return nil, Document{}, s.unusable("cannot be read", err)
	}
	if len(text) > mostSOPS {
		return nil, Document{}, s.unusable("has more than 8 MiB in a file", nil)
	}
	tree, err := unsealed(text, isJSON, s.keys)
	if err != nil {
		return nil, Document{}, s.unusable(err.Error(), nil)
	}
	version := fmt.Sprintf("%d bytes of %s", info.Size(), info.ModTime().UTC().Format(time.RFC3339Nano))
	return tree, Document{Version: version, Changed: info.ModTime()}, nil
}

// written is a document with a part of a tree as its text.
func (s *sops) written(part any, d Document) (Document, error) {
	if part == nil {
		return Document{}, nil
	}
	text, err := toJSON(part)
	if err != nil {
		return Document{}, s.unusable("has what cannot be written as JSON", nil)
	}
	d.Text = text
	return d, nil
}

func (s *sops) unusable(how string, cause error) error {
	return fault.New(fault.CredentialsUnavailable, "%s %s", s.Name(), how).
		Hinted("see that sops decrypt reads it with the same key").Because(cause)
}
