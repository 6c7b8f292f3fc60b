package gate_test

import (
	"context"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/gloveboxhq/glovebox/internal/action"
	"github.com/gloveboxhq/glovebox/internal/credentials"
	"github.com/gloveboxhq/glovebox/internal/credentials/redact"
	"github.com/gloveboxhq/glovebox/internal/fault"
)

// cookie is the secret that the attacks try to find out. The agent knows its
// beginning.
const cookie = "9fQ2xK7mZ4bT8vR1nL6pW3sY5dG0hJ2cA8eU4k"

// mirror is a page of the attacker. It shows what was typed into its fields, in
// the order of their names, and repeats each call's texts in faults, addresses
// and files.
type mirror struct {
	*fakeSessions
	fields map[string]string
	before string // text of the page before its fields
	turned bool   // the page shows its fields in reverse order
}

func (m *mirror) Look(ctx context.Context, call action.Call) (action.Facts, action.Pin, error) {
	facts, pin, err := m.fakeSessions.Look(ctx, call)
	switch a := call.Args.(type) {
	case *action.Type:
		pin.Node = a.Ref
	case *action.Press:
		pin.Node = a.Ref
	case *action.Find:
		if a.Text != "" {
			err = fault.New(fault.NotFound, "nothing reads %s", a.Text)
		}
	}
	return facts, pin, err
}

func (m *mirror) Do(ctx context.Context, call action.Call, pin action.Pin) (action.Result, error) {
	result, err := m.fakeSessions.Do(ctx, call, pin)
	switch a := call.Args.(type) {
	case *action.Type:
		if a.Clear {
			m.fields[a.Ref] = ""
		}
		m.fields[a.Ref] += a.Input
	case *action.Press:
		m.fields[a.Ref] += a.Key
	case *action.Goto:
		result.Page = &action.Page{URL: a.URL, Title: a.URL}
	}
	names := slices.Sorted(maps.Keys(m.fields))
	if m.turned {
		slices.Reverse(names)
	}
	shown := []string{m.before}
	for _, name := range names {
		shown = append(shown, m.fields[name])
	}
	result.Data = &action.Extracted{Text: strings.Join(shown, "\n")}
	return result, err
}

// attack is a session whose browser has the cookie and which an agent controls.
type attack struct {
	*testGate
	page    *mirror
	secrets *redact.SecretStore
	calls   int
}

func attacked(t *testing.T, secrets ...string) *attack {
	h, pages, known := withSecrets(t)
	a := &attack{testGate: h, secrets: known, page: &mirror{fakeSessions: pages.fakeSessions, fields: map[string]string{}}}
	h.fakeSessions.element = comment()
	var err error
	if h.Gate, err = h.behind(a.page); err != nil {
		t.Fatal(err)
	}
	for _, s := range append(secrets, cookie) {
		known.Learn("s1", credentials.Keep(s))
	}
	return a
}

func (a *attack) call(by action.Caller, verb string, args any) (string, error) {
	a.calls++
	result, err := a.Call(context.Background(), action.Call{Verb: verb, Caller: by, Args: args})
	if f := fault.From(err); f != nil {
		return f.Message, f
	}
	text := fmt.Sprint(result.Page)
	if e, is := result.Data.(*action.Extracted); is {
		text += e.Text
	}
	return text, nil
}

func (a *attack) types(field, text string, clear bool) (string, error) {
	return a.call(agent, "page.type", &action.Type{Locator: action.Locator{Ref: field}, Input: text, Clear: clear})
}

// caught fails unless the last call paused the session, and right and wrong
// guesses are refused alike afterwards.
func (a *attack) caught(t *testing.T, err error) {
	t.Helper()
	if fault.CodeOf(err) != fault.CredentialDetected || len(a.fakeSessions.halts) == 0 || !strings.HasPrefix(a.fakeSessions.halts[0], "s1 credential_detected") {
		t.Fatalf("after %d calls: %v, paused for %q", a.calls, err, a.fakeSessions.halts)
	}
	done := a.fakeSessions.count()
	_, right := a.types("e1", cookie, true)
	_, wrong := a.types("e1", "not it", true)
	_, found := a.call(agent, "page.find", &action.Find{Text: cookie[:20]})
	_, missed := a.call(agent, "page.find", &action.Find{Text: "not it"})
	for _, other := range []error{wrong, found, missed} {
		if right == nil || other == nil || right.Error() != other.Error() || a.fakeSessions.count() != done {
			t.Errorf("a right guess answers %v, another %v", right, other)
		}
	}
}

const alphabet = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"

func TestAGrowingPrefixIsDetected(t *testing.T) {
	a := attacked(t)
	_, err := a.types("e1", cookie[:17]+"x", true)
	if a.calls != 1 {
		t.Fatal("more than one call")
	}
	a.caught(t, err)
}

// TestShortGuessesRevealNothing checks that fifteen known characters are shown,
// whatever is around them, and that the sixteenth pauses the session.
func TestShortGuessesRevealNothing(t *testing.T) {
	a := attacked(t)
	for at := 0; at+15 <= len(cookie); at++ {
		text, err := a.types("e1", "i"+cookie[at:at+15]+"i", true)
		if err != nil || strings.Contains(text, redact.Mark) || !strings.Contains(text, cookie[at:at+15]) {
			t.Fatalf("letters from %d on: %q, %v", at, text, err)
		}
	}
	for at, letter := range alphabet {
		text, err := a.types("e1", cookie[:15]+string(letter), true)
		if strings.EqualFold(string(letter), cookie[15:16]) {
			a.caught(t, err)
			return
		}
		if err != nil || strings.Contains(text, redact.Mark) {
			t.Fatalf("wrong letter %d: %q, %v", at, text, err)
		}
	}
}

func TestASlidingWindowIsDetected(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	a := attacked(t)
	for range 200 { // that are not part of the secret
		guess := make([]byte, 64)
		for i := range guess {
			guess[i] = alphabet[r.IntN(len(alphabet))]
		}
		if text, err := a.types("e1", string(guess), true); err != nil || strings.Contains(text, redact.Mark) {
			t.Fatalf("%q answers %q, %v", guess, text, err)
		}
	}
	_, err := a.types("e1", "x"+cookie[11:27]+"y", true)
	a.caught(t, err)
}

func TestManyGuessesInOneTextAreDetected(t *testing.T) {
	a := attacked(t)
	var half strings.Builder
	for _, letter := range alphabet[:31] {
		half.WriteString("x" + cookie[3:18] + string(letter) + " ")
	}
	_, err := a.types("e1", half.String(), true)
	for _, letter := range alphabet[31:] {
		if err == nil {
			_, err = a.types("e1", cookie[3:18]+string(letter)+"x", true)
		}
	}
	a.caught(t, err)
}

func TestPiecesInSeveralFieldsAreDetected(t *testing.T) {
	for name, order := range map[string][]string{"in order": {"e1", "e2", "e3", "e4"}, "out of order": {"e3", "e1", "e4", "e2"}} {
		for _, turned := range []bool{false, true} {
			a := attacked(t)
			a.page.turned = turned
			var err error
			for _, field := range order {
				at := 5 * int(field[1]-'1')
				if turned {
					at = 15 - at
				}
				if err == nil {
					_, err = a.types(field, cookie[4+at:9+at], true)
				}
			}
			if fault.CodeOf(err) != fault.CredentialDetected {
				t.Errorf("%s, turned %v: %v", name, turned, err)
				continue
			}
			a.caught(t, err)
		}
	}
}

func TestSingleLettersAreDetected(t *testing.T) {
	keys := attacked(t)
	var err error
	pressed := 0
	for _, letter := range cookie[8:] {
		if _, err = keys.call(agent, "page.press", &action.Press{Locator: action.Locator{Ref: "e1"}, Key: string(letter)}); err != nil {
			break
		}
		pressed++
	}
	if pressed != 15 {
		t.Errorf("%d keys were pressed", pressed)
	}
	keys.caught(t, err)
	fields := attacked(t)
	for i := 15; i >= 0; i-- {
		if _, err = fields.types(fmt.Sprintf("e%02d", i), cookie[i:i+1], true); err != nil {
			break
		}
	}
	fields.caught(t, err)
}

func TestAGuessThatContinuesThePagesTextIsDetected(t *testing.T) {
	a := attacked(t)
	a.page.before = "known so far: " + cookie[20:35]
	for _, letter := range alphabet {
		text, err := a.types("e1", string(letter), true)
		if strings.EqualFold(string(letter), cookie[35:36]) {
			a.caught(t, err)
			return
		}
		if err != nil || strings.Contains(text, redact.Mark) {
			t.Fatalf("%q answers %q, %v", letter, text, err)
		}
	}
}

func TestAGuessIsDetectedInEveryArgument(t *testing.T) {
	guess := cookie[5:25]
	at := action.Locator{Ref: "e1"}
	for name, c := range map[string]action.Call{
		"address":     {Verb: "page.goto", Args: &action.Goto{URL: "https://app.example.com/?q=" + guess}},
		"selector":    {Verb: "page.click", Args: &action.Click{Locator: action.Locator{Selector: "#" + guess}}},
		"name":        {Verb: "page.click", Args: &action.Click{Locator: action.Locator{Role: "button", Name: guess}}},
		"text":        {Verb: "page.click", Args: &action.Click{Locator: action.Locator{Text: guess}}},
		"reference":   {Verb: "page.click", Args: &action.Click{Locator: action.Locator{Ref: guess}}},
		"wait":        {Verb: "page.wait_for", Args: &action.WaitFor{Locator: action.Locator{Text: guess}}},
		"gone":        {Verb: "page.wait_for", Args: &action.WaitFor{TextGone: guess}},
		"find":        {Verb: "page.find", Args: &action.Find{Text: guess}},
		"script":      {Verb: "page.execute", Args: &action.Execute{Expression: "f('" + guess + "')"}},
		"file":        {Verb: "page.upload", Args: &action.Upload{Locator: at, Files: []action.NewFile{{Name: "a", Bytes: []byte(guess)}}}},
		"file name":   {Verb: "artifact.put", Args: &action.NewFile{Name: guess, Bytes: []byte("x")}},
		"binary":      {Verb: "artifact.put", Args: &action.NewFile{Name: "a", Bytes: []byte("\xff\xfe" + guess)}},
		"batch":       {Verb: "page.batch", Args: &action.Batch{Steps: []action.Step{{Verb: "page.type", Args: &action.Type{Locator: at, Input: guess}}}}},
		"network":     {Verb: "page.network", Args: &action.ReadNetwork{Pattern: guess}},
		"note":        {Verb: "session.request_human", Args: &action.HumanRequest{Reason: guess}},
		"session":     {Verb: "page.snapshot", Session: guess},
		"new session": {Verb: "session.start", Args: &action.SessionStart{Name: guess}},
		"question":    {Verb: "approval.status", Args: &action.ByID{ID: guess}},
		"escaped":     {Verb: "page.type", Args: &action.Type{Locator: at, Input: strings.ReplaceAll(guess, "K", "%4B")}},
		"reversed":    {Verb: "page.type", Args: &action.Type{Locator: at, Input: reverse(guess)}},
		"hex":         {Verb: "page.type", Args: &action.Type{Locator: at, Input: fmt.Sprintf("%x", guess)}},
		"blanks":      {Verb: "page.type", Args: &action.Type{Locator: at, Input: strings.Join(strings.Split(guess, ""), " ")}},
		"bad call":    {Verb: "page.goto", Args: &action.Goto{URL: guess, WaitUntil: "soon"}},
	} {
		t.Run(strings.ReplaceAll(name, " ", "-"), func(t *testing.T) {
			a := attacked(t)
			a.meets(t)
			done := a.fakeSessions.count()
			c.Caller = agent
			_, err := a.Call(t.Context(), c)
			if a.fakeSessions.count() != done {
				t.Error("it was done")
			}
			a.caught(t, err)
		})
	}
}

// meets makes the agent's session known to the gate.
func (a *attack) meets(t *testing.T) {
	t.Helper()
	if _, err := a.call(agent, "page.snapshot", &action.TakeSnapshot{}); err != nil {
		t.Fatal(err)
	}
}

func reverse(s string) string {
	b := []byte(s)
	slices.Reverse(b)
	return string(b)
}

func TestTextsSentBeforeTheSecretsWereKnownAreCompared(t *testing.T) {
	a := attacked(t)
	a.secrets.Forget("s1")
	for _, letter := range alphabet {
		if _, err := a.types("e1", cookie[:15]+string(letter)+" ", false); err != nil {
			t.Fatal(err)
		}
	}
	a.secrets.Learn("s1", credentials.Keep(cookie))
	_, err := a.call(agent, "page.snapshot", &action.TakeSnapshot{})
	a.caught(t, err)
}

// An agent that tries to type a password is told that a person has to store it. When that
// is done, nothing was guessed. What was also typed elsewhere counts.
func TestARefusedPasswordThatIsStoredThenIsNoGuess(t *testing.T) {
	for _, elsewhere := range []bool{false, true} {
		a := attacked(t)
		a.secrets.Forget("s1")
		if elsewhere {
			if _, err := a.types("e1", cookie, true); err != nil {
				t.Fatal(err)
			}
		}
		a.fakeSessions.element = &action.Element{Role: "textbox", Tag: "input", Type: "password", Name: "Password", Editable: true, Protected: true}
		if _, err := a.types("e2", cookie, true); fault.CodeOf(err) != fault.DeniedByPolicy {
			t.Fatal(err)
		}
		a.secrets.Learn("s1", credentials.Keep(cookie))
		a.fakeSessions.element = comment()
		_, err := a.call(agent, "page.snapshot", &action.TakeSnapshot{})
		switch {
		case elsewhere:
			a.caught(t, err)
		case err != nil || len(a.fakeSessions.halts) > 0:
			t.Errorf("%v, paused for %q", err, a.fakeSessions.halts)
		}
	}
}

func TestACallIsComparedWithSecretsLearnedDuringIt(t *testing.T) {
	a := attacked(t)
	a.secrets.Forget("s1")
	a.fakeSessions.do = func(context.Context) { a.secrets.Learn("s1", credentials.Keep(cookie)) }
	_, err := a.call(agent, "page.goto", &action.Goto{URL: "https://app.example.com/?q=" + cookie[:16]})
	a.caught(t, err)
}

func TestShortSecretsAreNotEnumerated(t *testing.T) {
	a := attacked(t, "4711")
	var err error
	for pin := 1000; pin < 9999 && err == nil; pin++ {
		_, err = a.types("e1", fmt.Sprintf("the number is %d", pin), true)
	}
	if a.calls > 33 {
		t.Errorf("%d numbers were tried", a.calls)
	}
	a.caught(t, err)
	for _, text := range []string{"47119", "4x7x1x1", "1174", "４７１１", "47\n11", "order 47 of 11 items"} {
		a := attacked(t, "4711")
		_, err := a.types("e1", text, true)
		if fault.CodeOf(err) != fault.CredentialDetected {
			t.Errorf("%q: %v", text, err)
			continue
		}
		a.caught(t, err)
	}
}

func TestAPersonCanReleaseAHeldCaller(t *testing.T) {
	a := attacked(t)
	_, err := a.types("e1", cookie[:16], true)
	a.caught(t, err)
	if _, err := a.call(operator, "session.resume", &action.HandBack{}); err != nil {
		t.Fatal(err)
	}
	if _, err := a.types("e1", "hello", true); err != nil {
		t.Error(err)
	}
	if text, err := a.call(operator, "page.type", &action.Type{Locator: action.Locator{Ref: "e1"}, Input: cookie}); err != nil || strings.Contains(text, cookie) {
		t.Errorf("an operator's: %q, %v", text, err)
	}
}
