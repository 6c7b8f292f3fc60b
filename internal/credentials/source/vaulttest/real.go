package vaulttest

import (
	"bytes"
	"crypto/rand"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"strings"
	"testing"

	"github.com/gloveboxhq/glovebox/internal/testwait"
)

// Real is a running Vault or OpenBao program in development mode.
type Real struct {
	URL  string
	Root string // a token that may do everything

	t testing.TB
}

// StartReal starts the program that $GLOVEBOX_TEST_VAULT names, Vault or OpenBao, and ends it with
// the test. Without the variable the test is skipped.
func StartReal(t testing.TB) *Real {
	t.Helper()
	program := os.Getenv("GLOVEBOX_TEST_VAULT")
	if program == "" {
		t.Skip("GLOVEBOX_TEST_VAULT names no Vault (CONTRIBUTING.md says how to build one)")
	}
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	address := listener.Addr().String()
	_ = listener.Close()
	r := &Real{URL: "http://" + address, Root: "root-" + rand.Text(), t: t}
	command := exec.Command(program, "server", "-dev", "-dev-no-store-token", "-dev-root-token-id="+r.Root, "-dev-listen-address="+address)
	command.Env = append(os.Environ(), "HOME="+t.TempDir())
	if err := command.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = command.Process.Kill(); _ = command.Wait() })
	r.until(func() bool { status, _ := r.ask(http.MethodGet, "sys/health", ""); return status == http.StatusOK })
	return r
}

func (r *Real) until(holds func() bool) {
	r.t.Helper()
	testwait.For(r.t, "the Vault to be ready", holds)
}

// Mount makes a KV engine of version 2 at a path.
func (r *Real) Mount(path string) {
	r.t.Helper()
	r.Do(http.MethodPost, "sys/mounts/"+path, `{"type": "kv", "options": {"version": "2"}}`)
	r.until(func() bool { // it makes itself ready after it is there
		status, _ := r.ask(http.MethodPost, path+"/data/ready", `{"data": {}}`)
		return status == http.StatusOK
	})
	r.Do(http.MethodDelete, path+"/metadata/ready", "")
}

// Role makes an AppRole that may read and list paths of the API, with AppRole mounted at a path of
// its own. ttl is how long its tokens are valid.
func (r *Real) Role(mount, ttl string, paths ...string) (roleID, secretID string) {
	r.t.Helper()
	var policy strings.Builder
	for _, path := range paths {
		fmt.Fprintf(&policy, "path %q { capabilities = [\"read\", \"list\"] }\n", path)
	}
	r.Do(http.MethodPost, "sys/auth/"+mount, `{"type": "approle"}`)
	r.Do(http.MethodPut, "sys/policies/acl/"+mount, fmt.Sprintf(`{"policy": %q}`, policy.String()))
	r.Do(http.MethodPost, "auth/"+mount+"/role/reader", fmt.Sprintf(`{"token_policies": %q, "token_ttl": %q}`, mount, ttl))
	role := r.Do(http.MethodGet, "auth/"+mount+"/role/reader/role-id", "")["data"].(map[string]any)
	secret := r.Do(http.MethodPost, "auth/"+mount+"/role/reader/secret-id", "")["data"].(map[string]any)
	return role["role_id"].(string), secret["secret_id"].(string)
}

// Do makes a request as root, which must succeed, and returns the response.
func (r *Real) Do(method, path, body string) map[string]any {
	r.t.Helper()
	status, answer := r.ask(method, path, body)
	if status != http.StatusOK && status != http.StatusNoContent {
		r.t.Fatalf("%s %s: %d %v", method, path, status, answer["errors"])
	}
	return answer
}

// ask returns the status, 0 where there was no response, and the response.
func (r *Real) ask(method, path, body string) (status int, answer map[string]any) {
	request, err := http.NewRequestWithContext(r.t.Context(), method, r.URL+"/v1/"+path, strings.NewReader(body))
	if err != nil {
		r.t.Fatal(err)
	}
	request.Header.Set("X-Vault-Token", r.Root)
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		return 0, nil
	}
	defer response.Body.Close()
	text, err := io.ReadAll(response.Body)
	if err == nil && len(bytes.TrimSpace(text)) > 0 {
		err = json.Unmarshal(text, &answer)
	}
	if err != nil {
		r.t.Errorf("%s %s: %v", method, path, err)
	}
	return response.StatusCode, answer
}

// Renewed waits until the token of a login was renewed.
func (r *Real) Renewed() {
	r.t.Helper()
	r.until(func() bool {
		for _, accessor := range r.Do("LIST", "auth/token/accessors", "")["data"].(map[string]any)["keys"].([]any) {
			_, token := r.ask(http.MethodPost, "auth/token/lookup-accessor", fmt.Sprintf(`{"accessor": %q}`, accessor))
			if data, _ := token["data"].(map[string]any); data["last_renewal"] != nil {
				return true
			}
		}
		return false
	})
}
