package cli_test

import (
	"encoding/json"
	"os"
	"strings"
	"testing"

	"github.com/gloveboxhq/glovebox/internal/action"
)

// exporter answers an export with a login, and records what is imported.
func exporter(d *fakeGate) {
	d.answer = func(c action.Call) (action.Result, error) {
		if c.Verb == "profile.import" {
			return action.Result{Data: &action.ProfileImported{
				OK: true, ID: "p1", Format: "playwright", Cookies: 1, Origins: 1, LocalStorage: 2, Hosts: []string{"a.example"},
				Left: []action.LeftOut{{Host: "b.example", Why: "a session may not open it", Cookies: 3, LocalStorage: 1}},
			}}, nil
		}
		return action.Result{Data: &action.StorageState{
			Cookies: []action.Cookie{{Name: "sid", Value: "canary-sid", Domain: "a.example", Path: "/", Expires: -1, SameSite: "Lax"}},
			Origins: []action.OriginState{{Origin: "https://a.example", LocalStorage: []action.StorageItem{{Name: "token", Value: "canary\u009b-token"}}}},
			Left:    []action.LeftOut{{Host: "b.example", Why: "its credentials come from the vault, and stay there", Cookies: 2}},
		}}, nil
	}
}

func TestTheFileOfAnExportedLoginIsPrivate(t *testing.T) {
	d := &fakeGate{}
	exporter(d)
	r := newRig(t, d)
	if err := os.WriteFile("state.json", []byte("what was there"), 0o644); err != nil {
		t.Fatal(err)
	}
	for _, line := range [][]string{{"profile", "export", "work", "-o", "state.json"}, {"profile", "export", "work", "--out", "state.json", "--json"}} {
		out, complaint, status := r.run(line...)
		if status != 0 || complaint != "" || strings.Contains(out, "canary") || !strings.Contains(out, "b.example") {
			t.Fatalf("status %d\n%s%s", status, out, complaint)
		}
		info, err := os.Stat("state.json")
		if err != nil || info.Mode().Perm() != 0o600 {
			t.Errorf("the file is %v, %v", info.Mode(), err)
		}
		text, err := os.ReadFile("state.json")
		var state map[string]any
		if err != nil || json.Unmarshal(text, &state) != nil || len(state) != 2 || !strings.Contains(string(text), "canary-sid") {
			t.Errorf("the file holds %q, %v", text, err)
		}
	}
}

func TestAnExportedLoginIsNotPrintedOnATerminal(t *testing.T) {
	d := &fakeGate{}
	exporter(d)
	r := newRig(t, d)
	out, complaint, status := r.run("profile", "export", "work")
	var state action.StorageState
	if err := json.Unmarshal([]byte(out), &state); err != nil || status != 0 || state.Origins[0].LocalStorage[0].Value != "canary\u009b-token" || !harmless(out) {
		t.Errorf("status %d, %v: %q", status, err, out)
	}
	if !strings.Contains(complaint, "2 cookies of b.example") || strings.Contains(complaint, "canary") {
		t.Errorf("on standard error: %q", complaint)
	}
	d.taken()
	r.terminal = true
	out, complaint, status = r.run("profile", "export", "work")
	if status != 2 || out != "" || !strings.Contains(complaint, "--output") || len(d.taken()) != 0 {
		t.Errorf("on a terminal: %d %q %q", status, out, complaint)
	}
	if out, _, status = r.run("profile", "export", "work", "-o", "-"); status != 0 || !strings.Contains(out, "canary-sid") {
		t.Errorf("with --output -: %d %q", status, out)
	}
}

func TestAnImportReportsWhatWasLeftOut(t *testing.T) {
	d := &fakeGate{}
	exporter(d)
	r := newRig(t, d)
	if err := os.WriteFile("state.json", []byte(`{"cookies": []}`), 0o600); err != nil {
		t.Fatal(err)
	}
	out, complaint, status := r.run("profile", "import", "work", "state.json")
	if status != 0 || complaint != "" || !strings.Contains(out, "1 cookie and 2 entries of localStorage (1 origin), of a.example") ||
		!strings.Contains(out, "3 cookies and 1 entry of localStorage of b.example: a session may not open it") {
		t.Errorf("status %d\n%s%s", status, out, complaint)
	}
	if calls := d.taken(); len(calls) != 1 || string(calls[0].Args.(*action.ProfileImport).File) != `{"cookies": []}` {
		t.Errorf("it became %+v", calls)
	}
	r.in = strings.Repeat("x", action.MostStateFile+1)
	if out, complaint, status = r.run("profile", "import", "work", "-"); status != 7 || !strings.Contains(complaint, "16 MiB") || len(d.taken()) != 0 {
		t.Errorf("too much: %d %q %q", status, out, complaint)
	}
}
