package gate_test

import (
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/gloveboxhq/glovebox/internal/action"
	"github.com/gloveboxhq/glovebox/internal/fault"
	"github.com/gloveboxhq/glovebox/internal/gate"
	"github.com/gloveboxhq/glovebox/internal/gate/policy"
	"github.com/gloveboxhq/glovebox/internal/gate/scan"
)

// token is assembled here, so that no file contains it as one text.
const token = "ghp_" + "q7Zk2XvB9mLw4RtY8nPc3HdJ6sFg1Ka5Ue0W"

func comment() *action.Element {
	return &action.Element{Role: "searchbox", Tag: "input", Type: "search", Name: "Search", Ref: "e1", Editable: true}
}

// scanned is a testGate whose page has a search field, and that handles
// credentials as on says.
func scanned(t *testing.T, on gate.OnCredential) *testGate {
	h := buildWith(t, policy.Config{Enabled: true}, gate.Credentials{On: on})
	h.fakeSessions.element = comment()
	t.Cleanup(func() { h.close(t) })
	return h
}

// sending returns calls that contain the token, each in another argument.
func sending() map[string]action.Call {
	at := action.Locator{Ref: "e1"}
	dialog := &action.AnswerDialog{Accept: true, Prompt: "it is " + token}
	return map[string]action.Call{
		"typed":         {Verb: "page.type", Args: &action.Type{Locator: at, Input: token}},
		"between codes": {Verb: "page.type", Args: &action.Type{Locator: at, Input: token[:12] + "\x1b[0m" + token[12:20] + "\x00" + token[20:]}},
		"chosen":        {Verb: "page.select", Args: &action.Select{Locator: at, Values: []string{"a", token}}},
		"in an address": {Verb: "page.goto", Args: &action.Goto{URL: "https://app.example.com/?q=" + token}},
		"in a fragment": {Verb: "tab.open", Args: &action.OpenTab{URL: "https://app.example.com/#" + token}},
		"in a host":     {Verb: "page.goto", Args: &action.Goto{URL: "https://" + token + ".example.com/"}},
		"in a file":     {Verb: "page.upload", Args: &action.Upload{Locator: at, Files: []action.NewFile{{Name: "a.txt", Bytes: []byte("x " + token)}}}},
		"kept":          {Verb: "artifact.put", Args: &action.NewFile{Name: token + ".txt", Bytes: []byte("x")}},
		"in a dialog":   {Verb: "page.dialog", Args: dialog},
		"in a crawl":    {Verb: "page.crawl", Args: &action.Crawl{URL: "https://app.example.com/" + token}},
		"in a batch":    {Verb: "page.batch", Args: &action.Batch{Steps: []action.Step{{Verb: "page.type", Args: &action.Type{Locator: at, Input: token}}}}},
		"to the queue":  {Verb: "approval.status", Args: &action.ByID{ID: token}},
		"out of bounds": {Verb: "page.goto", Args: &action.Goto{URL: "https://app.example.com/" + token, WaitUntil: "soon"}},
		"in a script":   {Verb: "page.execute", Args: &action.Execute{Expression: "f('" + token + "')"}},
		"not allowed":   {Verb: "cookie.set", Args: &action.CookieSet{Cookies: []action.NewCookie{{Name: "n", Value: new(token)}}}},
	}
}

// other has the codes of calls that are refused for another reason.
var other = map[string]fault.Code{"out of bounds": fault.InvalidRequest, "not allowed": fault.DeniedByPolicy}

func TestCredentialsOfAnAgentPauseTheSession(t *testing.T) {
	for name, call := range sending() {
		t.Run(strings.ReplaceAll(name, " ", "-"), func(t *testing.T) {
			h := scanned(t, gate.PauseSession)
			call.Caller = agent
			_, err := h.Call(t.Context(), call)
			want, refusedElse := other[name]
			if !refusedElse {
				want = fault.CredentialDetected
			}
			if fault.CodeOf(err) != want || h.fakeSessions.count() > 0 {
				t.Fatalf("the answer is %v, and %d calls were done", err, h.fakeSessions.count())
			}
			halts := len(h.fakeSessions.halts)
			if own := strings.HasPrefix(call.Verb, "approval."); !refusedElse && halts != 1 && !own {
				t.Errorf("paused %d times", halts)
			}
			h.holdsNot(t, "q7Zk2XvB9m", err)
		})
	}
}

// holdsNot fails if the secret is in the fault, in the reason for the pause, or
// in anything that is stored.
func (h *testGate) holdsNot(t *testing.T, secret string, err error) {
	t.Helper()
	shown := h.fakeSessions.halts
	if f := fault.From(err); f != nil {
		shown = append(shown, f.Error(), f.Hint)
		for _, detail := range f.Details {
			if text, is := detail.(string); is {
				shown = append(shown, text)
			}
		}
	}
	for _, text := range shown {
		if strings.Contains(text, secret) {
			t.Errorf("the value is shown: %s", text)
		}
	}
	files, globErr := filepath.Glob(h.file + "*")
	if globErr != nil || len(files) == 0 {
		t.Fatalf("no files of the store: %v", globErr)
	}
	for _, file := range files {
		stored, readErr := os.ReadFile(file)
		if readErr != nil {
			t.Fatal(readErr)
		}
		if strings.Contains(string(stored), secret) {
			t.Errorf("the value is stored in %s", filepath.Base(file))
		}
	}
}

func TestFoundCredentialsAreReportedByKindAndPlace(t *testing.T) {
	h := scanned(t, gate.PauseSession)
	_, err := h.Call(t.Context(), action.Call{Verb: "page.type", Caller: agent, Args: &action.Type{Locator: action.Locator{Ref: "e1"}, Input: token}})
	f := fault.From(err)
	if f.Details["kind"] != "github-pat" || f.Details["field"] != "text" || !strings.Contains(f.Hint, "paused") {
		t.Errorf("the fault is %+v", f)
	}
	if want := "s1 credential_detected bot called page.type: the call holds what looks like a credential (github-pat in text)"; !slices.Equal(h.fakeSessions.halts, []string{want}) {
		t.Errorf("paused by %q", h.fakeSessions.halts)
	}
	intent, outcome := h.last(t)
	if !strings.HasPrefix(outcome.Error, "credential_detected: ") || intent.InputValue != "[not recorded]" {
		t.Errorf("recorded %+v and %+v", intent, outcome)
	}
}

func TestDenyCallRefusesCredentialsWithoutAPause(t *testing.T) {
	h := scanned(t, gate.DenyCall)
	h.fakeSessions.to = nil
	_, err := h.Call(t.Context(), action.Call{Verb: "page.goto", Caller: agent, Args: &action.Goto{URL: "https://app.example.com/?q=" + token}})
	if fault.CodeOf(err) != fault.CredentialDetected || len(h.fakeSessions.halts) > 0 {
		t.Fatalf("the answer is %v, paused by %q", err, h.fakeSessions.halts)
	}
	alerts := 0
	for _, r := range h.records(t) {
		if r.EventType == action.EventAlert && strings.Contains(r.Detail, "github-pat in url") && r.TargetURL == "https://app.example.com/[not recorded]" {
			alerts++
		}
	}
	if alerts != 1 {
		t.Errorf("%d alerts in %+v", alerts, h.records(t))
	}
	h.holdsNot(t, "q7Zk2XvB9m", err)
}

func TestAskPersonAsksAboutCredentials(t *testing.T) {
	h := scanned(t, gate.AskPerson)
	call := action.Call{Verb: "page.type", Caller: agent, Wait: time.Millisecond, Args: &action.Type{Locator: action.Locator{Ref: "e1"}, Input: token}}
	result, err := h.Call(t.Context(), call)
	if err != nil || result.Pending == nil || result.Pending.Risk != action.Critical {
		t.Fatalf("the answer is %+v, %v", result, err)
	}
	h.holdsNot(t, "q7Zk2XvB9m", nil)
	answer := &action.Answer{ID: result.Pending.Approval, Approve: true, Reason: "a test account"}
	if _, err := h.Call(t.Context(), action.Call{Verb: "approval.answer", Caller: operator, Args: answer}); err != nil {
		t.Fatal(err)
	}
	if _, err := h.Call(t.Context(), call); err != nil || h.fakeSessions.count() != 1 {
		t.Errorf("after the answer: %v, %d done", err, h.fakeSessions.count())
	}
	h.holdsNot(t, "q7Zk2XvB9m", nil)
}

func TestCredentialsAreRefusedIfNobodyCanBeAsked(t *testing.T) {
	h := buildWith(t, policy.Config{}, gate.Credentials{On: gate.AskPerson})
	h.fakeSessions.element = comment()
	t.Cleanup(func() { h.close(t) })
	_, err := h.Call(t.Context(), action.Call{Verb: "page.type", Caller: agent, Args: &action.Type{Locator: action.Locator{Ref: "e1"}, Input: token}})
	if fault.CodeOf(err) != fault.CredentialDetected || h.fakeSessions.count() > 0 {
		t.Errorf("the answer is %v", err)
	}
}

// keys presses the keys of a text one by one until one is refused. before is put before the
// name of each.
func (h *testGate) keys(ctx context.Context, text, before string) (pressed int, err error) {
	for _, letter := range text {
		call := action.Call{Verb: "page.press", Caller: agent, Args: &action.Press{Locator: action.Locator{Ref: "e1"}, Key: before + string(letter)}}
		if _, err := h.Call(ctx, call); err != nil {
			return pressed, err
		}
		pressed++
	}
	return pressed, nil
}

func TestCredentialsPressedKeyByKeyAreFound(t *testing.T) {
	for _, before := range []string{"", "Shift+", "shift+", " SHIFT + ", " "} {
		h := scanned(t, gate.PauseSession)
		pressed, err := h.keys(t.Context(), "go:"+token, before)
		if fault.CodeOf(err) != fault.CredentialDetected || pressed != len("go:"+token)-1 {
			t.Errorf("%q: after %d keys: %v", before, pressed, err)
		}
	}
}

func TestCredentialsTypedInPiecesAreFound(t *testing.T) {
	h := scanned(t, gate.PauseSession)
	piece := func(text string, clear bool) error {
		_, err := h.Call(t.Context(), action.Call{Verb: "page.type", Caller: agent, Args: &action.Type{Locator: action.Locator{Ref: "e1"}, Input: text, Clear: clear}})
		return err
	}
	if err := piece(token[:20], false); err != nil {
		t.Fatal(err)
	}
	h.fakeSessions.doErr = fault.New(fault.NotActionable, "it is covered")
	if err := piece("what was not typed", false); fault.CodeOf(err) != fault.NotActionable {
		t.Fatal(err)
	}
	h.fakeSessions.doErr = nil
	if err := piece(token[20:], false); fault.CodeOf(err) != fault.CredentialDetected {
		t.Errorf("the second half: %v", err)
	}
	if err := piece(token[:20], true); err != nil {
		t.Fatal(err)
	}
	if err := piece(token[20:], true); err != nil {
		t.Errorf("the second half, in place of the first: %v", err)
	}
}

func TestRandomStringsInSecretFieldsAreFound(t *testing.T) {
	random := "Zf3D0LXCM3EIMbgJ" + "pUNnkRtOfOueHznB"
	call := action.Call{Verb: "page.type", Caller: agent, Args: &action.Type{Locator: action.Locator{Ref: "e1"}, Input: random}}
	h := scanned(t, gate.PauseSession)
	if _, err := h.Call(t.Context(), call); err != nil {
		t.Errorf("in a search field: %v", err)
	}
	h.fakeSessions.element = &action.Element{Role: "textbox", Tag: "input", Name: "API token", Ref: "e1", Editable: true}
	if _, err := h.Call(t.Context(), call); fault.CodeOf(err) != fault.CredentialDetected {
		t.Errorf("in a field for tokens: %v", err)
	}
	h = scanned(t, gate.PauseSession)
	h.fakeSessions.element = &action.Element{Role: "textbox", Tag: "input", Type: "password", Name: "Password", Ref: "e1", Editable: true, Protected: true}
	if _, err := h.Call(t.Context(), call); fault.CodeOf(err) != fault.DeniedByPolicy || len(h.fakeSessions.halts) > 0 {
		t.Errorf("in a password field: %v, paused by %q", err, h.fakeSessions.halts)
	}
}

func TestOnlyTextsOfAgentsAreScanned(t *testing.T) {
	for name, call := range sending() {
		h := scanned(t, gate.PauseSession)
		call.Caller = operator
		if _, err := h.Call(t.Context(), call); fault.CodeOf(err) == fault.CredentialDetected || len(h.fakeSessions.halts) > 0 {
			t.Errorf("%s, of an operator: %v", name, err)
		}
	}
	h := scanned(t, gate.PauseSession)
	step := action.Call{Verb: "crawl.page", Caller: agent, Surface: "macro", Args: &action.CrawlPage{Crawl: "c1", URL: "https://app.example.com/?t=" + token}}
	if _, err := h.Call(t.Context(), step); fault.CodeOf(err) == fault.CredentialDetected {
		t.Errorf("a page of a crawl: %v", err)
	}
	h.holdsNot(t, "q7Zk2XvB9m", nil)
}

func TestDocumentedTestValuesAreAllowed(t *testing.T) {
	h := buildWith(t, policy.Config{Enabled: true}, gate.Credentials{Scanner: scan.New([]string{token})})
	h.fakeSessions.element = comment()
	t.Cleanup(func() { h.close(t) })
	if _, err := h.Call(t.Context(), action.Call{Verb: "page.type", Caller: agent, Args: &action.Type{Locator: action.Locator{Ref: "e1"}, Input: token}}); err != nil {
		t.Error(err)
	}
}

func TestRecordsContainNoCredentials(t *testing.T) {
	h := scanned(t, gate.DenyCall)
	h.fakeSessions.element = nil
	for _, call := range []action.Call{
		{Verb: "page.hover", Args: &action.Hover{Locator: action.Locator{Text: token}}},
		{Verb: "page.extract", Source: action.Source{UserAgent: "curl " + token}},
		{Verb: "page.extract", Session: token},
	} {
		call.Caller = agent
		_, _ = h.Call(t.Context(), call)
	}
	h.Refuse(t.Context(), action.Call{Caller: agent, Session: token, Source: action.Source{Request: "GET /v1/" + token, UserAgent: token}},
		fault.New(fault.NotFound, "there is nothing at %s", token))
	records := h.trail(t)
	if len(records) < 8 {
		t.Fatalf("%d records", len(records))
	}
	for _, r := range records {
		if text, err := json.Marshal(r); err != nil || strings.Contains(string(text), token) {
			t.Errorf("record %s %v", text, err)
		}
	}
}

func TestTypedTextIsNormalizedFirst(t *testing.T) {
	h := scanned(t, gate.PauseSession)
	h.fakeSessions.element = &action.Element{Role: "textbox", Tag: "textarea", Name: "Search in logs", Ref: "e1", Editable: true}
	log := "\x1b[31mFAIL\x1b[0m 3 of 9\r\nrerun\x07"
	result, err := h.Call(t.Context(), action.Call{Verb: "page.type", Caller: agent, Args: &action.Type{Locator: action.Locator{Ref: "e1"}, Input: log}})
	if err != nil {
		t.Fatal(err)
	}
	if got := h.fakeSessions.args.(*action.Type).Input; got != "FAIL 3 of 9\nrerun" {
		t.Errorf("typed %q", got)
	}
	if !slices.ContainsFunc(result.Notes, func(n string) bool { return strings.HasPrefix(n, "3 control characters") }) {
		t.Errorf("notes %q", result.Notes)
	}
}
