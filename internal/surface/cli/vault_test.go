package cli_test

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/gloveboxhq/glovebox/internal/action"
	"github.com/gloveboxhq/glovebox/internal/config"
	"github.com/gloveboxhq/glovebox/internal/credentials/source"
	"github.com/gloveboxhq/glovebox/internal/surface/cli"
)

// keeper runs commands on a vault file of its own.
type keeper struct {
	t   *testing.T
	dir string
}

// run returns what a command printed, on either output, and its exit status.
func (k keeper) run(in string, args ...string) (string, int) {
	k.t.Helper()
	var out bytes.Buffer
	parts := cli.Deps{Vault: func(config.Config) (*source.Vault, error) { return k.open(), nil }}
	env := func(name string) (string, bool) {
		v, found := map[string]string{"GLOVEBOX_SERVER_STATE_DIR": k.dir}[name]
		return v, found
	}
	status := cli.Run(k.t.Context(), parts, append([]string{"vault"}, args...), env, cli.Stdio{In: strings.NewReader(in), Out: &out, Err: &out})
	return out.String(), status
}

func (k keeper) open() *source.Vault {
	k.t.Helper()
	file, err := source.OpenFile(k.dir, "")
	if err != nil {
		k.t.Fatal(err)
	}
	v, err := source.Open(source.Options{Source: file, Path: source.DefaultPath})
	if err != nil {
		k.t.Fatal(err)
	}
	return v
}

func TestCredentialsAreKeptByNameAndValuesReadInTheirOrder(t *testing.T) {
	k := keeper{t, t.TempDir()}
	out, status := k.run("canary-a\ncanary-b\r\ncanary-c\n", "set", "Example.com", "--cookie", "sid", "--cookie", "csrf", "--login", "password", "--subdomains", "--fill", "allow", "--optional")
	if status != 0 || !strings.Contains(out, "example.com: 2 cookies, 1 text to fill in") {
		t.Fatalf("status %d: %s", status, out)
	}
	set, err := k.open().For(t.Context(), "default", "www.example.com")
	if err != nil || set == nil {
		t.Fatalf("there is %v, %v", set, err)
	}
	a, b := set.Cookies[0], set.Cookies[1]
	if a.Value.Reveal() != "canary-a" || b.Value.Reveal() != "canary-b" || set.Login["password"].Reveal() != "canary-c" {
		t.Error("the values are not where they belong")
	}
	if a.Domain != ".example.com" || !a.Secure || !a.HTTPOnly || set.Required || !set.FillUnasked {
		t.Errorf("kept %+v", set)
	}
	listed, _ := k.run("", "list")
	asJSON, _ := k.run("", "list", "--json")
	for _, text := range []string{out, listed, asJSON} {
		if strings.Contains(text, "canary") || !strings.Contains(text, "example.com") {
			t.Errorf("printed %s", text)
		}
	}
	if out, status := k.run("", "remove", "example.com"); status != 0 {
		t.Errorf("status %d: %s", status, out)
	}
	if out, status := k.run("", "remove", "example.com"); status != 5 {
		t.Errorf("removed twice: status %d: %s", status, out)
	}
}

func TestAUserNameAndAPasswordForHTTPAuthenticationAreAskedFor(t *testing.T) {
	k := keeper{t, t.TempDir()}
	out, status := k.run("ada\ncanary-a\n", "set", "router.example.com", "--http-auth", "--origin", "http://router.example.com")
	if status != 0 || !strings.Contains(out, "1 user name and password for HTTP authentication") || strings.Contains(out, "canary") {
		t.Fatalf("status %d: %s", status, out)
	}
	set, err := k.open().For(t.Context(), "default", "router.example.com")
	if err != nil || set == nil || set.HTTPAuth["username"].Reveal() != "ada" || set.HTTPAuth["password"].Reveal() != "canary-a" || set.Origin != "http://router.example.com" || !set.Injects() {
		t.Errorf("kept %+v, %v", set, err)
	}
	if out, status := k.run("ada\n", "set", "router.example.com", "--http-auth"); status == 0 {
		t.Errorf("a user name alone was kept: %s", out)
	}
}

func TestAWholeDocumentIsReadFromAFileOrStandardInput(t *testing.T) {
	k := keeper{t, t.TempDir()}
	const yaml = "domain: example.com\ncookies:\n  - {name: sid, value: canary-y, secure: true}\nheaders:\n  Authorization: Bearer canary-z\n"
	path := filepath.Join(t.TempDir(), "c.yaml")
	if err := os.WriteFile(path, []byte(yaml), 0o600); err != nil {
		t.Fatal(err)
	}
	for name, c := range map[string]struct {
		in   string
		args []string
	}{
		"file": {"", []string{"--file", path}}, "input": {yaml, nil}, "dash": {yaml, []string{"-f", "-"}},
		"JSON": {`{"cookies":[{"name":"sid","value":"canary-y"}],"headers":{"Authorization":"Bearer canary-z"}}`, nil},
	} {
		if out, status := k.run(c.in, append([]string{"set", "example.com"}, c.args...)...); status != 0 || !strings.Contains(out, "1 cookie, 1 header") {
			t.Errorf("%s: status %d: %s", name, status, out)
		}
	}
}

func TestWhatIsNotSoundIsNotKeptNorRepeated(t *testing.T) {
	k := keeper{t, t.TempDir()}
	for name, c := range map[string]struct {
		in   string
		args []string
	}{
		"a value in argv":      {"", []string{"example.com", "--cookie", "sid=canary"}},
		"no value":             {"", []string{"example.com", "--cookie", "sid"}},
		"one value for two":    {"canary\n", []string{"example.com", "--cookie", "a", "--cookie", "b"}},
		"bad UTF-8":            {"canary\xff\n", []string{"example.com", "--header", "X-A"}},
		"a domain with a path": {"canary\n", []string{"example.com/x", "--header", "X-A"}},
		"an unsound header":    {"canary\x00\n", []string{"example.com", "--header", "X-A"}},
		"the browser's header": {"canary\n", []string{"example.com", "--header", "Cookie"}},
		"no document":          {"canary", []string{"example.com"}},
		"an unknown field":     {`{"canary": "canary"}`, []string{"example.com"}},
		"another's document":   {`{"domain": "canary.com", "headers": {"X-A": "canary"}}`, []string{"example.com"}},
		"a file that is not":   {"", []string{"example.com", "--file", "/nowhere/at/all"}},
		"both":                 {"canary\n", []string{"example.com", "--file", "-", "--cookie", "sid"}},
		"flags of no names":    {"{}", []string{"example.com", "--optional"}},
	} {
		out, status := k.run(c.in, append([]string{"set"}, c.args...)...)
		if status != 2 || strings.Contains(out, "canary") {
			t.Errorf("%s: status %d: %s", name, status, out)
		}
	}
	if out, _ := k.run("", "list"); !strings.Contains(out, "has no credentials") {
		t.Errorf("there is %s", out)
	}
}

func TestACheckWithoutAGatewayIsForTheScopeThatIsNamed(t *testing.T) {
	var asked action.Call
	parts := cli.Deps{Offline: func(_ context.Context, _ config.Config, call action.Call) (action.Result, error) {
		asked = call
		return action.Result{Data: &action.CredentialCheck{Host: "a.example", Source: "the vault file"}}, nil
	}}
	var out bytes.Buffer
	env := func(name string) (string, bool) { // a port that nothing listens on
		v, found := map[string]string{"GLOVEBOX_SERVER_STATE_DIR": t.TempDir(), "GLOVEBOX_SERVER_LISTEN": "127.0.0.1:1"}[name]
		return v, found
	}
	status := cli.Run(t.Context(), parts, []string{"vault", "check", "a.example", "--scope", "red"}, env, cli.Stdio{Out: &out, Err: &out})
	if status != 5 || asked.Caller.Scope != "red" || !strings.Contains(out.String(), "no credentials for a.example") {
		t.Errorf("status %d, asked %+v: %s", status, asked, out.String())
	}
}
