package e2e

import (
	"bufio"
	"database/sql"
	"fmt"
	"net/http"
	"net/http/cookiejar"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	_ "modernc.org/sqlite" // to look into the application's own database
)

// debianPython is the one that Debian's python3-django is for.
const debianPython = "/usr/bin/python3"

// django is a running Django with its admin, whose sessions use an HttpOnly
// cookie.
type django struct {
	origin   string // as sessions reach it
	host     string
	database *sql.DB
	browser  *http.Client // of the owner
	cookies  []string     // that the owner was signed in by, the last one is
}

// newDjango starts a Django that sessions reach by a host's name.
func newDjango(t *testing.T, host string) *django {
	t.Helper()
	dir := t.TempDir()
	command := exec.Command(debianPython, "apps/django/site.py", dir, host)
	command.Env = append(os.Environ(), "DJANGO_SUPERUSER_USERNAME=ann", "DJANGO_SUPERUSER_EMAIL="+owner, "DJANGO_SUPERUSER_PASSWORD="+ownerPassword)
	said := &tape{}
	command.Stderr = said
	stdin, err := command.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	stdout, err := command.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := command.Start(); err != nil {
		t.Fatalf("%v (make test installs python3-django where it is missing)", err)
	}
	t.Cleanup(func() { _ = stdin.Close(); _ = command.Wait() })
	listening, err := bufio.NewReader(stdout).ReadString('\n')
	if err != nil {
		t.Fatalf("Django did not start (make test installs python3-django where it is missing)\n%s", said)
	}
	d := &django{host: host, origin: fmt.Sprintf("http://%s:%s", host, strings.TrimSpace(listening))}
	if d.database, err = sql.Open("sqlite", "file:"+filepath.Join(dir, "db.sqlite3")+"?mode=ro&_pragma=busy_timeout(10000)"); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = d.database.Close() })
	d.signIn(t)
	return d
}

var csrfField = regexp.MustCompile(`name="csrfmiddlewaretoken" value="([^"]+)"`)

// signIn signs the owner in with the form that people use.
func (d *django) signIn(t *testing.T) {
	t.Helper()
	jar, err := cookiejar.New(nil)
	if err != nil {
		t.Fatal(err)
	}
	d.browser = &http.Client{Jar: jar, Transport: named{d.host}}
	login := d.origin + "/admin/login/?next=/admin/"
	page := fetch(t, d.browser, http.MethodGet, login, nil)
	field := csrfField.FindStringSubmatch(page)
	if field == nil {
		t.Fatal("Django's login has no form")
	}
	fetch(t, d.browser, http.MethodPost, login, url.Values{"csrfmiddlewaretoken": {field[1]}, "username": {"ann"}, "password": {ownerPassword}})
	address, err := url.Parse(d.origin + "/admin/")
	if err != nil {
		t.Fatal(err)
	}
	for _, cookie := range jar.Cookies(address) {
		if cookie.Name == "sessionid" {
			d.cookies = append(d.cookies, cookie.Value)
			return
		}
	}
	t.Fatal("Django did not sign the owner in")
}

// signOut invalidates the owner's session for everybody.
func (d *django) signOut(t *testing.T) {
	t.Helper()
	fetch(t, d.browser, http.MethodGet, d.origin+"/admin/logout/", nil)
}

// cookie returns the owner's session cookie.
func (d *django) cookie() string { return d.cookies[len(d.cookies)-1] }

// named sends requests to a host that only the sessions' name server knows.
type named struct{ host string }

func (n named) RoundTrip(r *http.Request) (*http.Response, error) {
	r = r.Clone(r.Context())
	r.Host = r.URL.Host
	r.URL.Host = strings.Replace(r.URL.Host, n.host, "127.0.0.1", 1)
	return http.DefaultTransport.RoundTrip(r)
}

// groups are the names of all groups, from the application's database.
func (d *django) groups(t *testing.T) (names []string) {
	t.Helper()
	rows, err := d.database.QueryContext(t.Context(), "SELECT name FROM auth_group ORDER BY name")
	if err != nil {
		t.Fatal(err)
	}
	defer rows.Close()
	for rows.Next() {
		var name string
		if err := rows.Scan(&name); err != nil {
			t.Fatal(err)
		}
		names = append(names, name)
	}
	return names
}
