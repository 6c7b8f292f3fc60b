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

// KeyEnv is the environment variable that may have the file's key, in place of the
// key file.
const KeyEnv = "GLOVEBOX_VAULT_KEY"

const (
	fileName = "vault.age"
	keyFile  = "vault.key"
	lockFile = "vault.lock"
	maxFile  = 64 << 20              // bytes of the encrypted file
	lockPoll = 20 * time.Millisecond // between two attempts to get the lock
)

// File is a source in one encrypted file of the state directory. Several processes
// may use it at once: each change replaces the whole file, under a lock.
type File struct{ dir, given string }

// OpenFile opens the file in a state directory. given is its key, an age identity;
// where it is empty the key is in a file of the directory, which is made when it is
// first needed. Fault: invalid_request for an invalid key.
func OpenFile(dir, given string) (*File, error) {
	f := &File{dir, given}
	if given != "" {
		if _, err := f.key(); err != nil {
			return nil, err
		}
	}
	return f, nil
}

// Name implements Source.
func (*File) Name() string { return "the vault file" }

// record is a document in the file, by its path.
type record struct {
	Version  int             `json:"version"`
	Changed  time.Time       `json:"changed"`
	Document json.RawMessage `json:"document"`
}

// Fetch implements Source.
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

// List implements Source.
func (f *File) List(_ context.Context, prefix string) ([]string, error) {
	all, err := f.read()
	if err != nil {
		return nil, err
	}
	paths := slices.Sorted(maps.Keys(all))
	return slices.DeleteFunc(paths, func(path string) bool { return !strings.HasPrefix(path, prefix) }), nil
}

// Store implements Writable.
func (f *File) Store(ctx context.Context, path string, text []byte) error {
	return f.change(ctx, func(all map[string]record) bool {
		all[path] = record{Version: all[path].Version + 1, Changed: time.Now().UTC(), Document: text}
		return true
	})
}

// Drop implements Writable.
func (f *File) Drop(ctx context.Context, path string) (found bool, err error) {
	err = f.change(ctx, func(all map[string]record) bool {
		_, found = all[path]
		delete(all, path)
		return found
	})
	return found, err
}

// change reads the file, calls edit, and writes the file if edit returns true.
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

// lock waits until no other process changes the file. The kernel releases the lock
// of a process that ends.
func (f *File) lock(ctx context.Context) (*os.File, error) {
	ctx, cancel := context.WithTimeout(ctx, writeTimeout)
	defer cancel()
	if err := os.MkdirAll(f.dir, 0o700); err != nil {
		return nil, err
	}
	file, err := os.OpenFile(filepath.Join(f.dir, lockFile), os.O_CREATE|os.O_RDWR, 0o600)
	if err != nil {
		return nil, err
	}
	poll := time.NewTicker(lockPoll)
	defer poll.Stop()
	for {
		err := syscall.Flock(int(file.Fd()), syscall.LOCK_EX|syscall.LOCK_NB)
		if err == nil {
			return file, nil
		}
		if !errors.Is(err, syscall.EWOULDBLOCK) {
			return nil, errors.Join(err, file.Close())
		}
		select {
		case <-poll.C:
		case <-ctx.Done():
			return nil, errors.Join(ctx.Err(), file.Close())
		}
	}
}

// read returns all documents; none where there is no file.
func (f *File) read() (map[string]record, error) {
	sealed, err := os.Open(filepath.Join(f.dir, fileName))
	if errors.Is(err, fs.ErrNotExist) {
		return map[string]record{}, nil
	}
	if err != nil {
		return nil, f.unusable("cannot be read", err)
	}
	defer sealed.Close()
	if _, err := os.Stat(filepath.Join(f.dir, keyFile)); err != nil && f.given == "" { // a new key could not decrypt it
		return nil, fault.New(fault.CredentialsUnavailable, "the key of the vault file is gone").
			Hinted("put back %s, or set %s", filepath.Join(f.dir, keyFile), KeyEnv).Because(err)
	}
	key, err := f.key()
	if err != nil {
		return nil, f.keyFault(err)
	}
	plain, err := age.Decrypt(io.LimitReader(sealed, maxFile), key)
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

// write replaces the file.
func (f *File) write(all map[string]record) error {
	text, err := json.Marshal(all)
	if err != nil {
		return f.unusable("cannot be written", errors.New("a document is no JSON")) // the cause may contain it
	}
	key, err := f.key()
	if err != nil {
		return f.keyFault(err)
	}
	var sealed bytes.Buffer
	in, err := age.Encrypt(&sealed, key.Recipient())
	if err == nil {
		_, err = in.Write(text)
		err = errors.Join(err, in.Close())
	}
	if err == nil && sealed.Len() > maxFile {
		return f.unusable("is full", fmt.Errorf("%d bytes", sealed.Len()))
	}
	if err == nil {
		err = replaceFile(filepath.Join(f.dir, fileName), sealed.Bytes())
	}
	if err != nil {
		return f.unusable("cannot be written", err)
	}
	return nil
}

// replaceFile replaces a file as a whole. After an error the file is the one before.
func replaceFile(path string, data []byte) error {
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

// keyFault is the fault of a look-up for which there is no key.
func (f *File) keyFault(cause error) error {
	why := fault.From(cause)
	return fault.New(fault.CredentialsUnavailable, "%s", why.Message).Hinted("%s", why.Hint).Because(cause)
}

func (f *File) unusable(how string, cause error) error {
	return fault.New(fault.CredentialsUnavailable, "the vault file %s", how).
		Hinted("see that %s can be read and written, or put it back from a copy", filepath.Join(f.dir, fileName)).Because(cause)
}
