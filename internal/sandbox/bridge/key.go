package bridge

import (
	"crypto/ed25519"
	"crypto/rand"
	"encoding/base64"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/gloveboxhq/glovebox/internal/fault"
)

// Key signs the tokens of one gateway instance. It is printed as [secret].
type Key struct{ private ed25519.PrivateKey }

// NewKey makes a key that is not stored.
func NewKey() (*Key, error) {
	_, private, err := ed25519.GenerateKey(rand.Reader)
	if err != nil {
		return nil, fmt.Errorf("cannot make a signing key: %w", err)
	}
	return &Key{private: private}, nil
}

// LoadOrCreateKey returns the key stored in the file at path. Without the file it
// makes a key and stores it (mode 0600). A restarted gateway needs the same key
// to reconnect to its boxes. Faults: internal when others can read the file, it
// is damaged, or it cannot be written.
func LoadOrCreateKey(path string) (*Key, error) {
	key, err := loadKey(path)
	if !errors.Is(err, fs.ErrNotExist) {
		return key, err
	}
	key, err = NewKey()
	if err != nil {
		return nil, err
	}
	if err := key.save(path); err != nil {
		return nil, fault.New(fault.Internal, "the bridge key cannot be stored at %s", path).
			Hinted("make the directory writable for the gateway").Because(err)
	}
	return loadKey(path) // another gateway may have stored its key first
}

func loadKey(path string) (*Key, error) {
	info, err := os.Lstat(path)
	if err != nil {
		return nil, fmt.Errorf("cannot read the bridge key: %w", err)
	}
	if !info.Mode().IsRegular() || info.Mode().Perm()&0o077 != 0 {
		return nil, fault.New(fault.Internal, "the bridge key %s is open to others", path).
			Hinted("chmod 600 %s, or remove it: a new one is made, and running boxes end", path)
	}
	text, err := os.ReadFile(path)
	if err != nil {
		return nil, fmt.Errorf("cannot read the bridge key: %w", err)
	}
	seed, err := base64.StdEncoding.DecodeString(strings.TrimSpace(string(text)))
	if err != nil || len(seed) != ed25519.SeedSize {
		return nil, fault.New(fault.Internal, "the bridge key %s is damaged", path).
			Hinted("remove %s: a new one is made, and running boxes end", path)
	}
	return &Key{private: ed25519.NewKeyFromSeed(seed)}, nil
}

// save writes the file atomically: it appears complete or not at all, and never
// replaces another.
func (k *Key) save(path string) error {
	f, err := os.CreateTemp(filepath.Dir(path), ".bridge-key-")
	if err != nil {
		return err
	}
	defer func() { _ = os.Remove(f.Name()) }()
	_, err = f.WriteString(base64.StdEncoding.EncodeToString(k.private.Seed()) + "\n")
	err = errors.Join(err, f.Sync(), f.Close())
	if err != nil {
		return err
	}
	if err := os.Link(f.Name(), path); err != nil && !errors.Is(err, fs.ErrExist) {
		return err
	}
	return nil
}

// Public returns the public key in standard base64. It is not secret, and the
// only key that a box gets.
func (k *Key) Public() string {
	return base64.StdEncoding.EncodeToString(k.private.Public().(ed25519.PublicKey))
}

// Format keeps the key out of all printed text, for every formatting verb.
func (k *Key) Format(to fmt.State, _ rune) { _, _ = io.WriteString(to, "[secret]") }

func parsePublicKey(text string) (ed25519.PublicKey, error) {
	raw, err := base64.StdEncoding.DecodeString(text)
	if err != nil || len(raw) != ed25519.PublicKeySize {
		return nil, fault.New(fault.InvalidRequest, "the bridge's public key is not %d bytes of base64", ed25519.PublicKeySize).
			Hinted("pass what Key.Public returns")
	}
	return ed25519.PublicKey(raw), nil
}
