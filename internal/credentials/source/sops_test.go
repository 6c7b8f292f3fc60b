package source_test

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"filippo.io/age"

	"github.com/gloveboxhq/glovebox/internal/credentials/source"
	"github.com/gloveboxhq/glovebox/internal/fault"
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

// TestChangedSOPSDocumentsAreAFault changes what was encrypted in every way a
// writer without the key can.
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

// TestWhatSOPSItselfEncryptsNowIsRead runs the real program.
func TestWhatSOPSItselfEncryptsNowIsRead(t *testing.T) {
	program, err := exec.LookPath("sops")
	if err != nil {
		t.Skip("no sops here: go install github.com/getsops/sops/v3/cmd/sops@v3.13.3")
	}
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
		encrypt := exec.CommandContext(t.Context(), program, "--disable-version-check", "encrypt", "--age", key.Recipient().String(), "--filename-override", file, "/dev/stdin")
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
