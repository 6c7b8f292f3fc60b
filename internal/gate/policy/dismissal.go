package policy

import (
	"regexp"
	"strings"

	"github.com/gloveboxhq/glovebox/internal/action"
)

// A dialog may say that a button of it does what the button's name does not say: "Press Cancel to delete
// everything". The text counts where it leads from the name of the button to harm.

var (
	sentenceEnds = regexp.MustCompile(`[.!?\n·。！？]+`)
	clauseEnds   = regexp.MustCompile(`[;,；，、]+|\s(?:or|oder|ou|o|of|или|hoặc)\s`)
	leadingSigns = regexp.MustCompile(`=>|->|[=:＝：→⇒➔➜]|\s[-–—]\s`)
)

// leadingWord replaces a sign that leads from a button to what it does.
const leadingWord = " to "

var (
	conditions = namesOf("if when once wenn falls sobald si quand se quando als wanneer если когда nếu khi")
	besides    = namesOf("button key here now this the window dialog box page it below schaltfläche knop bouton botón botão pulsante кнопку")
)

// judgeButton raises the risk of the button with a name by what texts around it say that it does.
func judgeButton(j *judgement, name *phrase, texts ...string) {
	if len(name.all) == 0 {
		return
	}
	own := &lexicon{}
	own.add(name.text)
	if words().dismiss.written(name.text) || closeSigns[name.text] {
		own.add("close")
	}
	for _, text := range texts {
		judgeButtonText(j, text, own)
	}
}

// judgeDismissal is judgeButton for what dismisses a dialog, whatever its name is.
func judgeDismissal(j *judgement, text string) {
	judgeButtonText(j, text, &words().cancel, &words().dismiss, escapes())
}

func escapes() *lexicon {
	l := &lexicon{}
	l.add("escape")
	l.add("esc")
	return l
}

func judgeButtonText(j *judgement, text string, names ...*lexicon) {
	if text == "" {
		return
	}
	for _, sentence := range sentenceEnds.Split(leadingSigns.ReplaceAllString(text, leadingWord), -1) {
		said := tokens(sentence)
		if len(said) == 0 {
			continue
		}
		if conditions[said[0]] {
			judgeClause(j, sentence, len(said), names)
			continue
		}
		for _, clause := range clauseEnds.Split(sentence, -1) {
			judgeClause(j, clause, 1, names)
		}
	}
}

// judgeClause raises the risk by a clause in which the name of a button is followed, after at most some
// other words, by a word that leads to harm.
func judgeClause(j *judgement, clause string, others int, names []*lexicon) {
	for _, r := range readings(clause) {
		if r.skeleton {
			continue
		}
		for _, name := range names {
			for at := range r.words {
				if n := phraseAt(name, r.words[at:]); n > 0 {
					judgeLed(j, r.words[at+n:], others)
				}
			}
			judgeUnspaced(j, r.whole, name)
		}
	}
}

// phraseAt is the length of the longest phrase of l that words begin with; 0 for none.
func phraseAt(l *lexicon, all []string) int {
	longest := 0
	if len(all) == 0 {
		return 0
	}
	for _, p := range l.phrases[all[0]] {
		if startsWith(all, p) {
			longest = max(longest, len(p))
		}
	}
	return longest
}

// judgeLed judges the words after the name of a button.
func judgeLed(j *judgement, rest []string, others int) {
	for at, w := range rest {
		if n := phraseAt(&words().leads, rest[at:]); n > 0 {
			if phraseAt(&words().cancel, rest[at+n:]) == 0 {
				raiseLed(j, rest, at)
			}
			return
		}
		if !besides[w] {
			if others--; others < 0 {
				return
			}
		}
	}
}

// raiseLed raises the risk by the first harm in words from a place on, unless a word before it says that
// it is prevented.
func raiseLed(j *judgement, rest []string, from int) {
	for end := from + 1; end <= len(rest); end++ {
		said := newPhrase(strings.Join(rest[from:end], " "))
		f := words().harmful.find(said.all, mentioned)
		if hosts().deleted[rest[end-1]] {
			f.high |= destroys
		}
		if f.kinds() == 0 {
			continue
		}
		if !words().keeping.written(strings.Join(rest[:end], " ")) {
			raiseFound(j, f)
		}
		return
	}
}

// judgeUnspaced is judgeLed for scripts without spaces.
func judgeUnspaced(j *judgement, whole string, name *lexicon) {
	for _, part := range name.parts {
		_, rest, found := strings.Cut(whole, part)
		if !found || words().keeping.written(rest) {
			continue
		}
		for _, leads := range append([]string{strings.TrimSpace(leadingWord)}, words().leads.parts...) {
			if _, after, led := strings.Cut(rest, leads); led {
				said := newPhrase(after)
				raiseFound(j, words().harmful.find(said.all, mentioned))
			}
		}
	}
}

func raiseFound(j *judgement, f findings) {
	switch {
	case f.critical != 0:
		j.raise(action.Critical, "dialog.says", "the dialog says so: "+criticalReason(f.critical))
	case f.high != 0:
		j.raise(action.High, "dialog.says", "the dialog says so: "+reasonFor(f.high))
	}
}
