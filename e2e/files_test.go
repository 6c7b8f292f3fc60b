package e2e

import (
	"bytes"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/gloveboxhq/glovebox/internal/fault"
	"github.com/gloveboxhq/glovebox/internal/testwait"
)

// files uploads and downloads files, over REST and the command line, and checks
// that the trail has their names and hashes.
func files(t *testing.T, g *gateway) {
	c := g.curl(t, "agent")
	id := c.open(`{"name": "files", "url": "` + g.site + `/lab/files"}`)
	at := "/v1/sessions/" + id + "/browser"
	big := make([]byte, 10<<20)
	_, _ = rand.Read(big)
	for name, content := range map[string][]byte{"small.txt": []byte("hello"), "Übersicht 漢.bin": big} {
		sum := fmt.Sprintf("%x", sha256.Sum256(content))
		c.post(at+"/navigate", `{"url": "`+g.site+`/lab/files"}`).object(http.StatusOK)
		sent := c.post(at+"/upload", fmt.Sprintf(`{"selector": "#file", "files": [{"name": %q, "bytes": %q}]}`, name, base64.StdEncoding.EncodeToString(content))).object(http.StatusOK)
		file := sent["files"].([]any)[0].(object)
		if file["sha256"] != sum || file["name"] != name {
			t.Errorf("%s: sent %v", name, file)
		}
		c.post(at+"/click", `{"role": "button", "name": "Hand in"}`).object(http.StatusOK)
		if text := string(c.get(at + "/extract").body); !strings.Contains(text, sum) {
			t.Errorf("%s: the server has %s", name, text)
		}
		c.post(at+"/navigate", `{"url": "`+g.site+`/lab/files"}`).object(http.StatusOK)
		c.post(at+"/upload", fmt.Sprintf(`{"selector": "#file", "path": %q}`, file["path"])).object(http.StatusOK)
	}
	for _, path := range []string{"/etc/passwd", "/tmp/upload/../prof/x", "../x", "/tmp/upload", "/tmp/download/x"} {
		c.post(at+"/upload", fmt.Sprintf(`{"selector": "#file", "path": %q}`, path)).problem(fault.InvalidRequest)
	}
	downloadOverREST(t, c, g.site, at)
	fileCommands(t, g, id)
	trail, complaint, status := g.command(t, "audit", "tail", "-n", "200", "--json", "-s", id)
	if status != 0 || !strings.Contains(trail, fmt.Sprintf("%x", sha256.Sum256(big))) || !strings.Contains(trail, "small.txt") || strings.Contains(trail, "aGVsbG8") {
		t.Errorf("the trail lacks a file, or has what is in one: %d %s", status, complaint)
	}
}

// downloadOverREST downloads by navigation, fetches, and uploads it again.
func downloadOverREST(t *testing.T, c curl, site, at string) {
	t.Helper()
	went := c.post(at+"/navigate", `{"url": "`+site+`/lab/download"}`).object(http.StatusOK)
	id, _ := went["download"].(string)
	var listed []any
	testwait.For(t, "the download to end", func() bool {
		listed = c.get(at + "/downloads?wait=20000").object(http.StatusOK)["downloads"].([]any)
		return len(listed) == 0 || listed[0].(object)["state"] != "running"
	})
	if len(listed) != 1 || listed[0].(object)["id"] != id || listed[0].(object)["state"] != "done" {
		t.Fatalf("went %v, listed %v", went, listed)
	}
	got := c.get(at + "/downloads/" + id)
	if got.status != http.StatusOK || !bytes.Equal(got.body, downloadable) || !strings.HasPrefix(got.header.Get("Content-Disposition"), "attachment") ||
		got.header.Get("X-Content-Type-Options") != "nosniff" || got.header.Get("Content-Type") != "application/octet-stream" {
		t.Errorf("fetched %d: %d bytes, %v", got.status, len(got.body), got.header)
	}
	artifact := c.get(at + "/downloads").object(http.StatusOK)["downloads"].([]any)[0].(object)["artifact"]
	c.post(at+"/navigate", `{"url": "`+site+`/lab/files"}`).object(http.StatusOK)
	c.post(at+"/upload", fmt.Sprintf(`{"selector": "#file", "artifact": %q}`, artifact)).object(http.StatusOK)
	c.do(http.MethodDelete, at+"/downloads/"+id, "").object(http.StatusOK)
	c.get(at + "/downloads/nothing").problem(fault.NotFound)
}

// fileCommands does the same from the command line.
func fileCommands(t *testing.T, g *gateway, session string) {
	t.Helper()
	dir := t.TempDir()
	local, out := filepath.Join(dir, "from here.txt"), filepath.Join(dir, "out")
	if err := os.WriteFile(local, []byte("local"), 0o600); err != nil {
		t.Fatal(err)
	}
	run := func(says string, args ...string) string {
		stdout, complaint, status := g.command(t, append(args, "-s", session)...)
		if status != 0 || !strings.Contains(stdout, says) {
			t.Errorf("%q: %d %s%s", args, status, stdout, complaint)
		}
		return stdout
	}
	run("from here.txt", "upload", "#file", local)
	run("", "goto", g.site+"/lab/download")
	lines := strings.Split(strings.TrimSpace(run("done", "downloads", "list", "--wait", "10s")), "\n")
	id, _, _ := strings.Cut(lines[len(lines)-1], " ")
	run("bytes", "downloads", "get", id, "-o", out)
	if got, err := os.ReadFile(out); err != nil || !bytes.Equal(got, downloadable) {
		t.Errorf("%d bytes were written, %v", len(got), err)
	}
	run("ok", "downloads", "cancel", id)
}
