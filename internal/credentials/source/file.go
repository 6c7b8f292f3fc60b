package source

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"time"

	"filippo.io/age"

	"github.com/gloveboxhq/glovebox/internal/agekey"
	"github.com/gloveboxhq/glovebox/internal/fault"
)

// KeyEnv is the environment variable that may hold the file's key, in place of
// the key's own file.
const KeyEnv = "GLOVEBOX_VAULT_KEY"

const (
	fileName = "vault.age"
	keyFile  = "vault.key"
	lockFile = "vault.lock"
	mostFile = 64 << 20              // bytes of the file, encrypted
	lockPace = 20 * time.Millisecond // between two tries for the lock
)

// File is a source in one encrypted file of the state directory. Any number of
// processes may use it at once: it is replaced whole, by one at a time.
type File struct{ dir, given string }

// OpenFile opens the file in a state directory. given is its key, an age
// identity; empty for the one in the directory, which is made when it is first
// needed. Fault: invalid_request for a key that is none.
func OpenFile(dir, given string) (*File, error) {
	f := &File{dir, given}
	if given != "" {
		if _, err := f.key(); err != nil {
			return nil, err
		}
	}
	return f, nil
}

// Name is what it is, for people.
func (*File) Name() string { return "the vault file" }

// record is what the file keeps of one path.
type record struct {
	Version  int             `json:"version"`
	Changed  time.Time       `json:"changed"`
	Document json.RawMessage `json:"document"`
}

// Fetch returns what is kept at a path.
func (f *File) Fetch(_ context.Context, path string) (Document, error) {
	all, err := f.read()
	if err != nil {
		return Document{}, err
	}
	k, found := all[path]
	if !found {
		return Document{}, nil
	}
	return Document{Text: k.Document, Version: strconv.Itoa(k.Version), Changed: k.Changed}, nil
}

// List returns the paths below a prefix.
func (f *File) List(_ context.Context, prefix string) ([]string, error) {
	all, err := f.read()
	if err != nil {
		return nil, err
	}
	paths := slices.Sorted(maps.Keys(all))
	return slices.DeleteFunc(paths, func(path string) bool { return !strings.HasPrefix(path, prefix) }), nil
}

// Store puts a document in place of what there was at a path.
func (f *File) Store(ctx context.Context, path string, text []byte) error {
	return f.change(ctx, func(all map[string]record) bool {
		all[path] = record{Version: all[path].Version + 1, Changed: time.Now().UTC(), Document: text}
		return true
	})
}

// Drop removes what there is at a path.
func (f *File) Drop(ctx context.Context, path string) (found bool, err error) {
	err = f.change(ctx, func(all map[string]record) bool {
		_, found = all[path]
		delete(all, path)
		return found
	})
	return found, err
}

// change replaces the file by what edit makes of it, unless that says that it
// changed nothing.
func (f *File) change(ctx context.Context, edit func(map[string]record) bool) error {
	lock, err := f.lock(ctx)
	if err != nil {
		return f.unusable("cannot be locked", err)
	}
	defer lock.Close()
	all, err := f.read()
	if err != nil {
		return err
	}
	if !edit(all) {
		return nil
	}
	return f.write(all)
}

// lock waits for other processes that change the file. The lock goes with the
// process, however it ends.
func (f *File) lock(ctx context.Context) (*os.File, error) {
	ctx, cancel := context.WithTimeout(ctx, writing)
	defer cancel()
	if err := os.MkdirAll(f.dir, 0o700); err != nil {
		return nil, err
	}
	file, err := os.OpenFile(filepath.Join(f.dir, lockFile), os.O_CREATE|os.O_RDWR, 0o600)
	if err != nil {
		return nil, err
	}
	again := time.NewTicker(lockPace)
	defer again.Stop()
	for {
		err := syscall.Flock(int(file.Fd()), syscall.LOCK_EX|syscall.LOCK_NB)
		if err == nil {
			return file, nil
		}
		if !errors.Is(err, syscall.EWOULDBLOCK) {
			return nil, errors.Join(err, file.Close())
		}
		select {
		case <-again.C:
		case <-ctx.Done():
			return nil, errors.Join(ctx.Err(), file.Close())
		}
	}
}

// read returns all that is kept: nothing where there is no file.
func (f *File) read() (map[string]record, error) {
	sealed, err := os.Open(filepath.Join(f.dir, fileName))
	if errors.Is(err, fs.ErrNotExist) {
		return map[string]record{}, nil
	}
	if err != nil {
		return nil, f.unusable("cannot be read", err)
	}
	defer sealed.Close()
	if _, err := os.Stat(filepath.Join(f.dir, keyFile)); err != nil && f.given == "" { // a new one would not open it
		return nil, fault.New(fault.CredentialsUnavailable, "the key of the vault file is gone").
			Hinted("put back %s, or set %s", filepath.Join(f.dir, keyFile), KeyEnv).Because(err)
	}
	key, err := f.key()
	if err != nil {
		return nil, f.keyless(err)
	}
	plain, err := age.Decrypt(io.LimitReader(sealed, mostFile), key)
	if other := (*age.NoIdentityMatchError)(nil); errors.As(err, &other) {
		return nil, fault.New(fault.CredentialsUnavailable, "the vault file was encrypted under another key").
			Hinted("put back the %s it was made with, or %s", keyFile, KeyEnv).Because(err)
	}
	if err != nil {
		return nil, f.unusable("is damaged", err)
	}
	all := map[string]record{}
	text, err := io.ReadAll(plain)
	if err == nil && json.Unmarshal(text, &all) != nil {
		err = errors.New("it is encrypted well, and no JSON inside")
	}
	if err != nil {
		return nil, f.unusable("is damaged", err)
	}
	return all, nil
}

// write puts a whole file into the place of the one before.
func (f *File) write(all map[string]record) error {
	text, err := json.Marshal(all)
	if err != nil {
		return f.unusable("cannot be written", errors.New("a document is no JSON")) // the cause may repeat it
	}
	key, err := f.key()
	if err != nil {
		return f.keyless(err)
	}
	var sealed bytes.Buffer
	in, err := age.Encrypt(&sealed, key.Recipient())
	if err == nil {
		_, err = in.Write(text)
		err = errors.Join(err, in.Close())
	}
	if err == nil && sealed.Len() > mostFile {
		return f.unusable("is full", fmt.Errorf("%d bytes", sealed.Len()))
	}
	if err == nil {
		err = replace(filepath.Join(f.dir, fileName), sealed.Bytes())
	}
	if err != nil {
		return f.unusable("cannot be written", err)
	}
	return nil
}

// replace puts a file in place whole, or leaves the one before.
func replace(path string, data []byte) error {
	part, err := os.CreateTemp(filepath.Dir(path), filepath.Base(path)+".*.part") // mode 0600
	if err != nil {
		return err
	}
	defer func() { _ = os.Remove(part.Name()) }() // nothing is there after the rename
	_, err = part.Write(data)
	if err := errors.Join(err, part.Sync(), part.Close()); err != nil {
		return err
	}
	if err := os.Rename(part.Name(), path); err != nil {
		return err
	}
	folder, err := os.Open(filepath.Dir(path))
	if err != nil {
		return err
	}
	return errors.Join(folder.Sync(), folder.Close())
}

func (f *File) key() (*age.X25519Identity, error) {
	return agekey.Open(agekey.Name{Env: KeyEnv, File: keyFile}, f.given, f.dir)
}

// keyless says why there is no key, as look-ups say it.
func (f *File) keyless(cause error) error {
	why := fault.From(cause)
	return fault.New(fault.CredentialsUnavailable, "%s", why.Message).Hinted("%s", why.Hint).Because(cause)
}

func (f *File) unusable(how string, cause error) error {
	return fault.New(fault.CredentialsUnavailable, "the vault file %s", how).
		Hinted("see that %s can be read and written, or put it back from a copy", filepath.Join(f.dir, fileName)).Because(cause)
}
