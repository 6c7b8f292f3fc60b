package e2e

import (
	"archive/tar"
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"filippo.io/age"

	"github.com/gloveboxhq/glovebox/internal/testwait"
)

// kept searches for secrets in everything that is stored while a session is
// signed in and afterwards: the box's writable folders, the environment and
// arguments of its processes, and the gateway's own folder.
func (l *leak) kept(t *testing.T) {
	c := l.as(t, "agent")
	before := l.boxes()
	l.session = c.open(`{}`)
	l.show(t, "/places")
	l.show(t, "/mirror?form=raw")
	l.show(t, "/mirror?form=base64")
	c.post(l.at("/upload"), fmt.Sprintf(`{"selector": "input", "files": [{"name": "a.txt", "bytes": %q}]}`, "aGVsbG8="))
	box := l.boxes()[0]
	for _, id := range l.boxes() {
		if !strings.Contains(strings.Join(before, " "), id) {
			box = id
		}
	}
	l.keptInBox(t, box)
	l.keptOutside(t, "while the session is open")
	c.post("/v1/sessions/"+l.session+"/close", "").object(http.StatusOK)
	l.keptOutside(t, "when the session has ended")
}

// keptInBox searches the writable folders of a box and its processes.
func (l *leak) keptInBox(t *testing.T, box string) {
	t.Helper()
	read := func(what, script string) []byte {
		t.Helper()
		c := exec.CommandContext(t.Context(), "docker", "exec", "-u", "10001", box, "sh", "-c", script)
		out, err := c.Output()
		if len(out) == 0 {
			t.Fatalf("%s: nothing was read: %v", what, err)
		}
		l.cleanText(t, what, out)
		return out
	}
	files := read("a file of the box", `find / -xdev -prune -o -true; find /tmp /dev/shm /var/tmp /run /home -type f -size -40M -exec printf '\n%s\n' {} \; -exec cat {} \; 2>/dev/null; true`)
	if !bytes.Contains(files, []byte("/tmp/prof")) {
		t.Errorf("the browser's own files are not among them: %d bytes", len(files))
	}
	processes := read("environment or arguments of a process of the box", `cat /proc/[0-9]*/environ /proc/[0-9]*/cmdline 2>/dev/null; true`)
	if !bytes.Contains(processes, []byte("--type=renderer")) {
		t.Error("no renderer is among the processes")
	}
}

// keptOutside searches the gateway's folder, its log, and its arguments and
// environment.
func (l *leak) keptOutside(t *testing.T, when string) {
	t.Helper()
	seen := 0
	err := filepath.WalkDir(l.dir, func(path string, entry fs.DirEntry, err error) error {
		if err != nil || !entry.Type().IsRegular() {
			return nil //nolint:nilerr // it went while we looked
		}
		content, err := os.ReadFile(path)
		if err != nil {
			return nil //nolint:nilerr // the same
		}
		seen += len(l.beacon.In(content))
		l.cleanText(t, strings.TrimPrefix(path, l.dir)+" "+when, content)
		if strings.HasPrefix(entry.Name(), "core") {
			t.Errorf("a core dump: %s", path)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if seen == 0 {
		t.Error("nothing of the pages is in what the gateway keeps: it was not read")
	}
	l.cleanText(t, "the log "+when, []byte(l.log.String()))
	for _, file := range []string{"environ", "cmdline"} {
		content, err := os.ReadFile(fmt.Sprintf("/proc/%d/%s", l.process.Process.Pid, file))
		if err != nil {
			t.Error(err)
		}
		l.cleanText(t, file+" of the gateway", content)
	}
}

// keptInProfiles searches the profiles of signed-in sessions, decrypted.
func (l *leak) keptInProfiles(t *testing.T) {
	key, err := age.ParseX25519Identity(l.profileKey)
	if err != nil {
		t.Fatal(err)
	}
	operator := l.as(t, "operator")
	made := operator.post("/v1/browser/contexts", `{"name": "plain"}`).object(http.StatusCreated)
	id := made["id"].(string)
	l.session = operator.open(`{"profile": "plain"}`)
	l.show(t, "/places")
	l.show(t, "/mirror?form=raw")
	operator.post("/v1/sessions/"+l.session+"/close", "").object(http.StatusOK)
	saved := filepath.Join(l.profiles(), id+".age")
	var file *os.File
	testwait.For(t, "the end of the browser", func() bool {
		file, err = os.Open(saved)
		return err == nil || strings.Contains(l.log.String(), "a profile was not saved")
	})
	if err == nil { // otherwise it held what could not be taken out of it, and is not kept at all
		defer file.Close()
		plain, err := age.Decrypt(file, key)
		if err != nil {
			t.Fatal(err)
		}
		l.unpacked(t, plain)
	}
	l.signedOut(t)
}

// unpacked looks through the files of a profile.
func (l *leak) unpacked(t *testing.T, profile io.Reader) {
	t.Helper()
	whole := bufio.NewReader(profile)
	if _, err := whole.ReadString('\n'); err != nil { // whose it is
		t.Fatal(err)
	}
	names := 0
	for files := tar.NewReader(whole); ; names++ {
		file, err := files.Next()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			t.Fatal(err)
		}
		content, err := io.ReadAll(files)
		if err != nil {
			t.Fatal(err)
		}
		l.cleanText(t, "of a profile the file "+file.Name, content)
	}
	if names < 10 {
		t.Errorf("a profile has %d files", names)
	}
}

// signedOut removes the credentials from the vault, and checks that the profile
// alone gives no access.
func (l *leak) signedOut(t *testing.T) {
	t.Helper()
	if out, complaint, status := l.command(t, "vault", "remove", "localhost"); status != 0 {
		t.Fatalf("vault remove: %d\n%s%s", status, out, complaint)
	}
	operator := l.as(t, "operator")
	out := func(session string) bool {
		l.session = operator.open(session)
		l.show(t, "/")
		shown := operator.get(l.at("/extract")).body
		operator.post("/v1/sessions/"+l.session+"/close", "").object(http.StatusOK)
		return strings.Contains(string(shown), "signed in by []")
	}
	testwait.For(t, "the vault to have nothing", func() bool { return out(`{}`) }) // an answer of it is used again for a moment
	if !out(`{"profile": "plain"}`) {
		t.Error("the profile is signed in by itself")
	}
}
