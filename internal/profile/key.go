package profile

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"filippo.io/age"

	"github.com/gloveboxhq/glovebox/internal/fault"
)

// KeyEnv is the environment variable that may hold the key, in place of the
// file.
const KeyEnv = "GLOVEBOX_PROFILE_KEY"

// KeyFile is the name of the key's file in the state directory.
const KeyFile = "profiles.key"

// Key returns the key that profiles are encrypted under: given, an age identity
// (AGE-SECRET-KEY-1…), or else the one in the state directory, which is made
// when there is none. Faults: invalid_request for a key that is none,
// start_failed when its file cannot be used or others may read it.
func Key(given, dir string) (*age.X25519Identity, error) {
	if given != "" {
		return parse(given, KeyEnv)
	}
	path := filepath.Join(dir, KeyFile)
	info, err := os.Stat(path)
	if errors.Is(err, fs.ErrNotExist) {
		return makeKey(path)
	}
	if err != nil {
		return nil, unusable(path, err)
	}
	if info.Mode().Perm()&0o077 != 0 {
		return nil, fault.New(fault.StartFailed, "others may read %s", path).Hinted("chmod 600 %s", path)
	}
	text, err := os.ReadFile(path)
	if err != nil {
		return nil, unusable(path, err)
	}
	return parse(string(text), path)
}

// parse never repeats what it was given.
func parse(text, where string) (*age.X25519Identity, error) {
	key, err := age.ParseX25519Identity(strings.TrimSpace(text))
	if err != nil {
		return nil, fault.New(fault.InvalidRequest, "%s holds no key", where).
			Hinted("it is one line that begins with AGE-SECRET-KEY-1, as age-keygen prints it")
	}
	return key, nil
}

// makeKey makes a key in a file that is there whole or not at all.
func makeKey(path string) (*age.X25519Identity, error) {
	key, err := age.GenerateX25519Identity()
	if err != nil {
		return nil, unusable(path, err)
	}
	file, err := os.CreateTemp(filepath.Dir(path), KeyFile+".*.part") // mode 0600
	if err != nil {
		return nil, unusable(path, err)
	}
	defer func() { _ = os.Remove(file.Name()) }()
	_, err = file.WriteString(key.String() + "\n")
	if err := errors.Join(err, file.Sync(), file.Close()); err != nil {
		return nil, unusable(path, err)
	}
	if err := os.Link(file.Name(), path); err != nil { // unlike a rename it replaces nothing
		return nil, unusable(path, err)
	}
	return key, nil
}

func unusable(path string, cause error) error {
	return fault.New(fault.StartFailed, "the key of the profiles cannot be used").
		Hinted("make %s readable and its folder writable for the gateway", path).Because(cause)
}
