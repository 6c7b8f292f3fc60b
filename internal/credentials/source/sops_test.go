package source_test

import (
	"bytes"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"filippo.io/age"

	"github.com/gloveboxhq/glovebox/internal/credentials/source"
	"github.com/gloveboxhq/glovebox/internal/fault"
	"github.com/gloveboxhq/glovebox/internal/testenv"
	"github.com/gloveboxhq/glovebox/internal/testwait"
)

// The files in testdata/sops were made by sops 3.13.3.

func ageKey(t *testing.T) string {
	t.Helper()
	text, err := os.ReadFile("testdata/sops/age.key")
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// inSOPS is a vault on a folder or file of SOPS documents.
func inSOPS(t *testing.T, at, keys string) *source.Vault {
	t.Helper()
	testenv.Require(t, testenv.Program("sops"))
	from, err := source.SOPS(at, keys)
	if err != nil {
		t.Fatal(err)
	}
	v, err := source.Open(source.Options{Source: from, Path: source.DefaultPath})
	if err != nil {
		t.Fatal(err)
	}
	return v
}

func TestSOPSDocumentsAreReadInAFolderAndInOneFile(t *testing.T) {
	folder, one := inSOPS(t, "testdata/sops/folder", ageKey(t)), inSOPS(t, "testdata/sops/all.yaml", ageKey(t))
	for _, host := range []string{"app.example.com", "example.org", "partly.net"} {
		finds(t, folder, host)
	}
	finds(t, one, "example.com")
	set, err := folder.For(t.Context(), "default", "example.org")
	if err != nil || set.Required || set.LocalStorage["number"].Reveal() != "1.50" || set.Cookies[0].Expires == nil || set.Version == "" {
		t.Errorf("there is %+v, %v", set, err)
	}
	if set, err = folder.For(t.Context(), "default", "example.com"); err != nil || set.Headers["X-A"].Reveal() != `b "c" <d>` || set.LocalStorage["name"].Reveal() != "Søn" {
		t.Errorf("there is %+v, %v", set, err)
	}
	for v, want := range map[*source.Vault]int{folder: 3, one: 2} {
		if set, err := v.For(t.Context(), "default", "nowhere.com"); set != nil || err != nil {
			t.Errorf("there is %v, %v", set, err)
		}
		if all, err := v.List(t.Context(), "default"); err != nil || len(all) != want || all[0].Problem != "" {
			t.Errorf("listed %+v, %v", all, err)
		}
		if _, err := v.Set(t.Context(), "default", "example.com", document(canary)); fault.CodeOf(err) != fault.InvalidRequest {
			t.Errorf("it was written to: %v", err)
		}
	}
}

func TestSOPSDocumentsOfAnotherKeyAreAFault(t *testing.T) {
	other, err := age.GenerateX25519Identity()
	if err != nil {
		t.Fatal(err)
	}
	v := inSOPS(t, "testdata/sops/folder", other.String())
	if set, err := v.For(t.Context(), "default", "example.org"); set != nil || fault.CodeOf(err) != fault.CredentialsUnavailable {
		t.Errorf("there is %v, %v", set, err)
	}
	if _, err := source.SOPS("testdata/sops/folder", canary); fault.CodeOf(err) != fault.InvalidRequest || strings.Contains(err.Error(), canary) {
		t.Errorf("a key that is none: %v", err)
	}
}

// The test changes the document in every way that is possible without the key.
func TestChangedSOPSDocumentsAreAFault(t *testing.T) {
	read := func(name string) string {
		text, err := os.ReadFile("testdata/sops/" + name)
		if err != nil {
			t.Fatal(err)
		}
		return string(text)
	}
	org, partly := read("folder/secrets/browser/example.org.yaml"), read("folder/secrets/browser/partly.net.yaml")
	values := regexp.MustCompile(`ENC\[[^]]*type:str\]`).FindAllString(org, -1)
	for name, text := range map[string]string{
		"a value in the clear":      strings.Replace(org, values[1], "evil", 1),
		"a value emptied":           strings.Replace(org, values[1], `""`, 1),
		"two values exchanged":      strings.NewReplacer(values[1], values[2], values[2], values[1]).Replace(org),
		"a value of another type":   strings.Replace(org, "type:bool", "type:str", 1),
		"a value made a comment":    strings.Replace(org, "type:str", "type:comment", 1),
		"a byte of a value":         strings.Replace(org, "domain: ENC[AES256_GCM,data:", "domain: ENC[AES256_GCM,data:A", 1),
		"a value more":              strings.Replace(org, "required:", "fill: allow\nrequired:", 1),
		"an empty value more":       strings.Replace(org, "required:", "origin: \"\"\nfill: "+values[0]+"\nrequired:", 1),
		"a value less":              regexp.MustCompile(`(?m)^required:.*\n`).ReplaceAllString(org, ""),
		"the MAC gone":              regexp.MustCompile(`(?m)^    mac:.*\n`).ReplaceAllString(org, ""),
		"the MAC of another":        strings.Replace(org, macOf(org), macOf(partly), 1),
		"another time":              strings.Replace(org, `lastmodified: "20`, `lastmodified: "19`, 1),
		"another rule":              strings.Replace(org, "unencrypted_suffix: _unencrypted", "encrypted_suffix: nothing", 1),
		"a plain value changed":     strings.Replace(partly, "name: sid", "name: csrf", 1),
		"a plain value more":        strings.Replace(partly, "required: true", "required: true\nfill: allow", 1),
		"the MAC over less":         read("maconly.yaml"),
		"no SOPS":                   "domain: example.org\n",
		"no YAML":                   "domain: [\n",
		"a list":                    "- a\n",
		"nothing":                   "",
		"another domain's document": read("folder/secrets/browser/example.com.json"),
	} {
		dir := t.TempDir()
		if err := os.MkdirAll(filepath.Join(dir, "secrets/browser"), 0o700); err != nil {
			t.Fatal(err)
		}
		if text == org || text == partly {
			t.Fatalf("%s: nothing was changed", name)
		}
		for _, domain := range []string{"example.org", "partly.net"} {
			if err := os.WriteFile(filepath.Join(dir, "secrets/browser", domain+".yaml"), []byte(text), 0o600); err != nil {
				t.Fatal(err)
			}
			set, err := inSOPS(t, dir, ageKey(t)).For(t.Context(), "default", domain)
			if set != nil || fault.CodeOf(err) != fault.CredentialsUnavailable || strings.Contains(err.Error(), "canary") || strings.Contains(err.Error(), "evil") {
				t.Errorf("%s: %s has %+v, %v", name, domain, set, err)
			}
		}
	}
}

func macOf(text string) string { return regexp.MustCompile(`mac: (.*)`).FindStringSubmatch(text)[1] }

func TestSOPSFilesOutsideTheFolderAreNotRead(t *testing.T) {
	dir := t.TempDir()
	outside, err := filepath.Abs("testdata/sops/folder/secrets/browser/example.org.yaml")
	if err != nil {
		t.Fatal(err)
	}
	if err := os.MkdirAll(filepath.Join(dir, "secrets/browser"), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(outside, filepath.Join(dir, "secrets/browser/example.org.yaml")); err != nil {
		t.Fatal(err)
	}
	if set, err := inSOPS(t, dir, ageKey(t)).For(t.Context(), "default", "example.org"); set != nil || fault.CodeOf(err) != fault.CredentialsUnavailable {
		t.Errorf("there is %v, %v", set, err)
	}
}

func TestDocumentsThatSOPSEncryptsNowAreRead(t *testing.T) {
	testenv.Require(t, testenv.Program("sops"))
	key, err := age.GenerateX25519Identity()
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	if err := os.MkdirAll(filepath.Join(dir, "secrets/browser"), 0o700); err != nil {
		t.Fatal(err)
	}
	for file, plain := range map[string]string{
		"example.com.json": `{"domain":"example.com","cookies":[{"name":"sid","value":"` + canary + `","secure":true,"expires":4102444800}],"sessionStorage":{"a":""}}`,
		"example.org.yml":  "# c\ndomain: example.org\ncookies:\n  # d\n  - {name: sid, value: " + canary + ", secure: true}\n  # e\n",
	} {
		encrypt := exec.CommandContext(t.Context(), "sops", "--disable-version-check", "encrypt", "--age", key.Recipient().String(), "--filename-override", file, "/dev/stdin")
		encrypt.Stdin = strings.NewReader(plain)
		var problems bytes.Buffer
		encrypt.Stderr = &problems
		sealed, err := encrypt.Output()
		if err != nil || bytes.Contains(sealed, []byte(canary)) {
			t.Fatalf("%v: %s", err, &problems)
		}
		if err := os.WriteFile(filepath.Join(dir, "secrets/browser", file), sealed, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	v := inSOPS(t, dir, key.String())
	finds(t, v, "example.com")
	finds(t, v, "example.org")
}

func TestWithoutSOPSInstalledThereIsAFaultThatSaysSo(t *testing.T) {
	t.Setenv("PATH", t.TempDir())
	_, err := source.SOPS("testdata/sops/folder", ageKey(t))
	if got := fault.From(err); got.Code != fault.InstallRequired || !strings.Contains(got.Hint, "install SOPS") {
		t.Errorf("got %+v", got)
	}
}

// standIn installs a shell script as sops.
func standIn(t *testing.T, lines string) source.Source {
	t.Helper()
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "sops"), []byte("#!/bin/sh\nPATH=/usr/bin:/bin\n"+lines+"\n"), 0o700); err != nil {
		t.Fatal(err)
	}
	t.Setenv("PATH", dir)
	from, err := source.SOPS("testdata/sops/folder", ageKey(t))
	if err != nil {
		t.Fatal(err)
	}
	return from
}

func TestSOPSIsGivenTheDocumentAndTheKeysAndNothingElse(t *testing.T) {
	t.Setenv("VAULT_TOKEN", canary)
	t.Setenv("HOME", t.TempDir())
	to := t.TempDir()
	from := standIn(t, `cat /dev/stdin >"`+to+`/document"; env >"`+to+`/env"; echo "$0 $*" >"`+to+`/args"; pwd >"`+to+`/dir"; echo '{"domain":"example.org"}'`)
	found, err := from.Fetch(t.Context(), "secrets/browser/example.org")
	if err != nil || string(found.Text) != `{"domain":"example.org"}` {
		t.Fatalf("found %s, %v", found.Text, err)
	}
	wrote := func(name string) string {
		text, err := os.ReadFile(filepath.Join(to, name))
		if err != nil {
			t.Fatal(err)
		}
		return strings.TrimSpace(string(text))
	}
	for _, line := range strings.Split(wrote("env"), "\n") {
		if name, _, isVariable := strings.Cut(line, "="); isVariable && !slices.Contains([]string{"PATH", "PWD", "OLDPWD", "SHLVL", "_", "SOPS_AGE_KEY", "SOPS_DECRYPTION_ORDER"}, name) {
			t.Errorf("its environment has %s", name) // the first five are the shell's own
		}
	}
	if _, args, _ := strings.Cut(wrote("args"), " "); args != "--disable-version-check decrypt --input-type yaml --output-type json /dev/stdin" || wrote("dir") != "/" {
		t.Errorf("it was called with %q in %s", args, wrote("dir"))
	}
	sealed, err := os.ReadFile("testdata/sops/folder/secrets/browser/example.org.yaml")
	if err != nil || wrote("document") != strings.TrimSpace(string(sealed)) {
		t.Errorf("it read %s, %v", wrote("document"), err)
	}
}

func TestSOPSThatFailsHangsOrNeverEndsIsAFaultWithoutItsOutput(t *testing.T) {
	child := filepath.Join(t.TempDir(), "child")
	for name, lines := range map[string]string{
		"fails":            "echo " + canary + "; echo " + canary + " >&2; exit 1",
		"MAC is wrong":     "echo " + canary + "; exit 51",
		"hangs":            "exec sleep 36000",
		"leaves a child":   `sleep 36000 & echo $! >"` + child + `"`,
		"writes for ever":  "exec yes " + canary,
		"cannot be run":    "kill -9 $$",
		"writes no object": "echo 7",
	} {
		t.Run(name, func(t *testing.T) {
			from := standIn(t, lines)
			v, err := source.Open(source.Options{Source: from, Path: source.DefaultPath})
			if err != nil {
				t.Fatal(err)
			}
			// What does not end by itself ends at the limit of a look-up: the test has none.
			set, err := v.For(testwait.Context(t), "default", "example.org")
			if set != nil || fault.CodeOf(err) != fault.CredentialsUnavailable || strings.Contains(fmt.Sprintf("%+v %s", fault.From(err), err), canary) {
				t.Errorf("there is %+v, %v", set, err)
			}
		})
	}
	text, err := os.ReadFile(child)
	if err != nil {
		t.Fatal(err)
	}
	if id, err := strconv.Atoi(strings.TrimSpace(string(text))); err == nil {
		_ = syscall.Kill(id, syscall.SIGKILL)
	}
}

// The document names a server that has its key.
func TestSOPSDocumentsForOtherKeyServicesAreRefusedWithoutCallingThem(t *testing.T) {
	asked := make(chan struct{}, 10)
	server := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { asked <- struct{}{} }))
	t.Cleanup(server.Close)
	text, err := os.ReadFile("testdata/sops/folder/secrets/browser/example.org.yaml")
	if err != nil {
		t.Fatal(err)
	}
	other, err := age.GenerateX25519Identity()
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	if err := os.MkdirAll(filepath.Join(dir, "secrets/browser"), 0o700); err != nil {
		t.Fatal(err)
	}
	changed := strings.Replace(string(text), "\nsops:\n", "\nsops:\n    hc_vault:\n        - vault_address: "+server.URL+"\n          engine_path: transit\n          key_name: k\n          created_at: \"2026-01-01T00:00:00Z\"\n          enc: vault:v1:AAAA\n", 1)
	if changed == string(text) {
		t.Fatal("nothing was changed")
	}
	if err := os.WriteFile(filepath.Join(dir, "secrets/browser/example.org.yaml"), []byte(changed), 0o600); err != nil {
		t.Fatal(err)
	}
	if set, err := inSOPS(t, dir, other.String()).For(t.Context(), "default", "example.org"); set != nil || fault.CodeOf(err) != fault.CredentialsUnavailable {
		t.Errorf("with another key there is %v, %v", set, err)
	}
	if set, err := inSOPS(t, dir, ageKey(t)).For(t.Context(), "default", "example.org"); set == nil || err != nil {
		t.Errorf("with its key there is %v, %v", set, err)
	}
	if len(asked) > 0 {
		t.Error("the server that the document names was asked")
	}
}
