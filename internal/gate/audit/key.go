package audit

import (
	"crypto/ed25519"
	"crypto/rand"
	"crypto/x509"
	"encoding/pem"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/gloveboxhq/glovebox/internal/fault"
)

// KeyFile is the name of the signing key's file in the state directory.
const KeyFile = "audit.key"

// Key returns the key in the state directory that signs checkpoints: an Ed25519 key in
// PKCS #8 and PEM, as openssl reads and writes it. It makes one where there is none.
// Faults: start_failed when the file cannot be used, has something else in it, or other
// users may read it.
func Key(dir string) (ed25519.PrivateKey, error) {
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
	block, _ := pem.Decode(text)
	if block == nil {
		return nil, unusable(path, errors.New("it is not PEM"))
	}
	parsed, err := x509.ParsePKCS8PrivateKey(block.Bytes)
	key, ok := parsed.(ed25519.PrivateKey)
	if err != nil || !ok {
		return nil, unusable(path, errors.Join(err, errors.New("it holds no Ed25519 key")))
	}
	return key, nil
}

// makeKey makes a key, and writes its file as a whole or not at all.
func makeKey(path string) (ed25519.PrivateKey, error) {
	_, key, err := ed25519.GenerateKey(rand.Reader)
	if err != nil {
		return nil, unusable(path, err)
	}
	der, err := x509.MarshalPKCS8PrivateKey(key)
	if err != nil {
		return nil, unusable(path, err)
	}
	file, err := os.CreateTemp(filepath.Dir(path), KeyFile+".*.part") // mode 0600
	if err != nil {
		return nil, unusable(path, err)
	}
	defer func() { _ = os.Remove(file.Name()) }()
	err = pem.Encode(file, &pem.Block{Type: "PRIVATE KEY", Bytes: der})
	if err := errors.Join(err, file.Sync(), file.Close()); err != nil {
		return nil, unusable(path, err)
	}
	if err := os.Link(file.Name(), path); err != nil { // unlike a rename it replaces nothing
		return nil, unusable(path, err)
	}
	return key, nil
}

func unusable(path string, cause error) error {
	return fault.New(fault.StartFailed, "the key that signs the audit trail cannot be used").
		Hinted("make %s readable and its folder writable for the gateway", path).Because(cause)
}

// PublicPEM is a public key as openssl reads it (SubjectPublicKeyInfo in PEM).
func PublicPEM(public ed25519.PublicKey) ([]byte, error) {
	der, err := x509.MarshalPKIXPublicKey(public)
	if err != nil {
		return nil, fmt.Errorf("cannot write the public key: %w", err)
	}
	return pem.EncodeToMemory(&pem.Block{Type: "PUBLIC KEY", Bytes: der}), nil
}

// ReadPublic reads what PublicPEM writes. Fault: invalid_request.
func ReadPublic(text []byte) (ed25519.PublicKey, error) {
	wrong := fault.New(fault.InvalidRequest, "this is no public Ed25519 key in PEM").Hinted("glovebox audit key prints it")
	block, _ := pem.Decode(text)
	if block == nil {
		return nil, wrong
	}
	parsed, err := x509.ParsePKIXPublicKey(block.Bytes)
	public, ok := parsed.(ed25519.PublicKey)
	if err != nil || !ok {
		return nil, wrong
	}
	return public, nil
}
