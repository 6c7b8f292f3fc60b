package audit_test

import (
	"bytes"
	"crypto/ed25519"
	"os"
	"path/filepath"
	"testing"

	"github.com/gloveboxhq/glovebox/internal/fault"
	"github.com/gloveboxhq/glovebox/internal/gate/audit"
)

func TestTheKeyIsMadeOnceAndIsPrivate(t *testing.T) {
	dir := t.TempDir()
	key, err := audit.Key(dir)
	if err != nil {
		t.Fatal(err)
	}
	if again, err := audit.Key(dir); err != nil || !key.Equal(again) {
		t.Errorf("the second time it is another, %v", err)
	}
	info, err := os.Stat(filepath.Join(dir, audit.KeyFile))
	if err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("mode %v, %v", info.Mode(), err)
	}
	if left, _ := filepath.Glob(filepath.Join(dir, "*.part")); len(left) > 0 {
		t.Errorf("left behind: %v", left)
	}
	text, err := audit.PublicPEM(key.Public().(ed25519.PublicKey))
	if err != nil || bytes.Contains(text, []byte("PRIVATE")) {
		t.Fatalf("%s %v", text, err)
	}
	if public, err := audit.ReadPublic(text); err != nil || !public.Equal(key.Public()) {
		t.Errorf("the public key does not come back: %v", err)
	}
}

func TestInvalidKeysAreRefused(t *testing.T) {
	for name, make := range map[string]func(path string) error{
		"readable by others": func(path string) error { return os.WriteFile(path, nil, 0o644) },
		"empty":              func(path string) error { return os.WriteFile(path, nil, 0o600) },
		"no key": func(path string) error {
			return os.WriteFile(path, []byte("-----BEGIN PRIVATE KEY-----\nAAAA\n-----END PRIVATE KEY-----\n"), 0o600)
		},
		"a folder": func(path string) error { return os.Mkdir(path, 0o700) },
	} {
		dir := t.TempDir()
		if err := make(filepath.Join(dir, audit.KeyFile)); err != nil {
			t.Fatal(err)
		}
		if _, err := audit.Key(dir); fault.CodeOf(err) != fault.StartFailed {
			t.Errorf("%s: %v", name, err)
		}
	}
	for _, text := range []string{"", "no PEM", "-----BEGIN PUBLIC KEY-----\nAAAA\n-----END PUBLIC KEY-----\n"} {
		if _, err := audit.ReadPublic([]byte(text)); fault.CodeOf(err) != fault.InvalidRequest {
			t.Errorf("%q: %v", text, err)
		}
	}
}
