package source

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"filippo.io/age"
	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/gloveboxhq/glovebox/internal/fault"
)

// SOPSKeyEnv is the environment variable that SOPS itself takes age keys from.
const SOPSKeyEnv = "SOPS_AGE_KEY"

const maxSOPS = 8 << 20 // bytes of one file, encrypted and decrypted

// encodings are the file name extensions of SOPS documents in a folder.
var encodings = []string{".json", ".yaml", ".yml"}

// sops is a source of documents that SOPS encrypted for an age key: one file for each
// in a folder, or one file for all, by path. The program sops decrypts them.
type sops struct {
	at      string
	program decrypter
	oneFile bool
	turn    chan struct{} // a lock that can be waited for with a context; guards last
	last    wholeFile
}

// wholeFile is the content of the one file. It is used again for answerAge, because
// one look-up reads several paths.
type wholeFile struct {
	Document // without text
	at       time.Time
	parts    map[string]jsontext.Value
}

// SOPS makes a source of a folder or a file of documents. keys are age
// identities, one on a line. Faults: invalid_request, install_required.
func SOPS(at, keys string) (Source, error) {
	identities, err := age.ParseIdentities(strings.NewReader(keys))
	if err != nil { // the cause may contain a key
		return nil, fault.New(fault.InvalidRequest, "there is no age key for SOPS documents").
			Hinted("set security.credentials.sops.age_key_file to a file as age-keygen writes it, or %s", SOPSKeyEnv)
	}
	info, err := os.Stat(at)
	if err != nil {
		return nil, fault.New(fault.InvalidRequest, "security.credentials.sops.path cannot be read").Hinted("make %s readable for the gateway", at).Because(err)
	}
	program, err := findDecrypter(keys, identities)
	if err != nil {
		return nil, err
	}
	return &sops{at: at, program: program, oneFile: !info.IsDir(), turn: make(chan struct{}, 1)}, nil
}

// Name implements Source.
func (s *sops) Name() string { return "SOPS in " + filepath.Base(s.at) }

// Fetch decrypts the document at a path.
func (s *sops) Fetch(ctx context.Context, path string) (Document, error) {
	if s.oneFile {
		whole, err := s.whole(ctx)
		if part := whole.parts[path]; err == nil && part != nil && part.Kind() != 'n' {
			whole.Text = part
			return whole.Document, nil
		}
		return Document{}, err
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
		return s.decrypt(ctx, file, encoding == ".json")
	}
	return Document{}, nil
}

// List returns the paths of the documents directly below a prefix.
func (s *sops) List(ctx context.Context, prefix string) ([]string, error) {
	if s.oneFile {
		whole, err := s.whole(ctx)
		return slices.DeleteFunc(slices.Sorted(maps.Keys(whole.parts)), func(path string) bool { return !strings.HasPrefix(path, prefix) }), err
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
func (s *sops) whole(ctx context.Context) (wholeFile, error) {
	select {
	case s.turn <- struct{}{}:
		defer func() { <-s.turn }()
	case <-ctx.Done():
		return wholeFile{}, s.unusable("was not read in time", ctx.Err())
	}
	file, err := os.Open(s.at)
	if err != nil {
		return wholeFile{}, s.unusable("cannot be read", err)
	}
	if info, err := file.Stat(); err == nil && s.last.Version == versionOf(info) && time.Since(s.last.at) < answerAge {
		_ = file.Close()
		return s.last, nil
	}
	s.last = wholeFile{}
	d, err := s.decrypt(ctx, file, filepath.Ext(s.at) == ".json")
	if err != nil {
		return wholeFile{}, err
	}
	read := wholeFile{at: time.Now()}
	if err := json.Unmarshal(d.Text, &read.parts); err != nil { // the cause may contain a value
		return wholeFile{}, s.unusable("has no object in its file", nil)
	}
	d.Text = nil
	read.Document = d
	s.last = read
	return read, nil
}

// decrypt reads and closes a file.
func (s *sops) decrypt(ctx context.Context, file *os.File, isJSON bool) (Document, error) {
	defer file.Close()
	info, err := file.Stat()
	if err != nil {
		return Document{}, s.unusable("cannot be read", err)
	}
	text, err := io.ReadAll(io.LimitReader(file, maxSOPS+1))
	if err != nil {
		return Document{}, s.unusable("cannot be read", err)
	}
	if len(text) > maxSOPS {
		return Document{}, s.unusable("has more than 8 MiB in a file", nil)
	}
	plain, err := s.program.decrypt(ctx, text, isJSON)
	if err != nil {
		return Document{}, s.unusable(err.Error(), nil)
	}
	return Document{Text: bytes.TrimSpace(plain), Version: versionOf(info), Changed: info.ModTime()}, nil
}

func versionOf(info fs.FileInfo) string {
	return fmt.Sprintf("%d bytes of %s", info.Size(), info.ModTime().UTC().Format(time.RFC3339Nano))
}

func (s *sops) unusable(how string, cause error) error {
	return fault.New(fault.CredentialsUnavailable, "%s %s", s.Name(), how).
		Hinted("see that sops decrypt reads it with the same key").Because(cause)
}
