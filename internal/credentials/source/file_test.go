package source_test

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/gloveboxhq/glovebox/internal/credentials/source"
	"github.com/gloveboxhq/glovebox/internal/fault"
)

const canary = "canary-5e0c9a"

// inFile is a vault with the file of a directory.
func inFile(t *testing.T, dir string) *source.Vault {
	t.Helper()
	file, err := source.OpenFile(dir, "")
	if err != nil {
		t.Fatal(err)
	}
	v, err := source.Open(source.Options{Source: file, Path: source.DefaultPath})
	if err != nil {
		t.Fatal(err)
	}
	return v
}

func document(value string) []byte {
	return []byte(`{"cookies":[{"name":"sid","value":"` + value + `","secure":true}]}`)
}

func TestDocumentsAreStoredFoundReplacedAndRemoved(t *testing.T) {
	dir := t.TempDir()
	v := inFile(t, dir)
	if set, err := v.For(t.Context(), "default", "www.example.com"); err != nil || set != nil {
		t.Fatalf("an empty vault has %v, %v", set, err)
	}
	if entries, err := os.ReadDir(dir); err != nil || len(entries) > 0 {
		t.Errorf("looking made %v, %v", entries, err)
	}
	for i, value := range []string{"one", "two"} {
		kept, err := v.Set(t.Context(), "default", "Example.com", document(value))
		if err != nil || kept.Domain != "example.com" || kept.Cookies != 1 || kept.Changed.IsZero() || kept.Version != strconv.Itoa(i+1) {
			t.Fatalf("kept %+v, %v", kept, err)
		}
		set, err := v.For(t.Context(), "default", "www.example.com")
		if err != nil || set == nil || set.Cookies[0].Value.Reveal() != value || set.Cookies[0].Domain != "example.com" {
			t.Fatalf("found %+v, %v", set, err)
		}
	}
	if all, err := v.List(t.Context(), "default"); err != nil || len(all) != 1 || all[0].Problem != "" {
		t.Errorf("listed %+v, %v", all, err)
	}
	if err := v.Remove(t.Context(), "default", "example.com"); err != nil {
		t.Fatal(err)
	}
	if set, err := v.For(t.Context(), "default", "example.com"); err != nil || set != nil {
		t.Errorf("after it was removed there is %v, %v", set, err)
	}
	if err := v.Remove(t.Context(), "default", "example.com"); fault.CodeOf(err) != fault.NotFound {
		t.Errorf("removed again: %v", err)
	}
}

// Without escaping, the names of these scopes would be folders of each other.
func TestNoNameOfAScopeReachesAnotherScope(t *testing.T) {
	file, err := source.OpenFile(t.TempDir(), "")
	if err != nil {
		t.Fatal(err)
	}
	v, err := source.Open(source.Options{Source: file, Path: "secrets/{scope}/x"})
	if err != nil {
		t.Fatal(err)
	}
	scopes := []string{"a", "A", "a/x/b", "a%2Fx%2Fb", "../secrets/a", "a/..", "a ", "ä", "a?b", "a#b"}
	for i, scope := range scopes {
		if _, err := v.Set(t.Context(), scope, "example.com", document(strconv.Itoa(i))); err != nil {
			t.Fatalf("%q: %v", scope, err)
		}
	}
	for i, scope := range scopes {
		set, err := v.For(t.Context(), scope, "example.com")
		if err != nil || set == nil || set.Cookies[0].Value.Reveal() != strconv.Itoa(i) {
			t.Errorf("%q has %v, %v", scope, set, err)
		}
		if all, err := v.List(t.Context(), scope); err != nil || len(all) != 1 {
			t.Errorf("%q lists %v, %v", scope, all, err)
		}
	}
	for _, scope := range []string{"", ".", ".."} {
		if set, err := v.For(t.Context(), scope, "example.com"); set != nil || fault.CodeOf(err) != fault.CredentialsUnavailable {
			t.Errorf("%q has %v, %v", scope, set, err)
		}
	}
}

func TestTheFileIsEncryptedAndPrivate(t *testing.T) {
	dir := t.TempDir()
	if _, err := inFile(t, dir).Set(t.Context(), "default", "example.com", document(canary)); err != nil {
		t.Fatal(err)
	}
	entries, err := os.ReadDir(dir)
	if err != nil || len(entries) != 3 {
		t.Fatalf("there are %v, %v", entries, err)
	}
	for _, e := range entries {
		info, _ := e.Info()
		data, err := os.ReadFile(filepath.Join(dir, e.Name()))
		if err != nil || info.Mode().Perm() != 0o600 || bytes.Contains(data, []byte(canary)) || bytes.Contains(data, []byte("example.com")) {
			t.Errorf("%s has mode %v, or holds what it should not: %v", e.Name(), info.Mode(), err)
		}
	}
}

func TestADamagedFileIsAFaultAndNotEmpty(t *testing.T) {
	for name, damage := range map[string]func(dir string) error{
		"cut": func(dir string) error { return os.Truncate(filepath.Join(dir, "vault.age"), 250) },
		"changed": func(dir string) error {
			data, err := os.ReadFile(filepath.Join(dir, "vault.age"))
			data[len(data)-1] ^= 1
			return firstOf(err, os.WriteFile(filepath.Join(dir, "vault.age"), data, 0o600))
		},
		"emptied":        func(dir string) error { return os.Truncate(filepath.Join(dir, "vault.age"), 0) },
		"its key gone":   func(dir string) error { return os.Remove(filepath.Join(dir, "vault.key")) },
		"its key open":   func(dir string) error { return os.Chmod(filepath.Join(dir, "vault.key"), 0o644) },
		"its key no key": func(dir string) error { return os.WriteFile(filepath.Join(dir, "vault.key"), []byte(canary), 0o600) },
	} {
		dir := t.TempDir()
		if _, err := inFile(t, dir).Set(t.Context(), "default", "example.com", document(canary)); err != nil {
			t.Fatal(err)
		}
		if err := damage(dir); err != nil {
			t.Fatal(err)
		}
		v := inFile(t, dir)
		set, err := v.For(t.Context(), "default", "example.com")
		if set != nil || fault.CodeOf(err) != fault.CredentialsUnavailable || strings.Contains(err.Error(), canary) {
			t.Errorf("%s: there is %v, %v", name, set, err)
		}
		if _, err := v.Set(t.Context(), "default", "other.com", document(canary)); fault.CodeOf(err) != fault.CredentialsUnavailable {
			t.Errorf("%s: it was written over: %v", name, err)
		}
	}
}

func firstOf(all ...error) error {
	for _, err := range all {
		if err != nil {
			return err
		}
	}
	return nil
}

// Goroutines and processes write at the same time.
func TestConcurrentWritersLoseNothing(t *testing.T) {
	dir := os.Getenv("GLOVEBOX_TEST_WRITE_VAULT")
	writer, isChild := os.LookupEnv("GLOVEBOX_TEST_WRITER")
	if !isChild {
		dir = t.TempDir()
	}
	write := func(who string) {
		v := inFile(t, dir)
		for i := range 5 {
			if _, err := v.Set(t.Context(), "default", "h"+strconv.Itoa(i)+"."+who+".example", document("x")); err != nil {
				t.Error(err)
			}
		}
	}
	if isChild {
		write(writer)
		return
	}
	var done sync.WaitGroup
	for i := range 3 {
		done.Go(func() { write("thread" + strconv.Itoa(i)) })
		done.Go(func() {
			child := exec.CommandContext(t.Context(), os.Args[0], "-test.run=^TestConcurrentWritersLoseNothing$")
			child.Env = append(os.Environ(), "GLOVEBOX_TEST_WRITE_VAULT="+dir, "GLOVEBOX_TEST_WRITER=process"+strconv.Itoa(i))
			if out, err := child.CombinedOutput(); err != nil {
				t.Errorf("%v: %s", err, out)
			}
		})
	}
	done.Wait()
	if all, err := inFile(t, dir).List(t.Context(), "default"); err != nil || len(all) != 30 {
		t.Errorf("30 were written, %d are there: %v", len(all), err)
	}
}
