package installed

import (
	"cmp"
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/gloveboxhq/glovebox/bench/peer"
	"github.com/gloveboxhq/glovebox/internal/testcache"
)

// TiddlyWiki is npm's tiddlywiki: one page of scripts, whose text is edited in
// frames, with four notes.
func TiddlyWiki(tb testing.TB, _ string) *App {
	tb.Helper()
	home, address := peer.NewHome(tb), freeAddress(tb)
	dir := filepath.Join(home.Path(), "wiki")
	program := filepath.Join(testcache.Project(tb, "../installed/wiki"), "node_modules/tiddlywiki/tiddlywiki.js")
	runs(tb, home.Path(), "node", program, dir, "--init", "server")
	notes := filepath.Join(dir, "tiddlers")
	files := map[string]string{
		"Shopping.tid": "created: 20260105090000000\nmodified: 20260105090000000\ntags: home\ntitle: Shopping\n\n* bread\n* salt\n",
		"Seeds.tid":    "created: 20260106090000000\nmodified: 20260106090000000\ntags: garden\ntitle: Seeds\n\nSow in [[March|Calendar]].\n",
		"Calendar.tid": "created: 20260107090000000\nmodified: 20260107090000000\ntags: garden home\ntitle: Calendar\n\nMarch: sow. April: plant.\n",
		"Old list.tid": "created: 20250101090000000\nmodified: 20250101090000000\ntitle: Old list\n\nNobody needs it.\n",
	}
	write(tb, notes, files)
	out := starts(tb, home, "node", program, dir, "--listen", "host=127.0.0.1", "port="+portOf(address))
	a := newApp("http://"+address, nil, nil)
	a.state = func() (string, error) { return a.notes() }
	answers(tb, a.direct+"/status", out)
	return a
}

// notes are the titles, tags and texts of a wiki's notes, without its own
// settings and drafts.
func (a *App) notes() (string, error) {
	text, err := a.ask(http.MethodGet, "/recipes/default/tiddlers.json", "")
	if err != nil {
		return "", err
	}
	var all []struct{ Title, Tags string }
	if err := json.Unmarshal([]byte(text), &all); err != nil {
		return "", err
	}
	var lines []string
	for _, n := range all {
		if strings.HasPrefix(n.Title, "$:/") || strings.HasPrefix(n.Title, "Draft of ") {
			continue
		}
		one, err := a.ask(http.MethodGet, "/recipes/default/tiddlers/"+url.PathEscape(n.Title), "")
		if err != nil {
			return "", err
		}
		var note struct{ Text string }
		if err := json.Unmarshal([]byte(one), &note); err != nil {
			return "", err
		}
		lines = append(lines, fmt.Sprintf("%s [%s] %q", n.Title, n.Tags, note.Text))
	}
	slices.Sort(lines)
	return strings.Join(lines, "\n"), nil
}

// write writes files into a folder.
func write(tb testing.TB, folder string, files map[string]string) {
	tb.Helper()
	for name, text := range files {
		path := filepath.Join(folder, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			tb.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			tb.Fatal(err)
		}
	}
}

// padKey is the key of Etherpad's own interface.
const padKey = "a-key-of-this-test"

// Etherpad is npm's etherpad-lite: text that several people write at once, in
// an editable document of a frame in a frame.
func Etherpad(tb testing.TB, _ string) *App {
	tb.Helper()
	home, address := peer.NewHome(tb), freeAddress(tb)
	dir := home.Path()
	modules := filepath.Join(testcache.Project(tb, "../installed/pad"), "node_modules")
	runs(tb, dir, "cp", "-rL", filepath.Join(modules, "ep_etherpad-lite"), "src")
	linked(tb, modules, filepath.Join(dir, "node_modules"))
	shown := filepath.Join(dir, "src", "node_modules") // what pages load is looked for here
	if err := os.Mkdir(shown, 0o755); err != nil {
		tb.Fatal(err)
	}
	for _, name := range []string{"async", "js-cookie", "security", "tinycon", "underscore", "unorm"} {
		if err := os.Symlink(filepath.Join(modules, name), filepath.Join(shown, name)); err != nil {
			tb.Fatal(err)
		}
	}
	settings := map[string]any{
		"ip": "127.0.0.1", "port": json.Number(portOf(address)), "dbType": "dirty", "dbSettings": map[string]any{"filename": "var/dirty.db"},
		"loglevel": "WARN", "defaultPadText": "Welcome\n", "suppressErrorsInPadText": true,
	}
	text, err := json.Marshal(settings)
	if err != nil {
		tb.Fatal(err)
	}
	write(tb, dir, map[string]string{"settings.json": string(text), "APIKEY.txt": padKey, "var/empty": ""})
	out := starts(tb, home, "node", "src/node/server.js", "-s", "settings.json")
	a := newApp("http://"+address, nil, nil)
	a.state = func() (string, error) { return a.pads() }
	answers(tb, a.direct+"/api", out)
	for _, script := range []string{"pad", "ace2_common", "ace2_inner"} { // made small at the first request, which takes its time
		if _, err := a.ask(http.MethodGet, "/javascripts/lib/ep_etherpad-lite/static/js/"+script+".js?callback=require.define", ""); err != nil {
			tb.Fatal(err)
		}
	}
	for name, text := range map[string]string{"minutes": "Minutes of Monday\nAnn was here\nBen brings cake\n", "budget": "Budget\nSeeds 40\nTools 60\n"} {
		if _, err := a.pad("createPad", "padID", name, "text", text); err != nil {
			tb.Fatal(err)
		}
	}
	return a
}

// linked makes a folder of packages that is the program's own: it looks for
// itself among them and must find itself at its place.
func linked(tb testing.TB, modules, to string) {
	tb.Helper()
	packages, err := os.ReadDir(modules)
	if err != nil {
		tb.Fatal(err)
	}
	if err := os.Mkdir(to, 0o755); err != nil {
		tb.Fatal(err)
	}
	for _, p := range packages {
		from := filepath.Join(modules, p.Name())
		if p.Name() == "ep_etherpad-lite" {
			from = "../src"
		}
		if err := os.Symlink(from, filepath.Join(to, p.Name())); err != nil {
			tb.Fatal(err)
		}
	}
}

// pad calls Etherpad's own interface, with names and values.
func (a *App) pad(method string, args ...string) (data map[string]any, err error) {
	query := url.Values{"apikey": {padKey}}
	for i := 0; i+1 < len(args); i += 2 {
		query.Set(args[i], args[i+1])
	}
	text, err := a.ask(http.MethodGet, "/api/1.2.1/"+method+"?"+query.Encode(), "")
	if err != nil {
		return nil, err
	}
	var answer struct {
		Code    int
		Message string
		Data    map[string]any
	}
	if err := json.Unmarshal([]byte(text), &answer); err != nil {
		return nil, err
	}
	if answer.Code != 0 {
		return nil, fmt.Errorf("%s: %s", method, answer.Message)
	}
	return answer.Data, nil
}

// pads are the names and texts of all pads.
func (a *App) pads() (string, error) {
	all, err := a.pad("listAllPads")
	if err != nil {
		return "", err
	}
	names, _ := all["padIDs"].([]any)
	var lines []string
	for _, name := range names {
		pad, err := a.pad("getText", "padID", fmt.Sprint(name))
		if err != nil {
			return "", err
		}
		for i, line := range strings.Split(strings.TrimRight(fmt.Sprint(pad["text"]), "\n"), "\n") {
			lines = append(lines, fmt.Sprintf("%s %d %s", name, i+1, line))
		}
	}
	slices.SortFunc(lines, func(a, b string) int { return cmp.Compare(a, b) })
	return strings.Join(lines, "\n"), nil
}
