package replay_test

import (
	"bytes"
	"crypto/ed25519"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"image"
	"image/png"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/gloveboxhq/glovebox/internal/action"
	"github.com/gloveboxhq/glovebox/internal/browser/browsertest"
	"github.com/gloveboxhq/glovebox/internal/browser/cdp"
	"github.com/gloveboxhq/glovebox/internal/fault"
	"github.com/gloveboxhq/glovebox/internal/gate/audit"
	"github.com/gloveboxhq/glovebox/internal/replay"
	"github.com/gloveboxhq/glovebox/internal/store"
	"github.com/gloveboxhq/glovebox/internal/testwait"
)

const (
	picture = "0123456789abcdef0123456789abcdef"
	gone    = "fedcba9876543210fedcba9876543210"
)

// hostile are texts that would run a script if they became markup.
var hostile = []string{
	`</script><script>globalThis.ran = 1</script>`, `<img src=x onerror="globalThis.ran = 1">`, `<!--<script>`, `javascript:globalThis.ran=1`,
	`"><svg onload=globalThis.ran=1>`, "\u2028globalThis.ran=1", `__proto__`, `</title><base href="https://evil.example/">`,
}

// exported is a replay, with the trail whose key signs it.
type exported struct {
	*action.Replay
	trail *audit.Log
}

// recorded is the replay of a session whose records a real trail has, with those of
// another session between them.
func recorded(t *testing.T) exported {
	t.Helper()
	db, err := store.Open(t.Context(), filepath.Join(t.TempDir(), "state.db"))
	check(t, err)
	trail, err := audit.Open(t.Context(), audit.Options{DB: db, Log: slog.New(slog.DiscardHandler), Signing: audit.Signing{Key: newKey(t), Folder: t.TempDir()}})
	check(t, err)
	t.Cleanup(func() {
		trail.Close()
		_ = db.Close()
	})
	for i, text := range hostile {
		r := action.Record{CorrelationID: fmt.Sprint("c", i), Scope: "acme", SessionID: "s1", Action: "page.click", TargetElement: text, URL: text, Detail: text, Result: "ok"}
		switch i {
		case 2:
			r.Screenshot = picture
		case 4:
			r.Result, r.Error = "fault", "denied_by_policy: "+text
		case 5:
			r.Screenshot, r.ApprovalID = gone, "q1"
		}
		check(t, trail.BeginAndEnd(r, r))
		r.SessionID = "s2"
		check(t, trail.Append(r))
	}
	all, err := trail.SessionTrail(t.Context(), "acme", "s1")
	check(t, err)
	records, err := trail.SessionRecords(t.Context(), "acme", "s1", 0, all.Seq, 1000)
	check(t, err)
	return exported{trail: trail, Replay: &action.Replay{
		Session: action.Session{ID: "s1", Name: hostile[0], Scope: "acme", State: "closed", Reason: hostile[1]}, Trail: all, Records: records,
		Pictures:  []action.ReplayPicture{{Artifact: picture, SHA256: pictureSum(t)}, {Artifact: gone}, {Artifact: picture, SHA256: pictureSum(t)}, {Artifact: `"><script>`}},
		Seen:      []action.Sight{{CorrelationID: "c0", Text: "page \"Shop\"\n link \"More\" [e3]"}, {CorrelationID: "c3", Text: hostile[0], Cut: true}},
		Questions: []action.Question{{ID: "q1", State: "denied", Verb: "page.click", Why: hostile[0], AnsweredBy: "ann", Reason: hostile[1], Answered: &time.Time{}}},
	}}
}

func newKey(t *testing.T) ed25519.PrivateKey {
	t.Helper()
	_, key, err := ed25519.GenerateKey(nil)
	check(t, err)
	return key
}

func pictureSum(t *testing.T) string {
	t.Helper()
	file, err := pictures(picture)
	check(t, err)
	return fmt.Sprintf("%x", sha256.Sum256(file.Bytes))
}

// parts returns the replay in parts of so many records, each signed.
func (r exported) parts(t *testing.T, size int) (all []*action.Replay) {
	t.Helper()
	cursor := ""
	for at := 0; at == 0 || at < len(r.Records); at += size {
		part := *r.Replay
		part.Records = r.Records[at:min(at+size, len(r.Records))]
		if at > 0 {
			part.Trail = nil
		}
		if at+size < len(r.Records) {
			part.Next = fmt.Sprintf("%d-%d", part.Records[size-1].Seq, r.Trail.Seq)
		}
		check(t, r.trail.SealReplay(&part, cursor))
		cursor, all = part.Next, append(all, &part)
	}
	return all
}

func check(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func pictures(artifact string) (action.File, error) {
	if artifact != picture {
		return action.File{}, fault.New(fault.NotFound, "there is no such artifact")
	}
	var content bytes.Buffer
	err := png.Encode(&content, image.NewGray(image.Rect(0, 0, 40, 30)))
	return action.File{Artifact: action.Artifact{MediaType: "image/png"}, Bytes: content.Bytes()}, err
}

func written(t *testing.T, r exported, pictures replay.Pictures) string {
	t.Helper()
	return writtenParts(t, r.parts(t, 1000), pictures)
}

func writtenParts(t *testing.T, parts []*action.Replay, pictures replay.Pictures) string {
	t.Helper()
	var page strings.Builder
	check(t, replay.Write(&page, parts, pictures))
	return page.String()
}

// verdict returns the state and the words of what the open file says of itself.
func (p *tab) verdict() (state, words string) {
	p.Helper()
	return p.eval(`document.getElementById("verdict").dataset.state`), p.text("verdict")
}

// tab is a tab of a real browser.
type tab struct {
	*testing.T
	conn    *cdp.Conn
	page    *cdp.Session
	folder  string
	opened  int // files
	console chan string
}

func openTab(t *testing.T) *tab {
	t.Helper()
	p := &tab{T: t, console: make(chan string, 100)}
	p.conn = cdp.Open(browsertest.For(t).Transport(), 0, func(e cdp.Event) {
		if e.Method == "Log.entryAdded" || e.Method == "Runtime.exceptionThrown" {
			p.console <- string(e.Params)
		}
	})
	var target struct{ TargetID string }
	p.call(p.conn.Root(), "Target.createTarget", map[string]any{"url": "about:blank"}, &target)
	var attached struct{ SessionID string }
	p.call(p.conn.Root(), "Target.attachToTarget", map[string]any{"targetId": target.TargetID, "flatten": true}, &attached)
	p.page = p.conn.Session(attached.SessionID)
	for _, domain := range []string{"Page", "Runtime", "Log"} {
		p.call(p.page, domain+".enable", nil, nil)
	}
	var err error
	p.folder, err = os.MkdirTemp("", "glovebox-replay-")
	check(t, err)
	check(t, os.Chmod(p.folder, 0o755)) // the browser runs as another user
	t.Cleanup(func() { _ = os.RemoveAll(p.folder) })
	return p
}

func (p *tab) call(s *cdp.Session, method string, params, result any) {
	p.Helper()
	check(p, s.Call(testwait.Context(p), method, params, result))
}

// open opens a file from the disk, and waits until it has verified its records.
func (p *tab) open(page, fragment string) {
	p.Helper()
	p.opened++
	file := filepath.Join(p.folder, fmt.Sprint(p.opened, ".html"))
	check(p, os.WriteFile(file, []byte(page), 0o644))
	p.call(p.page, "Page.navigate", map[string]any{"url": "file://" + file + fragment}, nil)
	if state := p.eval(`new Promise((done) => {
		const look = () => { const v = document.getElementById("verdict"); v && v.dataset.state !== "pending" && document.readyState === "complete" ? done(v.dataset.state) : setTimeout(look, 10); };
		look();
	})`); state == "" {
		p.Fatal("nothing was verified")
	}
}

// eval returns what an expression is, as text.
func (p *tab) eval(expression string) string {
	p.Helper()
	var answer struct {
		Result           struct{ Value any }
		ExceptionDetails json.RawMessage
	}
	p.call(p.page, "Runtime.evaluate", map[string]any{"expression": expression, "awaitPromise": true, "returnByValue": true}, &answer)
	if answer.ExceptionDetails != nil {
		p.Fatalf("%s: %s", expression, answer.ExceptionDetails)
	}
	return fmt.Sprint(answer.Result.Value)
}

func (p *tab) press(id string) {
	p.Helper()
	p.eval(`document.getElementById("` + id + `").click()`)
}

func (p *tab) choose(id, value string) {
	p.Helper()
	p.eval(fmt.Sprintf(`{ const list = document.getElementById(%q); list.value = %q; list.dispatchEvent(new Event("change")); }`, id, value))
}

func (p *tab) text(id string) string {
	p.Helper()
	return p.eval(`document.getElementById("` + id + `").textContent`)
}

func TestTheFileVerifiesAndPlaysItsRecordsWithoutAGateway(t *testing.T) {
	r := recorded(t)
	p := openTab(t)
	p.open(written(t, r, pictures), "")
	if state, words := p.verdict(); state != "verified" || !strings.Contains(words, "16 records") {
		t.Errorf("%s: %s", state, words)
	}
	if got := p.eval(`document.querySelectorAll("#records li").length`); got != "9" {
		t.Errorf("%s entries are listed, want the summary and 8 calls", got)
	}
	p.press("next")
	if title := p.text("title"); title != "Records 1 and 2: page.click" {
		t.Errorf("after the summary comes %q", title)
	}
	if looked, seen := p.text("looked"), p.text("seen"); looked != "What the agent saw at this record" || seen != r.Seen[0].Text {
		t.Errorf("%s: %s", looked, seen)
	}
	p.press("previous")
	if title, hidden := p.text("title"), p.eval(`document.getElementById("looked").hidden`); title != "Summary" || hidden != "true" {
		t.Errorf("before the first call comes %q, with what the agent saw hidden: %s", title, hidden)
	}
	p.eval(`document.body.dispatchEvent(new KeyboardEvent("keydown", {key: "End", bubbles: true}))`)
	if title := p.text("title"); title != "Records 22 and 23: page.click" {
		t.Errorf("the last call is %q", title)
	}
	p.eval(`{ const time = document.getElementById("time"); time.value = 3; time.dispatchEvent(new Event("input")); }`)
	if title, caption := p.text("title"), p.text("caption"); title != "Records 7 and 8: page.click" || caption != "Picture of record 8." {
		t.Errorf("%q has %q", title, caption)
	}
	if size := p.eval(`document.getElementById("picture").decode().then(() => document.getElementById("picture").naturalWidth)`); size != "40" {
		t.Errorf("the picture is %s wide", size)
	}
	if looked := p.text("looked"); looked != "What the agent saw at the earlier record 2" {
		t.Errorf("before the next text: %s", looked)
	}
	p.choose("kind", "refused")
	if place, fields := p.text("place"), p.text("fields"); place != "1 of 1" || !strings.Contains(fields, "denied_by_policy: "+hostile[4]) {
		t.Errorf("refused: %s, %s", place, fields)
	}
	p.choose("kind", "all")
	if listed, title := p.eval(`document.querySelectorAll("#records li").length`), p.text("title"); listed != "16" || title != "Record 14: outcome page.click" {
		t.Errorf("of all records %s are listed, with %q", listed, title)
	}
	p.open(written(t, r, pictures), "#17")
	if title, question, caption := p.text("title"), p.text("question"), p.text("caption"); title != "Records 16 and 17: page.click" ||
		p.text("looked") != "What the agent saw at the earlier record 11 (cut)" || p.text("seen") != hostile[0] || !strings.Contains(question, "denied by ann") || !strings.Contains(question, hostile[0]) || caption != "The picture of record 17 is not in this file: the gateway had removed it." {
		t.Errorf("%q: %q, %q", title, question, caption)
	}
	p.open(written(t, r, pictures), "#16")
	if title := p.text("title"); title != "Records 16 and 17: page.click" {
		t.Errorf("the address of an intent opens %q", title)
	}
}

// TestTheFileOpensOnASummary reads what a person sees first.
func TestTheFileOpensOnASummary(t *testing.T) {
	r := recorded(t)
	created := time.Date(2026, 11, 25, 9, 0, 0, 0, time.UTC)
	closed := created.Add(time.Hour + 2*time.Minute + 5*time.Second)
	r.Session.Created, r.Session.Closed = created, &closed
	p := openTab(t)
	p.open(written(t, r, pictures), "")
	if title, heading, caption := p.text("title"), p.text("heading"), p.text("caption"); title != "Summary" || heading != "Replay of "+hostile[0] || caption != "The first picture, of record 8." {
		t.Errorf("%q, %q, %q", title, heading, caption)
	}
	var facts map[string]string
	check(t, json.Unmarshal([]byte(p.eval(`JSON.stringify(Object.fromEntries([...document.querySelectorAll("#fields > div")].map((d) => [d.children[0].textContent, d.children[1].textContent])))`)), &facts))
	for name, want := range map[string]string{
		"session": "s1", "state": "closed", "reason": hostile[1], "lasted": "1 h 2 min 5 s", "calls": "page.click (8)", "refused or failed": "1", "questions": "denied (1)", "records": "16",
	} {
		if facts[name] != want {
			t.Errorf("%s is %q, want %q", name, facts[name], want)
		}
	}
	hash := `[...document.querySelectorAll("#hashes > div")].find((d) => d.children[0].textContent === "its hash").children[1]`
	if short := p.eval(hash + ".textContent"); short != r.Trail.Hash[:12]+"…" {
		t.Errorf("the hash is shown as %q", short)
	}
	p.eval(hash + ".firstChild.click()")
	if whole := p.eval(hash + ".textContent"); whole != r.Trail.Hash {
		t.Errorf("when it is pressed, the hash is shown as %q", whole)
	}
	p.open(written(t, r, nil), "")
	if caption := p.text("caption"); caption != "The file has no picture." {
		t.Errorf("a file without pictures says %q", caption)
	}
}

// TestTheFileFitsAPhone has what a record shows before the list of records.
func TestTheFileFitsAPhone(t *testing.T) {
	p := openTab(t)
	p.call(p.page, "Emulation.setDeviceMetricsOverride", map[string]any{"width": 360, "height": 740, "deviceScaleFactor": 1, "mobile": true}, nil)
	p.open(written(t, recorded(t), pictures), "#8")
	if width := p.eval(`document.documentElement.scrollWidth`); width != "360" {
		t.Errorf("the page is %s pixels wide", width)
	}
	if above := p.eval(`document.getElementById("picture").getBoundingClientRect().bottom <= document.getElementById("records").getBoundingClientRect().top`); above != "true" {
		t.Error("the picture is not above the list of records")
	}
	p.eval(`window.scrollTo(0, document.body.scrollHeight)`)
	p.press("next")
	if top := p.eval(`document.querySelector("nav").getBoundingClientRect().top`); top != "0" {
		t.Errorf("the buttons are at %s", top)
	}
}

// TestTextsOfRecordsRunNothing looks for each way in which a text of a record could
// become more than text.
func TestTextsOfRecordsRunNothing(t *testing.T) {
	p := openTab(t)
	p.open(written(t, recorded(t), pictures), "")
	p.choose("kind", "all")
	for range hostile {
		p.press("next")
		p.press("next")
		if got := p.eval(`document.querySelectorAll("#record script, #records script, header script, main img:not(#picture), svg, base").length`); got != "0" {
			t.Fatalf("a text became %s elements", got)
		}
	}
	if ran := p.eval(`String(globalThis.ran)`); ran != "undefined" {
		t.Error("a text of a record ran as a script")
	}
	select {
	case entry := <-p.console:
		t.Errorf("the browser reports %s", entry) // also what the policy of the page refuses
	default:
	}
	p.eval(`new Promise((done) => { const s = document.createElement("script"); s.textContent = "globalThis.ran = 1"; document.body.append(s); setTimeout(done, 0); })`)
	p.eval(`fetch("https://a.example/").catch(() => {})`)
	if ran := p.eval(`String(globalThis.ran)`); ran != "undefined" || len(p.console) < 2 {
		t.Errorf("the policy of the page refuses nothing: %s", ran)
	}
}

func TestAChangedFileIsShownAsBroken(t *testing.T) {
	p := openTab(t)
	for name, change := range map[string]func(r exported){
		"text":       func(r exported) { r.Records[5].Line = strings.Replace(r.Records[5].Line, `"ok"`, `"no"`, 1) },
		"hash":       func(r exported) { r.Records[5].Hash = strings.Repeat("a", 64) },
		"previous":   func(r exported) { r.Records[5].Previous = strings.Repeat("a", 64) },
		"missing":    func(r exported) { r.Records = append(r.Records[:5:5], r.Records[6:]...) },
		"cut":        func(r exported) { r.Records = r.Records[:15] },
		"empty":      func(r exported) { r.Records = nil },
		"twice":      func(r exported) { r.Records = append(r.Records[:6:6], r.Records[5:]...) },
		"swapped":    func(r exported) { r.Records[5], r.Records[6] = r.Records[6], r.Records[5] },
		"other":      func(r exported) { r.Session.ID = "s2" },
		"no line":    func(r exported) { r.Records[5].Line, r.Records[5].Hash = "", strings.Repeat("a", 64) },
		"unreadable": func(r exported) { r.Records[5].Line = "{" },
		"head":       func(r exported) { r.Trail.Hash = strings.Repeat("a", 64) },
	} {
		r := recorded(t)
		change(r)
		p.open(written(t, r, nil), "")
		if state, problems := p.eval(`document.getElementById("verdict").dataset.state`), p.text("problems"); state != "broken" || problems == "" {
			t.Errorf("%s: %s %q", name, state, problems)
		}
	}
	r := recorded(t)
	r.Records[5].Line, r.Records[6].Previous = "", ""
	p.open(written(t, r, nil), "")
	if state, words := p.eval(`document.getElementById("verdict").dataset.state`), p.text("verdict"); state != "partly" || !strings.HasPrefix(words, "Partly verified. 14 of 16 records fit the chain") {
		t.Errorf("redacted records: %s %q", state, words)
	}
}

func TestAPictureThatCannotBeFetchedFailsTheExport(t *testing.T) {
	lost := errors.New("the gateway is gone")
	err := replay.Write(new(strings.Builder), recorded(t).parts(t, 1000), func(string) (action.File, error) { return action.File{}, lost })
	if !errors.Is(err, lost) {
		t.Errorf("the export ended with %v", err)
	}
	if page := written(t, recorded(t), nil); strings.Contains(page, "data-picture=") {
		t.Error("an export without pictures has one")
	}
}
