package cli

import (
	"slices"
	"strings"
	"time"
	"unicode"

	"github.com/gloveboxhq/glovebox/internal/action"
)

// settleTime is how long keys do not answer after another question took the
// place of the chosen one: the key may have been meant for the one before.
const settleTime = time.Second

const mostReason = 400 // characters

// What a board waits for.
type mode int

const (
	choosing mode = iota
	confirming
	reasoning
)

// board is what a person sees of the questions that wait, and what they have
// typed so far. It knows neither the terminal nor the gateway.
type board struct {
	questions []action.Question
	chosen    string    // id
	since     time.Time // when it was chosen
	mode      mode
	answer    action.Answer // being confirmed, or given a reason for
	reason    []rune
	note      string // what happened last
	lost      string // why the gateway cannot be reached; empty while it can
}

// wish is what a key asks for.
type wish struct {
	answer  *action.Answer
	picture string // id of an artifact to fetch
	quit    bool
}

// show takes the questions that wait now, and reports whether one is new.
func (b *board) show(all []action.Question, now time.Time) (fresh bool) {
	known := map[string]bool{}
	for _, q := range b.questions {
		known[q.ID] = true
	}
	b.questions = nil
	for _, q := range all {
		if q.Expires.After(now) {
			b.questions = append(b.questions, q)
			fresh = fresh || !known[q.ID]
		}
	}
	b.choose(now)
	return fresh
}

// tick takes out what has expired.
func (b *board) tick(now time.Time) {
	before := len(b.questions)
	b.questions = slices.DeleteFunc(b.questions, func(q action.Question) bool { return !q.Expires.After(now) })
	if len(b.questions) < before {
		b.note = "expired: denied"
	}
	b.choose(now)
}

// choose sees that one of the questions is chosen. When it is another than
// before, what was typed for that one is dropped.
func (b *board) choose(now time.Time) {
	if b.at() >= 0 {
		return
	}
	b.chosen, b.since = "", now
	b.mode, b.reason = choosing, nil
	if len(b.questions) > 0 {
		b.chosen = b.questions[0].ID
	}
}

// at is where the chosen question is in the list, -1 when nowhere.
func (b *board) at() int {
	return slices.IndexFunc(b.questions, func(q action.Question) bool { return q.ID == b.chosen })
}

func (b *board) move(by int, now time.Time) {
	if n := len(b.questions); n > 0 {
		b.chosen, b.since = b.questions[((b.at()+by)%n+n)%n].ID, now.Add(-settleTime)
	}
}

// press takes what was typed: one key, or a piece of text. More than one
// character at a time was pasted, and answers nothing.
func (b *board) press(keys string, now time.Time) wish {
	switch keys {
	case "\x03", "\x04": // Ctrl-C, Ctrl-D
		return wish{quit: true}
	case "\x1b":
		b.mode, b.reason, b.note = choosing, nil, ""
		return wish{}
	}
	up, down := strings.Count(keys, "\x1b[A"), strings.Count(keys, "\x1b[B")
	switch {
	case strings.HasPrefix(keys, "\x1b"): // arrows, several of which may come together
		if b.mode == choosing && len("\x1b[A")*(up+down) == len(keys) {
			b.move(down-up, now)
		}
		return wish{}
	case b.mode == reasoning:
		return b.write(keys)
	case len([]rune(keys)) > 1:
		return wish{}
	case b.mode == confirming:
		return b.confirm(keys)
	}
	return b.command(keys, now)
}

// command takes a key while a question is chosen.
func (b *board) command(key string, now time.Time) wish {
	switch key {
	case "q":
		return wish{quit: true}
	case "k":
		b.move(-1, now)
	case "j", "\t":
		b.move(1, now)
	}
	i := b.at()
	if i < 0 || !strings.Contains("asdp", key) || key == "" {
		return wish{}
	}
	q := b.questions[i]
	switch {
	case key == "p":
		if q.Screenshot == "" {
			b.note = "there is no picture of this question"
		}
		return wish{picture: q.Screenshot}
	case now.Sub(b.since) < settleTime:
		b.note = "this question has just come up: press again"
		return wish{}
	case key == "s" && q.Risk != action.Medium && q.Verb != "page.fill_secret":
		b.note = "only a MEDIUM call, or the typing of a site's secrets, can be allowed for the session"
		return wish{}
	}
	return b.begin(q, key)
}

// begin begins an answer: what is more than MEDIUM is confirmed, CRITICAL by a
// reason.
func (b *board) begin(q action.Question, key string) wish {
	b.note = ""
	b.answer = action.Answer{ID: q.ID, Approve: key != "d", ForSession: key == "s"}
	switch {
	case key == "d" || q.Risk == action.Medium:
		return wish{answer: new(b.answer)}
	case q.Risk == action.High:
		b.mode = confirming
	default:
		b.mode, b.reason = reasoning, nil
	}
	return wish{}
}

// confirm takes the key that confirms an answer, which is one only.
func (b *board) confirm(key string) wish {
	b.mode = choosing
	if key == "y" {
		return wish{answer: new(b.answer)}
	}
	b.note = "not approved"
	return wish{}
}

// write takes a piece of a reason.
func (b *board) write(keys string) wish {
	for _, r := range keys {
		switch {
		case r == '\r' || r == '\n':
			b.answer.Reason = strings.TrimSpace(string(b.reason))
			if b.answer.Reason == "" {
				b.note = "a CRITICAL call is approved with a reason"
				return wish{}
			}
			b.mode = choosing
			return wish{answer: new(b.answer)}
		case r == '\x7f' || r == '\b':
			b.reason = b.reason[:max(0, len(b.reason)-1)]
		case unicode.IsPrint(r) && len(b.reason) < mostReason:
			b.reason = append(b.reason, r)
		}
	}
	return wish{}
}
