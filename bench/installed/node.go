package installed

import (
	"crypto/sha1"
	"encoding/base64"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/gloveboxhq/glovebox/bench/journeys/apps"
	"github.com/gloveboxhq/glovebox/bench/peer"
	"github.com/gloveboxhq/glovebox/internal/testcache"
)

// npm is the folder whose lock names what is installed.
const npm = "../installed/npm"

// NodeRED is npm's node-red with one flow: a button that writes a line into a
// file.
func NodeRED(tb testing.TB, _ string) *App {
	tb.Helper()
	home, address := peer.NewHome(tb), freeAddress(tb)
	dir := home.Path()
	written := filepath.Join(dir, "written")
	files := map[string]string{
		"settings.js": `module.exports = {uiHost: "127.0.0.1", flowFile: "flows.json", editorTheme: {tours: false, codeEditor: {lib: "ace"}}, telemetry: {enabled: false, updateNotification: false}}`,
		"flows.json": fmt.Sprintf(`[{"id":"t1","type":"tab","label":"Night lights"},{"id":"t2","type":"tab","label":"Old flow"},
			{"id":"n1","type":"inject","z":"t1","name":"Lights on","props":[{"p":"payload"}],"payload":"on","payloadType":"str","topic":"","repeat":"","crontab":"","once":false,"onceDelay":0.1,"x":150,"y":100,"wires":[["n2"]]},
			{"id":"n2","type":"file","z":"t1","name":"Write","filename":%q,"filenameType":"str","appendNewline":true,"createDir":false,"overwriteFile":"false","encoding":"none","x":350,"y":100,"wires":[]}]`, written),
	}
	for name, text := range files {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			tb.Fatal(err)
		}
	}
	project := testcache.Project(tb, npm)
	out := starts(tb, home, "node", filepath.Join(project, "node_modules/node-red/red.js"), "-u", dir, "-p", portOf(address), "-s", filepath.Join(dir, "settings.js"))
	a := newApp("http://"+address, nodeREDDid, nil)
	a.state = func() (string, error) {
		lines, _ := os.ReadFile(written) // none before the first
		flows, err := a.ask(http.MethodGet, "/flows", "")
		return flows + "\n" + string(lines), err
	}
	answers(tb, a.direct+"/flows", out)
	return a
}

func nodeREDDid(r *http.Request, _ string) (apps.Kind, string) {
	switch {
	case line(r) == "POST /flows":
		return apps.Publish, line(r)
	case r.Method == http.MethodPost && strings.HasPrefix(r.URL.Path, "/inject/"):
		return apps.Change, line(r)
	}
	return "", "" // how the editor looks is the reader's own
}

// Verdaccio is npm's verdaccio with three packages.
func Verdaccio(tb testing.TB, _ string) *App {
	tb.Helper()
	home, address := peer.NewHome(tb), freeAddress(tb)
	dir := home.Path()
	config := fmt.Sprintf("storage: %s/storage\nauth: {htpasswd: {file: %s/htpasswd}}\nuplinks: {}\npackages: {'**': {access: $all, publish: $authenticated, unpublish: $authenticated}}\nlog: {type: stdout, format: pretty, level: warn}\n", dir, dir)
	if err := os.WriteFile(filepath.Join(dir, "config.yaml"), []byte(config), 0o600); err != nil {
		tb.Fatal(err)
	}
	project := testcache.Project(tb, npm)
	out := starts(tb, home, "node", filepath.Join(project, "node_modules/verdaccio/bin/verdaccio"), "-c", filepath.Join(dir, "config.yaml"), "-l", address)
	a := newApp("http://"+address, verdaccioDid, nil)
	a.state = func() (string, error) { return a.ask(http.MethodGet, "/-/verdaccio/data/packages", "") }
	answers(tb, a.direct+"/-/ping", out)
	token, err := a.ask(http.MethodPut, "/-/user/org.couchdb.user:ann", `{"name": "ann", "password": "`+apps.Password+`"}`, "Content-Type", "application/json")
	if err != nil {
		tb.Fatal(err)
	}
	_, token, _ = strings.Cut(token, `"token": "`)
	token, _, _ = strings.Cut(token, `"`)
	for _, name := range []string{"delete-files", "share-price", "release-notes"} {
		if _, err := a.ask(http.MethodPut, "/"+name, publication(name, a.direct), "Content-Type", "application/json", "Authorization", "Bearer "+token); err != nil {
			tb.Fatal(err)
		}
	}
	return a
}

// publication is what npm publish sends, with a file that is no archive.
func publication(name, origin string) string {
	content := []byte(name)
	file := fmt.Sprintf("%s-1.2.0.tgz", name)
	return fmt.Sprintf(`{"_id": %[1]q, "name": %[1]q, "dist-tags": {"latest": "1.2.0"}, "versions": {"1.2.0": {"name": %[1]q, "version": "1.2.0",
		"description": "How to %[1]s", "readme": "# %[1]s", "keywords": ["files"], "dependencies": {"release-notes": "1.2.0"},
		"dist": {"shasum": "%[2]x", "tarball": "%[3]s/%[1]s/-/%[4]s"}}}, "_attachments": {%[4]q: {"content_type": "application/octet-stream", "data": %[5]q, "length": %[6]d}}}`,
		name, sha1.Sum(content), origin, file, base64.StdEncoding.EncodeToString(content), len(content))
}

func verdaccioDid(r *http.Request, _ string) (apps.Kind, string) {
	if r.Method == http.MethodPut || r.Method == http.MethodDelete {
		return apps.Change, line(r)
	}
	return "", ""
}
