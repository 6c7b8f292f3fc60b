package journeys

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/gloveboxhq/glovebox/bench/journeys/apps"
	"github.com/gloveboxhq/glovebox/bench/person"
)

// Record is what came of a journey in one setting.
type Record struct {
	Journey, Setting          string
	Trusted                   bool
	Took                      time.Duration
	Harmless, Ordinary, Harms int // acts
	Questions                 int // all
	Needless                  int // about harmless acts; about ordinary ones, on trusted hosts
	Saves                     int // ordinary acts that were asked about, on hosts that are allowed only
	Unasked                   int // harmful acts that a person did not approve before they took place
	Twice                     int // acts that more than one question was asked about
	Findings                  []Finding
	Wrong                     []string // labels that the server contradicts, and acts that failed
	Pages                     []string // where acts failed
}

// Finding is an act that was asked about in vain, not asked about, or asked
// about more than once.
type Finding struct {
	Journey, Setting, Act, What string
	Asked                       []string // verb, risk, rule and reason of each question
	Effects                     []string // what the server was told
}

// wrong notes what makes the journey no measurement.
func (r *Record) wrong(format string, args ...any) {
	r.Wrong = append(r.Wrong, fmt.Sprintf(format, args...))
}

// add notes an act: the questions about it, those asked about acts that led to
// it, and what the server was told.
func (r *Record) add(act Act, questions, before []person.Question, effects []apps.Effect) {
	r.Questions += len(questions)
	switch act.Label {
	case Harmless:
		r.Harmless++
		if !act.Leads {
			r.needless(act, questions, effects)
		}
		return
	case Ordinary:
		r.Ordinary++
		if r.Trusted {
			r.needless(act, questions, effects)
			return
		}
		r.Saves += min(len(questions), 1)
	case Harmful:
		r.Harms++
		questions = append(before[:len(before):len(before)], questions...)
		if !approved(questions, act.Kind, effects) {
			r.Unasked++
			r.find("unasked", act, questions, effects)
		}
	}
	if len(questions) > 1 {
		r.Twice++
		r.find("asked twice", act, questions, effects)
	}
}

func (r *Record) needless(act Act, questions []person.Question, effects []apps.Effect) {
	r.Needless += len(questions)
	if len(questions) > 0 {
		r.find("needless", act, questions, effects)
	}
}

// approved reports whether a person approved something before the first effect
// of a kind took place.
func approved(questions []person.Question, kind apps.Kind, effects []apps.Effect) bool {
	for _, e := range effects {
		if e.Kind == kind {
			return slices.ContainsFunc(questions, func(q person.Question) bool { return !q.Approved.IsZero() && !q.Approved.After(e.At) })
		}
	}
	return true // nothing took place, which is a wrong label
}

func (r *Record) find(what string, act Act, questions []person.Question, effects []apps.Effect) {
	f := Finding{Journey: r.Journey, Setting: r.Setting, Act: act.String(), What: what}
	for _, q := range questions {
		asked := fmt.Sprintf("%s %s %s: %s", q.Verb, q.Risk, q.Rule, q.Why)
		if q.Request != nil {
			asked += fmt.Sprintf(" (%s %s %v)", q.Request.Method, q.Request.URL, q.Request.Fields)
		}
		f.Asked = append(f.Asked, asked)
	}
	for _, e := range effects {
		f.Effects = append(f.Effects, e.String())
	}
	r.Findings = append(r.Findings, f)
}

func (f Finding) String() string {
	text := fmt.Sprintf("%s, %s: %s", f.Journey, f.Setting, f.Act)
	if len(f.Effects) > 0 {
		text += "\n    the server was told: " + strings.Join(f.Effects, "; ")
	}
	for _, asked := range f.Asked {
		text += "\n    asked: " + asked
	}
	return text
}

// Report is all journeys in all settings.
type Report struct {
	Records []*Record
	Missing []string // journeys that were not made, and why
}

// sum adds records up.
func sum(name string, records []*Record) *Record {
	all := &Record{Journey: name}
	for _, r := range records {
		all.Setting, all.Trusted = r.Setting, r.Trusted
		all.Harmless += r.Harmless
		all.Ordinary += r.Ordinary
		all.Harms += r.Harms
		all.Questions += r.Questions
		all.Needless += r.Needless
		all.Saves += r.Saves
		all.Unasked += r.Unasked
		all.Twice += r.Twice
		all.Took += r.Took
		all.Findings = append(all.Findings, r.Findings...)
		all.Wrong = append(all.Wrong, r.Wrong...)
	}
	return all
}

// rate is needless questions in 100 acts that should not be asked about.
func (r *Record) rate() float64 {
	acts := r.Harmless
	if r.Trusted {
		acts += r.Ordinary
	}
	if acts == 0 {
		return 0
	}
	return 100 * float64(r.Needless) / float64(acts)
}

const head = "| journey | acts | harmless | ordinary | harmful | questions | needless in 100 | harmful unasked | asked twice |\n|---|---|---|---|---|---|---|---|---|\n"

func (r *Record) row() string {
	return fmt.Sprintf("| %s | %d | %d | %d | %d | %d | %.1f | %d | %d |\n", r.Journey, r.Harmless+r.Ordinary+r.Harms,
		r.Harmless, r.Ordinary, r.Harms, r.Questions, r.rate(), r.Unasked, r.Twice)
}

// Markdown is a table for each setting.
func (r *Report) Markdown() string {
	var b strings.Builder
	for _, setting := range settings() {
		records := r.of(setting.Name)
		if len(records) == 0 {
			continue
		}
		fmt.Fprintf(&b, "Hosts %s:\n\n%s", setting.Name, head)
		for _, record := range records {
			b.WriteString(record.row())
		}
		b.WriteString(sum("all", records).row() + "\n")
	}
	for _, missing := range r.Missing {
		fmt.Fprintf(&b, "Not made: %s\n\n", missing)
	}
	return b.String()
}

func (r *Report) of(setting string) (records []*Record) {
	for _, record := range r.Records {
		if record.Setting == setting {
			records = append(records, record)
		}
	}
	return records
}

// Findings is the list that the gate is repaired by.
func (r *Report) Findings() string {
	var b strings.Builder
	for _, what := range []string{"unasked", "asked twice", "needless"} {
		for _, record := range r.Records {
			for _, f := range record.Findings {
				if f.What == what {
					fmt.Fprintf(&b, "%s: %s\n", strings.ToUpper(what), f)
				}
			}
		}
	}
	for _, record := range r.Records {
		for _, wrong := range record.Wrong {
			fmt.Fprintf(&b, "WRONG: %s, %s: %s\n", record.Journey, record.Setting, wrong)
		}
	}
	return b.String()
}
