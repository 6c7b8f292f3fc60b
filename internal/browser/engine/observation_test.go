package engine_test

import (
	"fmt"
	"regexp"
	"strings"
	"testing"

	"github.com/gloveboxhq/glovebox/internal/action"
)

// mail is a list of messages that buttons change. Ten of it are read.
func mail(messages int) string {
	var b strings.Builder
	b.WriteString(`<!doctype html><title>Mail</title><style>.off {display: none}</style>`)
	for id, does := range map[string]string{
		"mark": `rows()[40].querySelector('b').textContent = 'Marked'`,
		"more": `for (let i = 0; i < 30; i++) list.append(message('New ' + i))`,
		"drop": `for (const m of rows().slice(20, 25)) m.remove()`,
		"sift": `for (const m of rows().slice(0, 45)) m.classList.add('off')`,
		"turn": `list.append(...rows().reverse())`,
		"swap": `rows()[30].before(rows()[35])`,
		"tick": `for (const m of rows()) m.querySelector('input').checked = true`,
		"idle": ``,
	} {
		fmt.Fprintf(&b, `<button id=%s onclick="%s">%s</button>`, id, does, id)
	}
	fmt.Fprintf(&b, `<ul id=list aria-label=Mail></ul><script>
		const list = document.getElementById('list'), rows = () => [...list.children];
		const message = words => {
			const m = document.createElement('li');
			m.innerHTML = '<input type=checkbox aria-label=Pick><b>' + words + '</b><button>Open</button>';
			m.querySelector('button').onclick = e => { e.target.textContent = 'Opened' };
			return m;
		};
		for (let i = 0; i < %d; i++) list.append(message('Mail ' + i));
	</script>`, messages)
	return b.String()
}

// clicked is what a click on a page of mail changes, without references.
func clicked(tr *trial, on string) string {
	tr.t.Helper()
	got := tr.told(bot, "page.click", &action.Click{Locator: selector(on)})
	if got.Snapshot != nil {
		tr.t.Fatalf("%s: %s", got.Why, got.Snapshot.Text)
	}
	return refless(got.Text)
}

func TestWhatWasOnlyCountedIsToldWhereItChanges(t *testing.T) {
	for name, c := range map[string]struct{ click, want string }{
		"a change":       {"#mark", "in list \"Mail\":\n~ listitem (not read before)\n~  checkbox \"Pick\"\n~  text \"Marked\"\n~  button \"Open\"\n"},
		"its own":        {"li:nth-child(50) button", "in listitem \"Pick\":\n~ button \"Opened\" focused (was \"Open\")\n"},
		"some went":      {"#drop", "in list \"Mail\":\n- … 5 more listitem (not read before)\n"},
		"changed places": {"#swap", "in list \"Mail\":\n~ … some of 50 more listitem in another order (not read before)\n"},
		"nothing":        {"#idle", ""},
	} {
		t.Run(name, func(t *testing.T) {
			tr := start(t)
			tr.visit(mail(60))
			tr.sees(bot)
			if got := clicked(tr, c.click); got != c.want {
				t.Errorf("told:\n%swant:\n%s", got, c.want)
			}
			if got := clicked(tr, "#idle"); got != "" {
				t.Errorf("told again:\n%s", got)
			}
		})
	}
}

func TestWhatComesInLongListsIsShownInPart(t *testing.T) {
	tr := start(t)
	tr.visit(mail(60))
	tr.sees(bot)
	got := clicked(tr, "#more")
	for _, want := range []string{"+ listitem\n", "+  text \"New 0\"\n", "+  text \"New 9\"\n", "+ … 20 more listitem; ref="} {
		if !strings.Contains(got, want) {
			t.Errorf("%q is not in\n%s", want, got)
		}
	}
	if strings.Contains(got, "New 10") || strings.Contains(got, "Mail ") {
		t.Errorf("told:\n%s", got)
	}
}

// muchElse makes a page longer to tell than what changes on it.
var muchElse = strings.Repeat("<p>Words that stay as they are, whatever is done.</p>", 60)

// A filter and a sort show other rows: those are read.
func TestOtherRowsInFrontAreRead(t *testing.T) {
	for click, want := range map[string][]string{
		"#sift": {"~  text \"Mail 45\"\n", "~  text \"Mail 54\"\n", "- … 35 more listitem (not read before)\n", "- … 8 more listitem\n"},
		"#turn": {"~  text \"Mail 59\"\n", "~  text \"Mail 50\"\n", "of 60 listitem in another order, first now"},
	} {
		tr := start(t)
		tr.visit(mail(60) + muchElse)
		tr.sees(bot)
		got := clicked(tr, click)
		for _, line := range want {
			if !strings.Contains(got, line) {
				t.Errorf("%s: %q is not in\n%s", click, line, got)
			}
		}
	}
}

// Boxes that a script ticks change without a sign.
func TestValuesInUnreadRowsAreTold(t *testing.T) {
	tr := start(t)
	tr.visit(mail(60) + muchElse)
	tr.sees(bot)
	got := clicked(tr, "#tick")
	if !strings.Contains(got, "~ … 7 more checkbox checked\n") || strings.Count(got, "~ listitem (not read before)\n") != 10 || !strings.Contains(got, "~ … 40 more") {
		t.Errorf("told:\n%s", got)
	}
}

// What happened since a viewer looked is told with what is done in a row that
// it had not read.
func TestWhatHappenedBeforeAnActInAnUnreadRowIsTold(t *testing.T) {
	tr := start(t)
	tr.visit(mail(60))
	tr.sees(bot)
	tr.must("page.click", &action.Click{Locator: selector("#mark")}) // by somebody else
	tr.must("page.click", &action.Click{Locator: selector("#drop")})
	want := "in list \"Mail\":\n~ listitem (not read before)\n~  checkbox \"Pick\"\n~  text \"Marked\"\n~  button \"Open\"\n- … 5 more listitem (not read before)\nin page:\n~ button \"drop\" focused\n" +
		"in listitem \"Pick\":\n~ button \"Opened\" focused (was \"Open\")\n"
	if got := clicked(tr, "li:nth-child(50) button"); got != want {
		t.Errorf("told:\n%swant:\n%s", got, want)
	}
}

// Reports do not change what snapshots show.
func TestASnapshotIsTheSameAfterReports(t *testing.T) {
	tr := start(t)
	tr.visit(mail(60))
	tr.sees(bot)
	clicked(tr, "#mark")
	clicked(tr, "#idle")
	got := tr.sees(bot)
	if strings.Contains(got, "Marked") || !strings.Contains(got, "… 50 more; ref=") {
		t.Errorf("shown:\n%s", got)
	}
	if again := clicked(tr, "#idle"); again != "" {
		t.Errorf("told:\n%s", again)
	}
}

var anyRef = regexp.MustCompile(` \[e\d+\]`)

func refless(text string) string { return anyRef.ReplaceAllString(text, "") }
