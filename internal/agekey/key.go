// Package agekey opens the age keys that encrypt the gateway's files. A key is
// given, or is in its own file that only the owner can read.
package agekey

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"filippo.io/age"

	"github.com/gloveboxhq/glovebox/internal/fault"
)

// Name says where a key can be.
type Name struct {
	Env  string // environment variable that can hold it, instead of the file
	File string // in the state directory
}

// Open returns a key: given, an age identity (AGE-SECRET-KEY-1…), or the one in
// the state directory, which is created if it does not exist. Faults:
// invalid_request for an invalid key, start_failed if its file cannot be used or
// others can read it.
func Open(n Name, given, dir string) (*age.X25519Identity, error) {
	if given != "" {
		return parse(given, n.Env)
	}
	path := filepath.Join(dir, n.File)
	text, err := read(path)
	if errors.Is(err, fs.ErrNotExist) {
		err = generate(path)
		if err == nil {
			text, err = read(path) // another process may have created it
		}
	}
	if err != nil {
		return nil, err
	}
	return parse(text, path)
}

// read returns the content of a file that only the owner can read. The error is
// fs.ErrNotExist if there is none. Faults: start_failed.
func read(path string) (string, error) {
	info, err := os.Stat(path)
	if errors.Is(err, fs.ErrNotExist) {
		return "", err
	}
	if err != nil {
		return "", unusable(path, err)
	}
	if info.Mode().Perm()&0o077 != 0 {
		return "", fault.New(fault.StartFailed, "others may read %s", path).Hinted("chmod 600 %s", path)
	}
	text, err := os.ReadFile(path)
	if err != nil {
		return "", unusable(path, err)
	}
	return string(text), nil
}

// parse parses a key. Its error never contains the text.
func parse(text, where string) (*age.X25519Identity, error) {
	key, err := age.ParseX25519Identity(strings.TrimSpace(text))
	if err != nil {
		return nil, fault.New(fault.InvalidRequest, "%s holds no key", where).
			Hinted("it is one line that begins with AGE-SECRET-KEY-1, as age-keygen prints it")
	}
	return key, nil
}

// generate creates a key file, complete or not at all. It does not replace an
// existing one.
func generate(path string) error {
	key, err := age.GenerateX25519Identity()
	if err != nil {
		return unusable(path, err)
	}
	file, err := os.CreateTemp(filepath.Dir(path), filepath.Base(path)+".*.part") // mode 0600
	if err != nil {
		return unusable(path, err)
	}
	defer func() { _ = os.Remove(file.Name()) }()
	_, err = file.WriteString(key.String() + "\n")
	if err := errors.Join(err, file.Sync(), file.Close()); err != nil {
		return unusable(path, err)
	}
	err = os.Link(file.Name(), path) // unlike a rename, a link replaces nothing
	if err != nil && !errors.Is(err, fs.ErrExist) {
		return unusable(path, err)
	}
	return nil
}

func unusable(path string, cause error) error {
	return fault.New(fault.StartFailed, "the key %s cannot be used", filepath.Base(path)).
		Hinted("make %s readable and its folder writable for the gateway", path).Because(cause)
}
