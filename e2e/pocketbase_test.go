package e2e

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os/exec"
	"strings"
	"syscall"
	"testing"

	"github.com/gloveboxhq/glovebox/internal/testcache"
	"github.com/gloveboxhq/glovebox/internal/testwait"
)

// Accounts of the web applications.
const (
	owner         = "ann@owners.example"
	ownerPassword = "correct-horse-battery-9"
)

// pocketbase is a running PocketBase with one collection, notes. Its dashboard
// stores the login in localStorage.
type pocketbase struct {
	direct string // its origin, by the address that it listens on
	token  string // of the owner
	record string // of the owner, JSON
}

// by is its origin, by the name of a host.
func (p *pocketbase) by(host string) string { return "http://" + host + ":" + port(p.direct) }

func newPocketBase(t *testing.T) *pocketbase {
	t.Helper()
	program, dir, address := testcache.Program(t, "apps/pocketbase"), t.TempDir(), freeAddress(t)
	runs(t, dir, program, "superuser", "upsert", owner, ownerPassword, "--dir", dir)
	p := &pocketbase{direct: "http://" + address}
	command := exec.Command(program, "serve", "--http", address, "--dir", dir)
	said := &tape{}
	command.Stdout, command.Stderr = said, said
	if err := command.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = command.Process.Signal(syscall.SIGTERM); _ = command.Wait() })
	testwait.For(t, "PocketBase to answer", func() bool {
		response, err := http.Get(p.direct + "/api/health")
		if err != nil {
			return false
		}
		_ = response.Body.Close()
		return response.StatusCode == http.StatusOK
	})
	p.signIn(t)
	p.api(t, http.MethodPost, "/api/collections", `{"name": "notes", "type": "base", "fields": [{"name": "title", "type": "text"}]}`)
	return p
}

// signIn signs the owner in with the application's API.
func (p *pocketbase) signIn(t *testing.T) {
	t.Helper()
	answer := p.api(t, http.MethodPost, "/api/collections/_superusers/auth-with-password",
		fmt.Sprintf(`{"identity": %q, "password": %q}`, owner, ownerPassword))
	record, err := json.Marshal(answer["record"])
	if err != nil {
		t.Fatal(err)
	}
	p.token, p.record = answer["token"].(string), string(record)
}

// api makes a request as the owner.
func (p *pocketbase) api(t *testing.T, method, path, body string) object {
	t.Helper()
	request, err := http.NewRequestWithContext(t.Context(), method, p.direct+path, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	request.Header.Set("Content-Type", "application/json")
	request.Header.Set("Authorization", p.token)
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	text, err := io.ReadAll(response.Body)
	if err != nil || response.StatusCode >= 300 {
		t.Fatalf("%s %s: %d %v", method, path, response.StatusCode, err) // not the body: it may have the token
	}
	answer := object{}
	if err := json.Unmarshal(bytes.TrimSpace(text), &answer); err != nil && len(text) > 0 {
		t.Fatal(err)
	}
	return answer
}

// titles are those of all notes.
func (p *pocketbase) titles(t *testing.T) (titles []string) {
	t.Helper()
	items, _ := p.api(t, http.MethodGet, "/api/collections/notes/records", "")["items"].([]any)
	for _, item := range items {
		titles = append(titles, item.(object)["title"].(string))
	}
	return titles
}
