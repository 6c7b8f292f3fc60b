package cli

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/gloveboxhq/glovebox/internal/action"
)

var noon = time.Date(2026, 11, 21, 12, 0, 0, 0, time.UTC)

func waits(id string, risk action.Risk, left time.Duration) action.Question {
	return action.Question{
		ID: id, State: "pending", Verb: "page.click", Risk: risk, Why: "it sends something", Within: "To Ann · Invoice 17", Screenshot: "f00d",
		Element: &action.Element{Role: "button", Name: "Send 発送 now\x1b[2J\u202e"}, Page: action.Page{URL: "https://mail.example/compose?to=ann"},
		Actor: "bot", Session: "s1", Expires: noon.Add(left),
	}
}

func modelOf(all ...action.Question) *approvalsModel {
	b := &approvalsModel{}
	b.show(all, noon.Add(-time.Minute))
	return b
}

// types presses keys one after the other, and returns the last request.
func (m *approvalsModel) types(keys ...string) (w modelRequest) {
	for _, k := range keys {
		w = m.press(k, noon)
	}
	return w
}

func TestAnswersNeedMoreKeysForAHigherRisk(t *testing.T) {
	for _, c := range []struct {
		risk action.Risk
		keys []string
		want string
	}{
		{action.Medium, []string{"a"}, "{q1 true  false []}"},
		{action.Medium, []string{"s"}, "{q1 true  true []}"},
		{action.Medium, []string{"d"}, "{q1 false  false []}"},
		{action.High, []string{"a"}, ""},
		{action.High, []string{"a", "y"}, "{q1 true  false []}"},
		{action.High, []string{"a", "a"}, ""},
		{action.High, []string{"a", "n"}, ""},
		{action.High, []string{"a", "\x1b", "y"}, ""},
		{action.High, []string{"a", "\r", "y"}, ""},
		{action.High, []string{"s", "y"}, ""},
		{action.High, []string{"d"}, "{q1 false  false []}"},
		{action.Critical, []string{"a"}, ""},
		{action.Critical, []string{"a", "y"}, ""},
		{action.Critical, []string{"a", "\r"}, ""},
		{action.Critical, []string{"a", " ", "\r"}, ""},
		{action.Critical, []string{"a", "s", "h", "e", "x", "\x7f", " ", "a", "s", "k", "e", "d", "\r"}, "{q1 true she asked false []}"},
		{action.Critical, []string{"a", "pasted reason\x1b[31m\r"}, "{q1 true pasted reason[31m false []}"},
		{action.Critical, []string{"a", "because", "\x1b", "\r"}, ""},
		{action.Critical, []string{"a", "so", "\x1b[A", "\r"}, "{q1 true so false []}"},
		{action.High, []string{"a", "\x1b[B", "y"}, "{q1 true  false []}"},
		{action.Medium, []string{"aaa"}, ""}, // pasted
		{action.High, []string{"a", "yes"}, ""},
		{action.Medium, []string{"x", "\r", " ", ""}, ""},
	} {
		b := modelOf(waits("q1", c.risk, time.Minute))
		w := b.types(c.keys...)
		got := ""
		if w.answer != nil {
			got = fmt.Sprint(*w.answer)
		}
		if got != c.want || w.quit {
			t.Errorf("%s %q: %q, want %q", c.risk, c.keys, got, c.want)
		}
	}
}

// TestKeysDoNotAnswerAQuestionThatReplacedAnother types for one question while
// another takes its place.
func TestKeysDoNotAnswerAQuestionThatReplacedAnother(t *testing.T) {
	b := modelOf(waits("q1", action.High, time.Second), waits("q2", action.Medium, time.Minute))
	b.types("a")
	b.tick(noon.Add(2 * time.Second)) // q1 expires while it is confirmed
	if w := b.press("y", noon.Add(2*time.Second)); w.answer != nil {
		t.Errorf("answered %+v", *w.answer)
	}
	if w := b.press("a", noon.Add(2*time.Second+settleTime/2)); w.answer != nil || !strings.Contains(b.note, "press again") {
		t.Errorf("answered %+v, %q", w.answer, b.note)
	}
	if w := b.press("a", noon.Add(2*time.Second+settleTime)); w.answer == nil || w.answer.ID != "q2" {
		t.Errorf("after a while %+v", w)
	}
	b = modelOf(waits("q1", action.Medium, time.Minute), waits("q2", action.Medium, time.Minute))
	if b.show([]action.Question{waits("q0", action.Low, time.Minute), waits("q1", action.Medium, time.Minute), waits("q2", action.Medium, time.Minute)}, noon) != true {
		t.Error("q0 is not new")
	}
	if w := b.types("a"); w.answer == nil || w.answer.ID != "q1" {
		t.Errorf("another question moved the choice: %+v", w)
	}
	if w := b.types("\x1b[B", "d"); w.answer == nil || w.answer.ID != "q2" {
		t.Errorf("one down: %+v", w)
	}
	if w := b.types("\x1b[B\x1b[B\x1b[B\x1b[A\x1b[A", "p"); w.picture != "f00d" {
		t.Errorf("the screenshot: %+v", w)
	}
	if !b.types("q").quit || !b.types("\x03").quit {
		t.Error("q does not end it")
	}
}

func TestTheViewFitsTheTerminalAndIsSanitized(t *testing.T) {
	plain := style{}
	rapid.Check(t, func(t *rapid.T) {
		var all []action.Question
		for i := range rapid.IntRange(0, 20).Draw(t, "questions") {
			q := waits(fmt.Sprint("q", i), rapid.SampledFrom([]action.Risk{action.Medium, action.High, action.Critical}).Draw(t, "risk"), time.Minute)
			q.Element.Name, q.Why, q.Within = rapid.String().Draw(t, "name"), rapid.String().Draw(t, "why"), strings.Repeat("長い text ", rapid.IntRange(0, 60).Draw(t, "within"))
			all = append(all, q)
		}
		b := modelOf(all...)
		b.note, b.lost = rapid.String().Draw(t, "note"), rapid.SampledFrom([]string{"", "the gateway does not answer; trying again"}).Draw(t, "lost")
		for _, k := range rapid.SliceOf(rapid.SampledFrom([]string{"a", "\x1b[B", "\x1b", "y", "長い理由", "x", "\r"})).Draw(t, "keys") {
			b.press(k, noon)
		}
		columns, rows := rapid.IntRange(24, 120).Draw(t, "columns"), rapid.IntRange(8, 50).Draw(t, "rows")
		lines := b.view(plain, noon, columns, rows)
		if len(lines) > rows {
			t.Fatalf("%d lines on %d rows", len(lines), rows)
		}
		for _, line := range lines {
			used := 0
			for _, r := range line {
				if r < ' ' || r == 0x7f || clean(string(r)) == "" {
					t.Fatalf("%q in %q", r, line)
				}
				used += cellWidth(r)
			}
			if used > columns {
				t.Fatalf("%d columns of %d: %q", used, columns, line)
			}
		}
	})
}
