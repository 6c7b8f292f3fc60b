package bridge

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"testing"

	"github.com/gloveboxhq/glovebox/internal/fault"
)

func TestKeyIsMadeOnceAndStored(t *testing.T) {
	path := filepath.Join(t.TempDir(), "bridge.key")
	first, err := LoadOrCreateKey(path)
	if err != nil {
		t.Fatal(err)
	}
	second, err := LoadOrCreateKey(path)
	if err != nil {
		t.Fatal(err)
	}
	if first.Public() != second.Public() {
		t.Error("the key changed")
	}
	info, err := os.Stat(path)
	if err != nil || info.Mode() != fs.FileMode(0o600) {
		t.Errorf("mode %v, %v", info.Mode(), err)
	}
	left, err := os.ReadDir(filepath.Dir(path))
	if err != nil || len(left) != 1 {
		t.Errorf("files left: %v, %v", left, err)
	}
}

func TestUnsafeAndDamagedKeyFilesAreRefused(t *testing.T) {
	for name, spoil := range map[string]func(path string) error{
		"open to the group": func(path string) error { return os.Chmod(path, 0o640) },
		"damaged":           func(path string) error { return os.WriteFile(path, []byte("AAAA"), 0o600) },
		"a symlink": func(path string) error {
			if err := os.Rename(path, path+".real"); err != nil {
				return err
			}
			return os.Symlink(path+".real", path)
		},
	} {
		t.Run(name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "bridge.key")
			if _, err := LoadOrCreateKey(path); err != nil {
				t.Fatal(err)
			}
			if err := spoil(path); err != nil {
				t.Fatal(err)
			}
			if _, err := LoadOrCreateKey(path); fault.CodeOf(err) != fault.Internal || fault.From(err).Hint == "" {
				t.Errorf("got %v", err)
			}
		})
	}
	if _, err := LoadOrCreateKey(filepath.Join(t.TempDir(), "no", "such", "dir")); fault.CodeOf(err) != fault.Internal {
		t.Errorf("a missing directory gives %v", err)
	}
}

func TestKeyIsNotPrinted(t *testing.T) {
	key, err := NewKey()
	if err != nil {
		t.Fatal(err)
	}
	for _, format := range []string{"%v", "%s", "%+v", "%#v", "%d", "%x"} {
		if got := fmt.Sprintf(format, key); got != "[secret]" {
			t.Errorf("%s prints %s", format, got)
		}
	}
}
