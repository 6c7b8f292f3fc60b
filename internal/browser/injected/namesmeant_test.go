package injected_test

import (
	"regexp"
	"strings"
)

// meant lists the intended differences from Chromium's names, each with where
// it occurs and, if possible, how the names differ. No other difference is
// allowed.
var meant = []struct {
	why  string
	in   *regexp.Regexp
	when func(naming) bool
}{
	{"text that a person sees counts, whatever role it is in; Chromium reads some roles in no name, or their title instead",
		regexp.MustCompile(`<(article|figure|math|object|ruby|output)\b|role=(alert|alertdialog|application|article|banner|blockquote|combobox|complementary|contentinfo|dialog|directory|document|feed|figure|form|grid|group|image|img|listbox|log|main|marquee|menu|menubar|meter|navigation|none|note|progressbar|radiogroup|region|scrollbar|search|separator|slider|spinbutton|status|suggestion|table|tablist|tabpanel|timer|toolbar|tree|treegrid)\b`), seesMore},
	{"what is inert is seen", regexp.MustCompile(`\binert\b`), seesMore},
	{"a label that is hidden from screen readers is seen", regexp.MustCompile(`<(label|caption|legend) [^>]*aria-hidden=true`), seesMore},
	{"a role without the parent that it asks for is none in Chromium, and names otherwise",
		regexp.MustCompile(`role=(cell|columnheader|gridcell|listitem|menuitem|option|row|rowgroup|rowheader|tab|treeitem|suggestion)\b`), func(e naming) bool { return e.orphan || seesMore(e) }},
	{"roles of ARIA 1.3 are not known here", regexp.MustCompile(`role=(comment|sectionheader|sectionfooter)\b`), nil},
	{"a value that nobody gave is no value", regexp.MustCompile(`role=(meter|progressbar|scrollbar|separator|slider|spinbutton)\b`), nil},
	{"the text of a list without a choice is not its value", regexp.MustCompile(`role=listbox>Text|role=listbox tabindex=0><span role=option>One`), nil},
	{"a field of ARIA is not named by its picture's text", regexp.MustCompile(`<img role=(textbox|searchbox) `), nil},
	{"a title within counts where nothing else names a control", regexp.MustCompile(`<(i|div|span) [^>]*title=`), func(e naming) bool { return e.theirs == "" }},
	{"quotation marks of the page's language are not read", regexp.MustCompile(`open-quote|<q\b`), func(e naming) bool { return unquoted(e.theirs) == e.ours || e.ours == "Tip" || e.ours == "Ref Tip" }},
	{"what a canvas shows is not what it holds", regexp.MustCompile(`<canvas>`), func(e naming) bool {
		return squeezed(strings.Replace(e.theirs, "fallback", "", 1)) == e.ours || !strings.Contains(e.ours, "fallback")
	}},
	{"a player is not named after its state", regexp.MustCompile(`<(video|audio)\b`), func(e naming) bool { return strings.Contains(e.theirs, "Unable to play media.") }},
	{"what is not laid out for now may still label", regexp.MustCompile(`content-visibility:hidden|hidden=until-found`), nil},
	{"a date is said as its value, not by the parts of its field", regexp.MustCompile(`type=(date|datetime-local|month|time|week)\b`), nil},
	{"formulas keep their letters", regexp.MustCompile(`<math\b`), nil},
	{"a place where a word may break is no space", regexp.MustCompile(`<wbr>`), func(e naming) bool {
		return strings.ReplaceAll(e.theirs, " ", "") == strings.ReplaceAll(e.ours, " ", "")
	}},
	{"a box that a style sheet writes stays with its words", regexp.MustCompile(`content:"one";display:(block|flex)`), func(e naming) bool {
		return strings.ReplaceAll(e.theirs, " ", "") == strings.ReplaceAll(e.ours, " ", "")
	}},
	{"a details element without a summary does not say so", regexp.MustCompile(`<details id=`), nil},
	{"whether a file is chosen is not part of a label", regexp.MustCompile(`type=file`), func(e naming) bool { return strings.Contains(e.theirs, "No file chosen") }},
	{"letters are as they are written, not as a style sheet shows them", regexp.MustCompile(`text-transform`), func(e naming) bool { return strings.EqualFold(e.ours, e.theirs) }},
	{"a space that does not break, or has no width, is no name", regexp.MustCompile(`&nbsp;|&#8203;`), func(e naming) bool { return strings.Trim(e.theirs, "\u00a0\u200b") == "" }},
	{"what is owned elsewhere is still seen in its place", regexp.MustCompile(`aria-owns`), seesMore},
	{"an empty label does not take a title away", regexp.MustCompile(`<label for=j\d+></label>`), func(e naming) bool { return e.theirs == "" }},
	{"protected values are never shown", regexp.MustCompile(`type=password`), func(e naming) bool { return strings.Contains(e.theirs, "•") && !strings.Contains(e.ours, "•") }},
	{"what a style sheet replaces by an image keeps its role", regexp.MustCompile(`content:url\(x.png\) / "repl"`), func(e naming) bool { return e.tag == "span" }},
}

func meantToDiffer(e naming) string {
	for _, m := range meant {
		if m.in.MatchString(e.html) && (m.when == nil || m.when(e)) {
			return m.why
		}
	}
	return ""
}

// seesMore reports whether our name contains all of Chromium's name and more. A
// title or label that Chromium uses in place of text is not counted.
func seesMore(e naming) bool {
	letters := strings.NewReplacer(" ", "", "Tip", "", "Label", "")
	at, theirs := 0, []rune(letters.Replace(e.theirs))
	for _, letter := range e.ours {
		if at < len(theirs) && letter == theirs[at] {
			at++
		}
	}
	return e.ours != "" && at == len(theirs) || e.theirs == "x" // the content, where a reference leads nowhere
}

func unquoted(text string) string {
	return squeezed(strings.NewReplacer("“", "", "”", "", "‘", "", "’", "").Replace(text))
}
