package engine_test

import (
	"fmt"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/gloveboxhq/glovebox/internal/action"
	"github.com/gloveboxhq/glovebox/internal/fault"
)

const shades = `<label>Shade <select id=s><optgroup label=Light><option value=l1>Blue<option value=l2>Green<option value=l3>Old rose</optgroup>
	<optgroup label=Dark><option value=d1>Blue<option value=d2>Green</optgroup><optgroup label=Sold disabled><option value=x1>Old rose</optgroup>
	<optgroup label=WALNUT hidden><option value=h1>Old rose<option value=h2>WALNUT</optgroup><option value=n>None</select></label>`

func choice(css string, values ...string) *action.Select {
	return &action.Select{Locator: selector(css), Values: values}
}

func TestGroupsOfOptionsAreShown(t *testing.T) {
	tr := start(t)
	tr.visit(shades)
	text := tr.must("page.snapshot", &action.TakeSnapshot{}).Data.(*action.Snapshot).Text
	const want = `  group "Light"
   option "Blue" selected
   option "Green"
   option "Old rose"
  group "Dark"
   option "Blue"
   option "Green"
  group "Sold"
   option "Old rose" disabled
  option "None"
`
	if !strings.Contains(text, want) || strings.Contains(text, "WALNUT") {
		t.Errorf("the snapshot is\n%s", text)
	}
}

func TestALongListOfGroupsIsFolded(t *testing.T) {
	tr := start(t)
	var zones strings.Builder
	for _, area := range []string{"Africa", "Asia", "Europe"} {
		fmt.Fprintf(&zones, "<optgroup label=%s>", area)
		for i := range 40 {
			fmt.Fprintf(&zones, "<option value=%[1]s%[2]d>City %[2]d", area, i)
		}
		zones.WriteString("</optgroup>")
	}
	tr.visit(`<label>Zone <select id=z>` + zones.String() + `</select></label>`)
	text := tr.must("page.snapshot", &action.TakeSnapshot{}).Data.(*action.Snapshot).Text
	for _, want := range []string{`group "Africa"`, `group "Asia"`, `group "Europe"`, "39 "} {
		if !strings.Contains(text, want) {
			t.Errorf("no %q in\n%s", want, text)
		}
	}
	if n := strings.Count(text, "option "); n > 20 {
		t.Errorf("%d options are shown", n)
	}
	tr.must("page.select", choice("#z", "Europe: City 30"))
	tr.wantEval("z.value", "Europe30")
}

func TestAnOptionOfSeveralGroupsIsNamedWithItsGroup(t *testing.T) {
	tr := start(t)
	tr.visit(shades)
	for _, label := range []string{"Green", " green "} {
		f := tr.refuse(fault.InvalidRequest, "page.select", choice("#s", label))
		for _, want := range []string{`"Light: Green" (value "l2")`, `"Dark: Green" (value "d2")`} {
			if !strings.Contains(f.Message, want) {
				t.Errorf("%v does not say %s", f, want)
			}
		}
		if !strings.Contains(f.Hint, `"Light: Green"`) {
			t.Errorf("the hint is %q", f.Hint)
		}
	}
	tr.wantEval("s.value", "l1")
	for _, c := range [][2]string{
		{"Dark: Green", "d2"}, {"Light Green", "l2"}, {"dark / green", "d2"}, {"Light > Green", "l2"}, {"d2", "d2"},
		{"Old rose", "l3"}, {"None", "n"}, {"Dark – Blue", "d1"}, // the others that are called Old rose cannot be chosen
	} {
		tr.must("page.select", choice("#s", c[0]))
		tr.wantEval("s.value", c[1])
	}
	tr.refuse(fault.NotActionable, "page.select", choice("#s", "Sold: Old rose"))
	f := tr.refuse(fault.InvalidRequest, "page.select", choice("#s", "Purple"))
	if strings.Contains(f.Message, "WALNUT") {
		t.Errorf("%v lists an option that nobody sees", f)
	}
	tr.wantEval("s.value", "d1")
}

func TestOptionsWithoutValuesAreToldApartByTheirGroups(t *testing.T) {
	tr := start(t)
	tr.visit(`<select id=s multiple><optgroup label=Cats><option>Small<option>Large</optgroup><optgroup label=Dogs><option>Small<option>Large</optgroup></select>`)
	tr.refuse(fault.InvalidRequest, "page.select", choice("#s", "Small"))
	tr.must("page.select", choice("#s", "Cats: Large", "Dogs: Small"))
	tr.wantEval("[...s.options].findIndex(o => o.selected) + ',' + s.selectedOptions[1].index", "1,2")
}

// The group is a part of what was judged: a page cannot give its options to another one.
func TestAnOptionThatCameToAnotherGroupIsNotChosen(t *testing.T) {
	tr := start(t)
	tr.visit(shades)
	args := choice("#s", "Dark: Green")
	_, pin, err := tr.Look(tr.ctx, "page.select", args)
	must(t, err)
	tr.eval(`document.querySelector('[label=Light]').label = 'Other'`)
	_, err = tr.Do(tr.ctx, "page.select", args, pin)
	expect(t, fault.PageChanged, err)
	tr.wantEval("s.value", "l1")
}

func TestAClickOnAnOptionOfAClosedListSaysHowItIsChosen(t *testing.T) {
	tr := start(t)
	tr.visit(shades + `<select size=4 id=open><option>North<option>South</select><datalist><option id=d>Hint</datalist>`)
	for _, l := range []action.Locator{{Role: "option", Name: "None"}, selector("#s option[value=d2]")} {
		f := tr.refuse(fault.NotActionable, "page.click", &action.Click{Locator: l})
		if f.Details["reason"] != "an option" || !strings.Contains(f.Hint, "page.select") {
			t.Errorf("%v, hint %q", f, f.Hint)
		}
	}
	tr.wantEval("s.value", "l1")
	tr.must("page.click", &action.Click{Locator: action.Locator{Role: "option", Name: "South"}}) // this list is drawn
	tr.wantEval("document.querySelector('#open').value", "South")
	f := tr.refuse(fault.NotActionable, "page.click", &action.Click{Locator: selector("#d"), Timing: action.Timing{Timeout: 200}})
	if f.Details["reason"] != "not visible" {
		t.Errorf("%v", f)
	}
}

const city = `<label>City <select id=s><option value="">Choose</select></label><script>
	const come = (more, after = 50) => setTimeout(() => { s.innerHTML = '<option value="">Choose' + more }, after);
</script>`

func TestOptionsThatComeWithTheFocusAreWaitedFor(t *testing.T) {
	tr := start(t)
	for name, script := range map[string]string{
		"focus":   `s.addEventListener('focus', () => come('<option>Oslo<option>Rome'), {once: true})`,
		"focusin": `document.addEventListener('focusin', () => come('<option value=oslo>Oslo'))`,
		"number":  `s.onfocus = () => come('<optgroup label=Norway><option value=7>Oslo</optgroup>', 300)`,
	} {
		t.Run(name, func(*testing.T) {
			tr.visit(city + `<script>` + script + `</script>`)
			tr.must("page.select", choice("#s", "Oslo"))
			tr.wantEval("s.selectedOptions[0].label", "Oslo")
			facts, _, err := tr.Look(tr.ctx, "page.select", choice("#s", "Delete all"))
			must(t, err)
			if got := strings.Join(facts.Options, ","); got != "Delete all" {
				t.Errorf("options that are judged: %q", got)
			}
		})
	}
	f := tr.refuse(fault.InvalidRequest, "page.select", choice("#s", "Paris"))
	if !strings.Contains(f.Message, "Oslo") {
		t.Errorf("%v", f)
	}
}

func TestOptionsThatComeInAFrameAreWaitedFor(t *testing.T) {
	tr := start(t)
	for name, at := range map[string]func(*httptest.Server) string{"same origin": func(s *httptest.Server) string { return s.URL }, "another site": elsewhere} {
		t.Run(name, func(t *testing.T) {
			s := site(t, map[string]string{"/in": city + `<script>s.onfocus = () => come('<option>Oslo')</script>`})
			tr.visit(`<iframe src="` + at(s) + `/in"></iframe>`)
			got := tr.must("page.select", &action.Select{Locator: action.Locator{Role: "combobox", Name: "City"}, Values: []string{"Oslo"}}).Data.(*action.Acted)
			if strings.Join(got.Labels, "") != "Oslo" {
				t.Errorf("selected %q", got.Labels)
			}
		})
	}
}

// Only the text of the call was judged. An option that says something else too is judged
// with the next call, and a list that became another one is not chosen from.
func TestOptionsThatComeWithTheFocusAreJudged(t *testing.T) {
	tr := start(t)
	for name, script := range map[string]string{
		"another value":    `s.onfocus = () => come('<option value=delete-account>Oslo')`,
		"the value only":   `s.onfocus = () => come('<option value=Oslo>Delete account')`,
		"another form":     `s.onfocus = () => { const f = document.createElement('form'); f.action = '/delete'; s.before(f); f.append(s); come('<option>Oslo') }`,
		"another name":     `s.onfocus = () => { s.setAttribute('aria-label', 'Delete'); come('<option>Oslo') }`,
		"an element anew":  `s.onfocus = () => setTimeout(() => { s.outerHTML = '<select id=s><option>Choose<option>Oslo</select>' }, 50)`,
		"another one gone": `s.onfocus = () => setTimeout(() => s.remove(), 50)`,
	} {
		tr.visit(city + `<script>let heard = ''; document.addEventListener('change', e => { heard += e.target.value }); ` + script + `</script>`)
		_, err := tr.do("page.select", choice("#s", "Oslo"))
		if fault.CodeOf(err) != fault.PageChanged {
			t.Errorf("%s: %v", name, err)
		}
		tr.wantEval("heard", "")
	}
	tr.visit(city + `<script>s.onfocus = () => come('<option value=delete-account>Oslo')</script>`)
	tr.refuse(fault.PageChanged, "page.select", choice("#s", "Oslo"))
	facts, _, err := tr.Look(tr.ctx, "page.select", choice("#s", "Oslo"))
	must(t, err)
	if got := strings.Join(facts.Options, ","); got != "Oslo,delete-account" {
		t.Errorf("options that are judged: %q", got)
	}
	tr.must("page.select", choice("#s", "Oslo"))
}
