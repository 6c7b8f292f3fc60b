package cli

import (
	"slices"
	"strings"
	"time"
	"unicode"

	"github.com/gloveboxhq/glovebox/internal/action"
)

// settleTime is how long keys are ignored after the choice moved to another
// question by itself, since the key may have been for the one before.
const settleTime = time.Second

const maxReasonLength = 400 // characters

// The kinds of input that the model waits for.
type mode int

const (
	choosing mode = iota
	confirming
	reasoning
)

// approvalsModel is the state of the approvals screen: the waiting questions and
// the input so far. It uses neither the terminal nor the gateway.
type approvalsModel struct {
	questions []action.Question
	chosen    string    // id
	since     time.Time // when it was chosen
	mode      mode
	answer    action.Answer // being confirmed, or given a reason for
	reason    []rune
	note      string // what happened last
	lost      string // why the gateway cannot be reached; empty while it can
}

// modelRequest is what the caller of the model must do after a key.
type modelRequest struct {
	answer  *action.Answer
	picture string // id of an artifact to fetch
	quit    bool
}

// show sets the waiting questions, and reports whether one is new.
func (m *approvalsModel) show(all []action.Question, now time.Time) (fresh bool) {
	known := map[string]bool{}
	for _, q := range m.questions {
		known[q.ID] = true
	}
	m.questions = nil
	for _, q := range all {
		if q.Expires.After(now) {
			m.questions = append(m.questions, q)
			fresh = fresh || !known[q.ID]
		}
	}
	m.choose(now)
	return fresh
}

// tick removes the questions that have expired.
func (m *approvalsModel) tick(now time.Time) {
	before := len(m.questions)
	m.questions = slices.DeleteFunc(m.questions, func(q action.Question) bool { return !q.Expires.After(now) })
	if len(m.questions) < before {
		m.note = "expired: denied"
	}
	m.choose(now)
}

// choose makes sure that a question is chosen. If another one becomes chosen, the
// input is dropped.
func (m *approvalsModel) choose(now time.Time) {
	if m.at() >= 0 {
		return
	}
	m.chosen, m.since = "", now
	m.mode, m.reason = choosing, nil
	if len(m.questions) > 0 {
		m.chosen = m.questions[0].ID
	}
}

// at returns the index of the chosen question, -1 if there is none.
func (m *approvalsModel) at() int {
	return slices.IndexFunc(m.questions, func(q action.Question) bool { return q.ID == m.chosen })
}

func (m *approvalsModel) move(by int, now time.Time) {
	if n := len(m.questions); n > 0 {
		m.chosen, m.since = m.questions[((m.at()+by)%n+n)%n].ID, now.Add(-settleTime)
	}
}

// press handles input: one key, or a piece of text. Several characters at once
// were pasted, and are not an answer.
func (m *approvalsModel) press(keys string, now time.Time) modelRequest {
	switch keys {
	case "\x03", "\x04": // Ctrl-C, Ctrl-D
		return modelRequest{quit: true}
	case "\x1b":
		m.mode, m.reason, m.note = choosing, nil, ""
		return modelRequest{}
	}
	up, down := strings.Count(keys, "\x1b[A"), strings.Count(keys, "\x1b[B")
	switch {
	case strings.HasPrefix(keys, "\x1b"): // arrows, several of which may come together
		if m.mode == choosing && len("\x1b[A")*(up+down) == len(keys) {
			m.move(down-up, now)
		}
		return modelRequest{}
	case m.mode == reasoning:
		return m.write(keys)
	case len([]rune(keys)) > 1:
		return modelRequest{}
	case m.mode == confirming:
		return m.confirm(keys)
	}
	return m.command(keys, now)
}

// command handles a key while a question is chosen.
func (m *approvalsModel) command(key string, now time.Time) modelRequest {
	switch key {
	case "q":
		return modelRequest{quit: true}
	case "k":
		m.move(-1, now)
	case "j", "\t":
		m.move(1, now)
	}
	i := m.at()
	if i < 0 || !strings.Contains("asdp", key) || key == "" {
		return modelRequest{}
	}
	q := m.questions[i]
	switch {
	case key == "p":
		if q.Screenshot == "" {
			m.note = "there is no picture of this question"
		}
		return modelRequest{picture: q.Screenshot}
	case now.Sub(m.since) < settleTime:
		m.note = "this question has just come up: press again"
		return modelRequest{}
	case key == "s" && q.Risk != action.Medium && q.Verb != action.VerbPageFillSecret.Name:
		m.note = "only a MEDIUM call, or the typing of a site's secrets, can be allowed for the session"
		return modelRequest{}
	}
	return m.begin(q, key)
}

// begin starts an answer. HIGH needs a confirmation, CRITICAL a reason.
func (m *approvalsModel) begin(q action.Question, key string) modelRequest {
	m.note = ""
	m.answer = action.Answer{ID: q.ID, Approve: key != "d", ForSession: key == "s"}
	switch {
	case key == "d" || q.Risk == action.Medium:
		return modelRequest{answer: new(m.answer)}
	case q.Risk == action.High:
		m.mode = confirming
	default:
		m.mode, m.reason = reasoning, nil
	}
	return modelRequest{}
}

// confirm handles the key that confirms an answer, or drops it.
func (m *approvalsModel) confirm(key string) modelRequest {
	m.mode = choosing
	if key == "y" {
		return modelRequest{answer: new(m.answer)}
	}
	m.note = "not approved"
	return modelRequest{}
}

// write handles a piece of a reason.
func (m *approvalsModel) write(keys string) modelRequest {
	for _, r := range keys {
		switch {
		case r == '\r' || r == '\n':
			m.answer.Reason = strings.TrimSpace(string(m.reason))
			if m.answer.Reason == "" {
				m.note = "a CRITICAL call is approved with a reason"
				return modelRequest{}
			}
			m.mode = choosing
			return modelRequest{answer: new(m.answer)}
		case r == '\x7f' || r == '\b':
			m.reason = m.reason[:max(0, len(m.reason)-1)]
		case unicode.IsPrint(r) && len(m.reason) < maxReasonLength:
			m.reason = append(m.reason, r)
		}
	}
	return modelRequest{}
}
