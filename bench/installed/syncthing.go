package installed

import (
	"encoding/json"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/gloveboxhq/glovebox/bench/journeys/apps"
	"github.com/gloveboxhq/glovebox/bench/peer"
)

// Syncthing is Debian's syncthing, which finds and is found by nobody.
func Syncthing(tb testing.TB, _ string) *App {
	tb.Helper()
	home, address := peer.NewHome(tb), freeAddress(tb)
	dir := home.Path()
	runs(tb, dir, "syncthing", "generate", "--home", dir, "--no-default-folder")
	path := filepath.Join(dir, "config.xml")
	config, err := os.ReadFile(path)
	if err != nil {
		tb.Fatal(err)
	}
	text := string(config)
	for option, value := range map[string]string{
		"globalAnnounceEnabled": "false", "localAnnounceEnabled": "false", "relaysEnabled": "false", "natEnabled": "false",
		"listenAddress": "tcp://127.0.0.1:0", "urAccepted": "-1", "urSeen": "3", "crashReportingEnabled": "false", "autoUpgradeIntervalH": "0",
	} {
		text = regexp.MustCompile(`<`+option+`>[^<]*</`+option+`>`).ReplaceAllString(text, "<"+option+">"+value+"</"+option+">")
	}
	text = strings.Replace(text, "</gui>", "<insecureSkipHostcheck>true</insecureSkipHostcheck><insecureAdminAccess>true</insecureAdminAccess></gui>", 1)
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		tb.Fatal(err)
	}
	out := starts(tb, home, "syncthing", "serve", "--home", dir, "--no-browser", "--no-restart", "--no-upgrade", "--gui-address", "http://"+address)
	key := regexp.MustCompile(`<apikey>([^<]+)</apikey>`).FindStringSubmatch(text)
	if key == nil {
		tb.Fatal("Syncthing's configuration has no key")
	}
	a := newApp("http://"+address, nil, nil)
	a.does = func(r *http.Request, body string) (apps.Kind, string) { return a.syncthingDid(r, body, key[1]) }
	a.state = func() (string, error) {
		text, err := a.ask(http.MethodGet, "/rest/config", "", "X-API-Key", key[1])
		if err != nil {
			return "it does not run", nil
		}
		return text, nil
	}
	answers(tb, a.direct+"/", out)
	for _, name := range []string{"photos", "letters", "old"} {
		body := `{"id": "` + name + `", "label": "` + name + `", "path": "` + filepath.Join(dir, name) + `"}`
		if _, err := a.ask(http.MethodPut, "/rest/config/folders/"+name, body, "X-API-Key", key[1]); err != nil {
			tb.Fatal(err)
		}
	}
	return a
}

// syncthingDid compares a configuration that is sent as a whole with the one
// that it takes the place of.
func (a *App) syncthingDid(r *http.Request, body, key string) (apps.Kind, string) {
	path := r.URL.Path
	switch {
	case r.Method == http.MethodGet || r.Method == http.MethodHead:
		return "", ""
	case path == "/rest/system/shutdown" || path == "/rest/system/restart":
		return apps.Machine, line(r)
	case !strings.HasPrefix(path, "/rest/config") && !strings.HasPrefix(path, "/rest/system/config"):
		return "", "" // looks for changes, errors that were read
	}
	type config struct{ Folders, Devices []any }
	var before, after config
	text, err := a.ask(http.MethodGet, "/rest/config", "", "X-API-Key", key)
	if err != nil || json.Unmarshal([]byte(text), &before) != nil || json.Unmarshal([]byte(body), &after) != nil {
		return apps.Change, line(r)
	}
	switch {
	case len(after.Folders) < len(before.Folders) || len(after.Devices) < len(before.Devices):
		return apps.Delete, line(r)
	case len(after.Devices) > len(before.Devices):
		return apps.Grant, line(r)
	}
	return apps.Change, line(r)
}
