package policy

import (
	"embed"
	"io/fs"
	"path"
	"strings"
	"sync"
	"unicode"

	"github.com/gloveboxhq/glovebox/internal/action"
)

//go:embed words/*.txt
var files embed.FS

// lexicon is the phrases of one meaning in all languages.
type lexicon struct {
	phrases   map[string][][]string // by their first word
	skeletons map[string][][]string // the same, as words that look alike are written: see skeleton
	exact     map[string]bool       // whole phrases

	exactSkeletons map[string]bool // the same, as words that look alike are written
	parts          []string        // of scripts that do not part words: found anywhere
}

func (l *lexicon) add(phrase string) {
	t := tokens(phrase)
	if len(t) == 0 {
		return
	}
	if l.phrases == nil {
		l.phrases, l.skeletons, l.exact, l.exactSkeletons = map[string][][]string{}, map[string][][]string{}, map[string]bool{}, map[string]bool{}
	}
	l.exact[strings.Join(t, " ")] = true
	if whole := strings.Join(t, ""); strings.ContainsFunc(whole, isUnspaced) {
		l.parts = append(l.parts, whole)
		return
	}
	l.phrases[t[0]] = append(l.phrases[t[0]], t)
	a := wordsOf(skeleton(phrase))
	l.exactSkeletons[strings.Join(a, " ")] = true
	l.skeletons[a[0]] = append(l.skeletons[a[0]], a)
}

// isUnspaced reports whether r belongs to a script without spaces between words.
func isUnspaced(r rune) bool {
	return unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Hangul)
}

// in reports whether one of the phrases is in a reading of a text, at word boundaries.
func (l *lexicon) in(text string) bool { return l.inAny(readings(text)) }

func (l *lexicon) inAny(all []reading) bool {
	for i := range all {
		if l.inReading(&all[i]) {
			return true
		}
	}
	return false
}

// written reports whether one of the phrases is in a text as it is written. Conditions that lower a risk
// use it: a text that only looks alike must not lower one.
func (l *lexicon) written(text string) bool { return l.inReading(&readings(text)[0]) }

func (l *lexicon) inReading(r *reading) bool {
	phrases := l.phrases
	if r.skeleton {
		phrases = l.skeletons
	}
	for i, first := range r.words {
		for _, phrase := range phrases[first] {
			if startsWith(r.words[i:], phrase) {
				return true
			}
		}
	}
	if isASCII(r.whole) {
		return false // not in a script without spaces
	}
	for _, part := range l.parts {
		if strings.Contains(r.whole, part) {
			return true
		}
	}
	return false
}

// holds reports whether the words at a place of a reading are a whole phrase.
func (l *lexicon) holds(r *reading, at, length int) bool {
	whole := r.words[at]
	if length > 1 {
		whole = strings.Join(r.words[at:at+length], " ")
	}
	if r.skeleton {
		return l.exactSkeletons[whole]
	}
	return l.exact[whole]
}

// is reports whether a text is one of the phrases and nothing more, without regard to numbers.
func (l *lexicon) is(text string) bool { return l.exact[lettersOnly(tokens(text))] }

func hasLetter(word string) bool { return strings.ContainsFunc(word, unicode.IsLetter) }

func startsWith(list, prefix []string) bool {
	if len(list) < len(prefix) {
		return false
	}
	for i, p := range prefix {
		if list[i] != p {
			return false
		}
	}
	return true
}

// dictionary is the phrases of all meanings.
type dictionary struct {
	critical, high, medium, low     lexicon // of controls
	secret, guarded, personal, free lexicon // of fields
	unguarded                       lexicon // of fields: phrases with a word of the first two that mean something else
	checkout, settings              lexicon // of paths

	search                               lexicon // of fields that search, a part of free
	composer                             lexicon // of fields that are written in to be sent
	cancel, dismiss, affirm, reply, save lexicon // whole names of buttons
	cancelled                            lexicon // what is cancelled: an order
	noun, showing, editing, things, help lexicon // that tell a thing from what is done to it
	public, making                       lexicon // what is public, and verbs that make it so
	leads, keeping                       lexicon // in dialogs: from a button to what it does, and that harm is prevented
	cookie, answers                      lexicon // of cookie banners, and of their buttons

	harmful harmful // the first three, with what each phrase does
}

func (d *dictionary) sections() map[string]*lexicon {
	return map[string]*lexicon{
		"critical": &d.critical, "high": &d.high, "medium": &d.medium, "low": &d.low,
		"secret": &d.secret, "guarded": &d.guarded, "personal": &d.personal, "free": &d.free, "unguarded": &d.unguarded,
		"checkout": &d.checkout, "settings": &d.settings, "composer": &d.composer,
		"cancel": &d.cancel, "dismiss": &d.dismiss, "affirm": &d.affirm, "reply": &d.reply, "save": &d.save, "cancelled": &d.cancelled,
		"noun": &d.noun, "showing": &d.showing, "editing": &d.editing, "things": &d.things, "help": &d.help, "cookie": &d.cookie, "answers": &d.answers,
		"public": &d.public, "making": &d.making, "leads": &d.leads, "keeping": &d.keeping,
	}
}

// hostLists is the content of hosts.txt.
type hostLists struct {
	payment, bank, sensitive                   patterns
	paymentLabels, bankLabels, sensitiveLabels map[string]bool
	acting, actingNames                        map[string]bool // in paths, and as values of parameters of these names

	actingWords, harming, actingWith, changing, forms, showingNames, showingActs, amounts, documents, titles, pages, icons map[string]bool

	pictures, notPictures, deleted map[string]bool // words of identifiers that mean deletion, and those beside which they do not; of names of folders
}

// sectionRisks are the risks of the sections of control words.
var sectionRisks = map[string]action.Risk{"critical": action.Critical, "high": action.High, "medium": action.Medium}

// embedded returns the embedded lists. They are read when they are first needed,
// because most commands need none of them: 30 ms and 8 MB.
var embedded = sync.OnceValues(mustLoad)

func words() *dictionary {
	d, _ := embedded()
	return d
}

func hosts() *hostLists {
	_, h := embedded()
	return h
}

// mustLoad reads the embedded lists. A test checks that each is complete.
func mustLoad() (*dictionary, *hostLists) {
	d, h := &dictionary{}, &hostLists{}
	sections := d.sections()
	names, err := fs.Glob(files, "words/*.txt")
	if err != nil {
		names = nil
	}
	for _, name := range names {
		lists := sectionsOf(name)
		if path.Base(name) == "hosts.txt" {
			*h = hostListsOf(lists)
			continue
		}
		for section, list := range lists {
			meaning, kind := splitSection(section)
			for _, phrase := range list {
				sections[meaning].add(phrase)
				if risk := sectionRisks[meaning]; risk != 0 {
					d.harmful.add(phrase, harm{risk, kindNames[kind]})
				}
				if kind == "search" {
					d.search.add(phrase)
				}
			}
		}
	}
	return d, h
}

func hostListsOf(lists map[string][]string) hostLists {
	// A pattern that cannot be read leaves a list empty, which a test finds.
	payment, _ := parsePatterns(lists["payment"])
	bank, _ := parsePatterns(lists["bank"])
	sensitive, _ := parsePatterns(lists["sensitive"])
	return hostLists{
		payment: payment, bank: bank, sensitive: sensitive,
		paymentLabels: setOf(lists["payment labels"]), bankLabels: setOf(lists["bank labels"]), sensitiveLabels: setOf(lists["sensitive labels"]),
		acting: setOf(lists["acting"]), actingNames: setOf(lists["acting names"]),
		actingWords: setOf(lists["acting words"]), harming: setOf(lists["harming"]), actingWith: setOf(lists["acting with"]), showingNames: setOf(lists["showing names"]),
		changing: setOf(lists["changing"]), forms: setOf(lists["forms"]), titles: setOf(lists["titles"]), showingActs: setOf(lists["showing acts"]), amounts: setOf(lists["amounts"]), documents: setOf(lists["documents"]), pages: setOf(lists["pages"]), icons: setOf(lists["icons"]),
		pictures: setOf(lists["pictures"]), notPictures: setOf(lists["not pictures"]), deleted: setOf(lists["deleted"]),
	}
}

func setOf(list []string) map[string]bool {
	set := make(map[string]bool, len(list))
	for _, s := range list {
		set[s] = true
	}
	return set
}

// namesOf is the set of the words of a text.
func namesOf(text string) map[string]bool { return setOf(strings.Fields(text)) }

// sectionsOf reads a list: [section], or [section kind] for words of harm, then phrases separated by
// commas; # begins a comment.
func sectionsOf(name string) map[string][]string {
	text, err := fs.ReadFile(files, name)
	if err != nil {
		return nil
	}
	lists, section := map[string][]string{}, ""
	for line := range strings.Lines(string(text)) {
		line, _, _ = strings.Cut(line, "#")
		line = strings.TrimSpace(line)
		if strings.HasPrefix(line, "[") && strings.HasSuffix(line, "]") {
			section = line[1 : len(line)-1]
			continue
		}
		for phrase := range strings.SplitSeq(line, ",") {
			if phrase = strings.TrimSpace(phrase); phrase != "" {
				lists[section] = append(lists[section], phrase)
			}
		}
	}
	return lists
}
