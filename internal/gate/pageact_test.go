package gate_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/gloveboxhq/glovebox/internal/action"
	"github.com/gloveboxhq/glovebox/internal/fault"
)

// mouse is a click on the display, which equals one at a point of the page unless it
// is near the top.
func mouse(c action.Call) (action.Call, bool, error) {
	a, clicks := c.Args.(*action.MouseClick)
	if !clicks || a.Y < 87 {
		return c, false, nil
	}
	x, y := float64(a.X), float64(a.Y-87)
	c.Session, c.Verb, c.Args = "s1", "page.click", &action.Click{Locator: action.Locator{X: &x, Y: &y}}
	return c, true, nil
}

func TestAClickOnTheDisplayIsJudgedAsOneInThePage(t *testing.T) {
	h := open(t)
	h.fakeSessions.equal = mouse
	h.fakeSessions.element = &action.Element{Role: "tab", Name: "History"}
	call := action.Call{Verb: "desktop.mouse_click", Caller: agent, Args: &action.MouseClick{MouseMove: action.MouseMove{X: 30, Y: 100}}, Wait: time.Nanosecond}
	if _, err := h.Call(t.Context(), call); err != nil {
		t.Fatal(err)
	}
	intent, outcome := h.last(t)
	if h.fakeSessions.done[0] != "page.click" || intent.Action != "page.click" || !strings.HasPrefix(intent.Detail, "by desktop.mouse_click, the display at 30, 100") || !strings.HasPrefix(outcome.Detail, intent.Detail) {
		t.Errorf("%v, intent %+v", h.fakeSessions.done, intent)
	}
	h.fakeSessions.element = &action.Element{Role: "button", Name: "Pay now", Tag: "button"}
	result, err := h.Call(t.Context(), call)
	if err != nil || result.Pending == nil || result.Pending.Risk != action.Critical {
		t.Fatalf("paying gives %+v, %v", result, err)
	}
	if q := h.waiting(t); q.Verb != "page.click" {
		t.Errorf("the question is about %s", q.Verb)
	}
	if err := h.answer(t, action.Answer{ID: result.Pending.Approval, Approve: true, Reason: "paid for"}); err != nil {
		t.Fatal(err)
	}
	if result, err = h.Call(t.Context(), call); err != nil || result.Pending != nil || h.fakeSessions.count() != 2 {
		t.Errorf("the approved click gives %+v, %v; %d were done", result, err, h.fakeSessions.count())
	}
	viewers := call
	viewers.Caller = viewer
	_, err = h.Call(t.Context(), viewers)
	wantCode(t, "a viewer", err, fault.DeniedByPolicy)
}

func TestAClickBesideThePageIsMedium(t *testing.T) {
	h := open(t)
	h.fakeSessions.equal = mouse
	for _, c := range []struct {
		verb string
		args any
	}{
		{"desktop.mouse_click", &action.MouseClick{}},
		{"desktop.mouse_down", &action.MouseButton{}},
		{"desktop.key_down", &action.KeyHold{Key: "a"}},
	} {
		result, err := h.Call(t.Context(), action.Call{Verb: c.verb, Caller: agent, Args: c.args, Wait: time.Nanosecond})
		if err != nil || result.Pending == nil || result.Pending.Risk != action.Medium {
			t.Errorf("%s gives %+v, %v", c.verb, result, err)
		}
		if _, err := h.Call(t.Context(), action.Call{Verb: c.verb, Caller: operator, Args: c.args}); err != nil {
			t.Errorf("%s by an operator: %v", c.verb, err)
		}
	}
}

func TestTextsForTheDisplayAreScannedAndNotRecorded(t *testing.T) {
	key := "ghp_" + "Zx8Kq3Vt7Lm2Np5Rw9Yb4Cd6Fg1Hj0Sa8DfU"
	type call struct {
		verb string
		args any
	}
	for name, calls := range map[string][]call{
		"typed":             {{"desktop.key_type", &action.KeyType{Text: key}}},
		"copied":            {{"desktop.clipboard_set", &action.WriteClipboard{Text: key}}},
		"copied in halves":  {{"desktop.clipboard_set", &action.WriteClipboard{Text: key[:20]}}, {"desktop.clipboard_set", &action.WriteClipboard{Text: key[20:]}}},
		"typed, then fails": {{"desktop.key_type", &action.KeyType{Text: key}}},
	} {
		h := open(t)
		if strings.HasSuffix(name, "fails") {
			h.fakeSessions.equal = func(c action.Call) (action.Call, bool, error) {
				return c, false, fault.New(fault.NotActionable, "no field has the focus").Hinted("click one")
			}
		}
		var err error
		for _, c := range calls {
			_, err = h.Call(t.Context(), action.Call{Verb: c.verb, Caller: agent, Args: c.args, Wait: time.Nanosecond})
		}
		if code := fault.CodeOf(err); code != fault.CredentialDetected && !strings.HasSuffix(name, "fails") {
			t.Errorf("%s: %v", name, err)
		}
		if strings.Contains(fmt.Sprintf("%+v", h.records(t)), key[20:]) {
			t.Errorf("%s: the text is in the trail", name)
		}
	}
}
