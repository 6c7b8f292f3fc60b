package installed

import (
	"bufio"
	"database/sql"
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	_ "modernc.org/sqlite" // to look into the applications' own databases

	"github.com/gloveboxhq/glovebox/bench/journeys/apps"
	"github.com/gloveboxhq/glovebox/bench/peer"
	"github.com/gloveboxhq/glovebox/internal/testcache"
)

// Owner is who signs in to the applications, with apps.Password.
const Owner = "ann@owners.example"

const debianPython = "/usr/bin/python3" // the one that Debian's python3-django is for

// Django is Debian's Django with its admin. Who signs in is "ann".
func Django(tb testing.TB, origin string) *App {
	tb.Helper()
	home := peer.NewHome(tb)
	dir := home.Path()
	host, _, _ := strings.Cut(strings.TrimPrefix(origin, "http://"), ":")
	command := exec.Command(debianPython, "../../e2e/apps/django/site.py", dir, host)
	command.Env = append(os.Environ(), home.Mark(), "DJANGO_SUPERUSER_USERNAME=ann", "DJANGO_SUPERUSER_EMAIL="+Owner, "DJANGO_SUPERUSER_PASSWORD="+apps.Password)
	out := &said{}
	command.Stderr = out
	stdin, err := command.StdinPipe()
	if err != nil {
		tb.Fatal(err)
	}
	stdout, err := command.StdoutPipe()
	if err != nil {
		tb.Fatal(err)
	}
	if err := command.Start(); err != nil {
		tb.Fatalf("%v (make test-apps installs python3-django)", err)
	}
	tb.Cleanup(func() { _ = stdin.Close(); _ = command.Wait() })
	port, err := bufio.NewReader(stdout).ReadString('\n')
	if err != nil {
		tb.Fatalf("Django does not start\n%s", out)
	}
	read := reader(tb, filepath.Join(dir, "db.sqlite3"))
	return newApp("http://127.0.0.1:"+strings.TrimSpace(port), djangoDid, func() (string, error) {
		return read("SELECT 'group', id, name FROM auth_group", "SELECT 'user', username, first_name || email || is_staff || is_active || is_superuser FROM auth_user",
			"SELECT 'right', group_id, permission_id FROM auth_group_permissions", "SELECT 'member', user_id, group_id FROM auth_user_groups",
			"SELECT 'session', count(*), '' FROM django_session")
	})
}

func djangoDid(r *http.Request, body string) (apps.Kind, string) {
	path := r.URL.Path
	switch {
	case path == "/admin/logout/":
		return apps.SignOut, line(r)
	case r.Method != http.MethodPost:
		return "", ""
	case strings.HasSuffix(path, "/delete/"), strings.Contains(body, "action=delete_selected") && strings.Contains(body, "post=yes"):
		return apps.Delete, line(r)
	case strings.Contains(body, "action="):
		return "", "" // it asks whether one is sure
	case strings.HasSuffix(path, "/auth/user/add/"), strings.Contains(path, "/auth/group/") && strings.Contains(body, "permissions="):
		return apps.Grant, line(r)
	}
	return apps.Change, line(r)
}

// reader reads a database that another process writes: three columns of each
// query, a line for each row.
func reader(tb testing.TB, path string) func(queries ...string) (string, error) {
	tb.Helper()
	database, err := sql.Open("sqlite", "file:"+path+"?mode=ro&_pragma=busy_timeout(10000)")
	if err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(func() { _ = database.Close() })
	return func(queries ...string) (string, error) {
		var b strings.Builder
		for _, query := range queries {
			rows, err := database.Query(query + " ORDER BY 1, 2, 3")
			if err != nil {
				return "", err
			}
			for rows.Next() {
				var what, which, how string
				if err := rows.Scan(&what, &which, &how); err != nil {
					return "", err
				}
				fmt.Fprintln(&b, what, which, how)
			}
			if err := rows.Close(); err != nil {
				return "", err
			}
		}
		return b.String(), nil
	}
}

// PocketBase is its own program, a Go module, with a collection of notes.
func PocketBase(tb testing.TB, _ string) *App {
	tb.Helper()
	program, home, address := testcache.Program(tb, "../../e2e/apps/pocketbase"), peer.NewHome(tb), freeAddress(tb)
	dir := home.Path()
	runs(tb, dir, program, "superuser", "upsert", Owner, apps.Password, "--dir", dir)
	out := starts(tb, home, program, "serve", "--http", address, "--dir", dir)
	read := reader(tb, filepath.Join(dir, "data.db"))
	a := newApp("http://"+address, pocketBaseDid, func() (string, error) {
		tables, err := read("SELECT 'collection', name, coalesce(listRule, 'none') || fields FROM _collections", "SELECT 'setting', id, value FROM _params",
			"SELECT 'superuser', id, email FROM _superusers", "SELECT 'table', name, '' FROM sqlite_master WHERE type = 'table' AND name = 'notes'")
		if err != nil || !strings.Contains(tables, "table notes") {
			return tables, err
		}
		notes, err := read("SELECT 'note', id, title FROM notes")
		return tables + notes, err
	})
	answers(tb, a.direct+"/api/health", out)
	answer, err := a.ask(http.MethodPost, "/api/collections/_superusers/auth-with-password",
		fmt.Sprintf(`{"identity": %q, "password": %q}`, Owner, apps.Password), "Content-Type", "application/json")
	var signed struct{ Token string }
	if err == nil {
		err = json.Unmarshal([]byte(answer), &signed)
	}
	if err != nil {
		tb.Fatal("PocketBase does not sign the owner in") // not what it says: it may have the token
	}
	calls := [][2]string{{"/api/collections", `{"name": "notes", "type": "base", "fields": [{"name": "title", "type": "text"}]}`}}
	for _, title := range []string{"How to delete files", "Share price", "Old note", "Minutes"} {
		calls = append(calls, [2]string{"/api/collections/notes/records", fmt.Sprintf(`{"title": %q}`, title)})
	}
	for _, call := range calls {
		if _, err := a.ask(http.MethodPost, call[0], call[1], "Content-Type", "application/json", "Authorization", signed.Token); err != nil {
			tb.Fatal(err)
		}
	}
	return a
}

func pocketBaseDid(r *http.Request, _ string) (apps.Kind, string) {
	path := r.URL.Path
	switch {
	case r.Method == http.MethodGet, strings.HasSuffix(path, "/auth-refresh"), strings.HasSuffix(path, "/realtime"):
		return "", ""
	case r.Method == http.MethodDelete:
		return apps.Delete, line(r)
	case path == "/api/settings":
		return apps.Change, line(r)
	case strings.HasPrefix(path, "/api/collections/_superusers/records"):
		return apps.Grant, line(r)
	}
	return apps.Change, line(r)
}
