package bundle_test

import (
	"archive/tar"
	"bytes"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/gloveboxhq/glovebox/internal/fault"
	"github.com/gloveboxhq/glovebox/internal/sandbox/bundle"
)

// makeTar writes a tar without Pack's checks, as a hostile box can.
func makeTar(t *testing.T, headers ...tar.Header) []byte {
	t.Helper()
	var raw bytes.Buffer
	w := tar.NewWriter(&raw)
	for _, h := range headers {
		if err := w.WriteHeader(&h); err != nil {
			t.Fatal(err)
		}
		if _, err := w.Write(make([]byte, h.Size)); err != nil && h.Typeflag == tar.TypeReg {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return raw.Bytes()
}

func fileHeader(name string, size int64) tar.Header {
	return tar.Header{Typeflag: tar.TypeReg, Name: name, Size: size, Mode: 0o4777, Uid: 0, Uname: "root"}
}

func writeFile(t *testing.T, dir, name, text string) {
	t.Helper()
	path := filepath.Join(dir, name)
	if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o700), os.WriteFile(path, []byte(text), 0o600)); err != nil {
		t.Fatal(err)
	}
}

// wantRefused checks that Copy and Unpack refuse a bundle.
func wantRefused(t *testing.T, raw []byte) {
	t.Helper()
	if err := bundle.Copy(io.Discard, bytes.NewReader(raw)); fault.CodeOf(err) != fault.InvalidRequest {
		t.Errorf("copied: %v", err)
	}
	if err := bundle.Unpack(t.TempDir(), bytes.NewReader(raw)); fault.CodeOf(err) != fault.InvalidRequest {
		t.Errorf("unpacked: %v", err)
	}
}

func TestUnpackedProfileHasNoCaches(t *testing.T) {
	from, to := t.TempDir(), t.TempDir()
	for _, name := range []string{"Local State", "Default/Cookies", "Default/Local Storage/leveldb/000003.log", "Default/IndexedDB/http_localhost_1.indexeddb.leveldb/LOCK"} {
		writeFile(t, from, name, "kept: "+name)
	}
	for _, name := range []string{"Default/Cache/data_0", "Default/Service Worker/ScriptCache/index", "ShaderCache/x", "BrowserMetrics-spare.pma", "Default/Sessions/Tabs_1", "Default/Session Storage/000003.log"} {
		writeFile(t, from, name, "left out")
	}
	if err := os.Symlink("/etc/passwd", filepath.Join(from, "SingletonLock")); err != nil {
		t.Fatal(err)
	}
	var packed, copied bytes.Buffer
	if err := bundle.Pack(&packed, from); err != nil {
		t.Fatal(err)
	}
	if err := bundle.Copy(&copied, &packed); err != nil {
		t.Fatal(err)
	}
	if err := bundle.Unpack(to, &copied); err != nil {
		t.Fatal(err)
	}
	var found []string
	err := filepath.WalkDir(to, func(path string, d os.DirEntry, err error) error {
		if err == nil && !d.IsDir() {
			name, _ := filepath.Rel(to, path)
			found = append(found, name)
			if text, _ := os.ReadFile(path); string(text) != "kept: "+name {
				t.Errorf("%s holds %q", name, text)
			}
		}
		return err
	})
	if err != nil || len(found) != 4 {
		t.Errorf("came back with %q, %v", found, err)
	}
}

func TestHostileBundlesAreRefused(t *testing.T) {
	for name, headers := range map[string][]tar.Header{
		"leads up":        {fileHeader("../x", 1)},
		"leads up inside": {fileHeader("a/../../x", 1)},
		"absolute":        {fileHeader("/etc/cron.d/x", 1)},
		"not clean":       {fileHeader("a/./x", 1)},
		"two slashes":     {fileHeader("a//x", 1)},
		"the root":        {{Typeflag: tar.TypeDir, Name: "./"}},
		"backslash":       {fileHeader(`a\x`, 1)},
		"control":         {fileHeader("a\nx", 1)},
		"long":            {fileHeader(strings.Repeat("a", 600), 1)},
		"deep":            {fileHeader(strings.Repeat("a/", 20)+"x", 1)},
		"symbolic link":   {{Typeflag: tar.TypeSymlink, Name: "a", Linkname: "/etc/passwd"}},
		"hard link":       {fileHeader("b", 1), {Typeflag: tar.TypeLink, Name: "a", Linkname: "b"}},
		"device":          {{Typeflag: tar.TypeChar, Name: "a", Devmajor: 1, Devminor: 3}},
		"pipe":            {{Typeflag: tar.TypeFifo, Name: "a"}},
		"twice":           {fileHeader("a", 1), fileHeader("a", 1)},
		"file then dir":   {fileHeader("a", 1), {Typeflag: tar.TypeDir, Name: "a/"}},
		"dir then file":   {fileHeader("a/b", 1), fileHeader("a", 1)},
		"file in a file":  {fileHeader("a", 1), fileHeader("a/b", 1)},
		"too large":       {fileHeader("a", bundle.MaxContent), fileHeader("b", 1)},
	} {
		t.Run(name, func(t *testing.T) { wantRefused(t, makeTar(t, headers...)) })
	}
}

func TestTooManyEntriesAreRefused(t *testing.T) {
	var headers []tar.Header
	for i := range 20_001 {
		headers = append(headers, fileHeader(strconv.Itoa(i), 0))
	}
	wantRefused(t, makeTar(t, headers...))
}

func TestIncompleteBundlesAreRefused(t *testing.T) {
	whole := makeTar(t, fileHeader("a", 5000))
	wantRefused(t, whole[:3000])
	wantRefused(t, []byte(strings.Repeat("no tar", 200)))
}

func TestAnEmptyBundleIsAnEmptyProfile(t *testing.T) {
	var out bytes.Buffer
	if err := bundle.Copy(&out, strings.NewReader("")); err != nil {
		t.Fatal(err)
	}
	if err := bundle.Unpack(t.TempDir(), &out); err != nil {
		t.Fatal(err)
	}
}

// Owner, mode and other metadata that a box wrote must not reach the next box.
func TestCopyDropsMetadata(t *testing.T) {
	var out bytes.Buffer
	if err := bundle.Copy(&out, bytes.NewReader(makeTar(t, fileHeader("a", 3)))); err != nil {
		t.Fatal(err)
	}
	h, err := tar.NewReader(&out).Next()
	if err != nil || h.Mode != 0o600 || h.Uname != "" || h.Size != 3 {
		t.Errorf("header %+v, %v", h, err)
	}
}

func TestUnpackDoesNotFollowExistingLinks(t *testing.T) {
	dir, outside := t.TempDir(), t.TempDir()
	if err := os.Symlink(outside, filepath.Join(dir, "a")); err != nil {
		t.Fatal(err)
	}
	if err := bundle.Unpack(dir, bytes.NewReader(makeTar(t, fileHeader("a/x", 1)))); err == nil {
		t.Error("unpacked through a link")
	}
	if left, _ := os.ReadDir(outside); len(left) > 0 {
		t.Errorf("made %v outside", left)
	}
}

func FuzzCopiedBundlesUnpack(f *testing.F) {
	f.Add([]byte(""))
	f.Fuzz(func(t *testing.T, raw []byte) {
		var out bytes.Buffer
		if bundle.Copy(&out, bytes.NewReader(raw)) == nil {
			if err := bundle.Unpack(t.TempDir(), &out); err != nil {
				t.Errorf("a copied bundle does not unpack: %v", err)
			}
		}
	})
}
