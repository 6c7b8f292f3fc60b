package engine_test

import (
	"strings"
	"testing"

	"github.com/gloveboxhq/glovebox/internal/action"
	"github.com/gloveboxhq/glovebox/internal/fault"
)

func TestOptionsOfGroupsAreChosenByValueOrLabel(t *testing.T) {
	tr := start(t)
	tr.visit(fixture(t, "fields"))
	pets := selector("#pets")
	got := tr.must("page.select", &action.Select{Locator: pets, Values: []string{"Tabby", "b"}}).Data.(*action.Acted)
	if strings.Join(got.Selected, " ") != "t b" {
		t.Errorf("selected %q", got.Selected)
	}
	tr.wantEval(`[...pets.selectedOptions].map(o => o.label).join()`, "Tabby,Beagle")
	tr.wantEval(`seen.join()`, "input pets=t,change pets=t")
	tr.refuse(fault.NotActionable, "page.select", &action.Select{Locator: pets, Values: []string{"Xolo"}})
	f := tr.refuse(fault.InvalidRequest, "page.select", &action.Select{Locator: pets, Values: []string{"Tabby", "Hamster"}})
	if !strings.Contains(f.Message, "Siamese") || strings.Contains(f.Message, "Xolo") {
		t.Errorf("%v lists other options than those that can be chosen", f)
	}
	tr.wantEval(`[...pets.selectedOptions].map(o => o.label).join()`, "Tabby,Beagle")
}

func TestCheckboxesAndRadioButtonsAreSwitchedByClicks(t *testing.T) {
	tr := start(t)
	tr.visit(fixture(t, "fields"))
	tr.click(named("checkbox", "News"))
	tr.click(named("radio", "Large"))
	tr.wantEval(`news.checked + ' ' + document.querySelector('[name=size]:checked').value`, "true l")
	tr.click(action.Locator{Text: "Small"})
	tr.click(named("checkbox", "News"))
	tr.wantEval(`news.checked + ' ' + document.querySelector('[name=size]:checked').value`, "false s")
	tr.wantEval(`seen.filter(s => s.startsWith('change')).length`, "4")
}

func TestTypingIntoAFieldOfAFormatSetsItsValue(t *testing.T) {
	tr := start(t)
	tr.visit(fixture(t, "fields"))
	for id, value := range map[string]string{
		"date": "2026-02-28", "time": "13:05", "month": "2026-02", "week": "2026-W09", "moment": "2026-02-28T13:05", "range": "8", "color": "#a1b2c3",
	} {
		tr.must("page.type", &action.Type{Locator: selector("#" + id), Input: value})
		tr.wantEval(`document.getElementById('`+id+`').value`, value)
		tr.wantEval(`seen.splice(0).join()`, "input "+id+"="+value+",change "+id+"="+value)
	}
	tr.must("page.type", &action.Type{Locator: selector("#date"), Clear: true})
	tr.wantEval(`date.value`, "")
}

func TestAValueThatAFieldDoesNotTakeIsAFaultAndChangesNothing(t *testing.T) {
	tr := start(t)
	tr.visit(fixture(t, "fields"))
	tr.eval(`date.value = '2020-01-01'; time.value = '01:01'; month.value = '2020-01'; week.value = '2020-W01'; moment.value = '2020-01-01T01:01'`)
	const values = `[date, time, month, week, moment, range, color].map(e => e.value).join()`
	before := tr.eval(values)
	for id, bad := range map[string][]string{
		"date": {"28.02.2026", "2026-02-30", "tomorrow"}, "time": {"25:00", "1pm"}, "month": {"2026-13"}, "week": {"2026-W99"},
		"moment": {"2026-02-28"}, "range": {"loud", "99", "3"}, "color": {"red", "#12", ""},
	} {
		for _, text := range bad {
			f := tr.refuse(fault.InvalidRequest, "page.type", &action.Type{Locator: selector("#" + id), Input: text, Clear: true})
			if f.Details["field"] != "text" {
				t.Errorf("%s %q: %v with %v", id, text, f, f.Details)
			}
		}
	}
	tr.wantEval(values, before)
	tr.wantEval(`seen.join()`, "")
	tr.refuse(fault.NotActionable, "page.type", &action.Type{Locator: selector("#locked"), Input: "2026-01-01", Timing: action.Timing{Timeout: 200}})
	tr.wantEval(`locked.value`, "2020-01-01")
}

func TestTypingIntoEditableContent(t *testing.T) {
	tr := start(t)
	for name, c := range map[string]struct{ html, find, shows string }{
		"formatted":      {`<div id=x contenteditable>a <b>bold</b></div>`, "#x", `x.innerHTML`},
		"plain":          {`<div id=x contenteditable=plaintext-only>ab</div>`, "#x", `x.innerHTML`},
		"open shadow":    {`<p id=h></p><script>h.attachShadow({mode:'open'}).innerHTML='<div id=x contenteditable>ab</div>'</script>`, "#x", `h.shadowRoot.firstChild.innerHTML`},
		"inside of text": {`<div contenteditable><p id=x>ab</p></div>`, "#x", `x.innerHTML`},
	} {
		t.Run(name, func(t *testing.T) {
			tr.visit(c.html)
			before := tr.eval(c.shows)
			tr.must("page.type", &action.Type{Locator: selector(c.find), Input: " ünï"})
			after := tr.eval(c.shows)
			if !strings.HasPrefix(after, strings.TrimSuffix(before, "</b>")) || !strings.Contains(after, "ünï") {
				t.Errorf("%q became %q", before, after)
			}
			tr.must("page.type", &action.Type{Locator: selector(c.find), Input: "new", Clear: true})
			if got := tr.eval(c.shows); !strings.Contains(got, "new") || strings.Contains(got, "a") {
				t.Errorf("cleared and typed: %q", got)
			}
		})
	}
}

func TestFieldsInClosedShadowRootsAreTypedInto(t *testing.T) {
	tr := start(t)
	tr.visit(`<x-f></x-f><script>customElements.define('x-f', class extends HTMLElement { constructor() { super(); const r = this.attachShadow({mode: 'closed'});
		r.innerHTML = '<label>City <input oninput="document.title=this.value"></label><div role=textbox aria-label=Story contenteditable oninput="document.title=this.textContent"></div>' } })</script>`)
	tr.must("page.type", &action.Type{Locator: named("textbox", "City"), Input: "Łódź"})
	tr.wantTitle("Łódź")
	tr.must("page.type", &action.Type{Locator: named("textbox", "Story"), Input: "once"})
	tr.wantTitle("once")
	if text := tr.snap(); !strings.Contains(text, `textbox "City"`) || !strings.Contains(text, "Łódź") {
		t.Errorf("the closed root is not read:\n%s", text)
	}
}

func TestTypingIntoACellLeavesTheReferencesOfItsRow(t *testing.T) {
	tr := start(t)
	tr.visit(`<table><tr><th>Item</th><th>Count</th></tr>
		<tr><td contenteditable aria-label=Item>Pens</td><td contenteditable aria-label=Count>three</td></tr>
		<tr><td contenteditable aria-label=Other>Ink</td><td contenteditable aria-label=More>none</td></tr></table>`)
	shot := tr.sees(bot)
	item, count, more := refAfter(t, shot, `cell "Item"`), refAfter(t, shot, `cell "Count"`), refAfter(t, shot, `cell "More"`)
	for _, step := range []struct{ ref, text string }{{item, "Pencils"}, {count, "five"}, {item, "Brushes"}, {count, "six"}} {
		tr.must("page.type", &action.Type{Locator: action.Locator{Ref: step.ref}, Input: step.text, Clear: true})
	}
	tr.wantEval("document.querySelectorAll('tr')[1].innerText.replace(/\\s+/g, ' ').trim()", "Brushes six")
	tr.eval(`void (document.querySelectorAll('tr')[2].cells[0].textContent = 'Paper')`)
	tr.refuse(fault.PageChanged, "page.type", &action.Type{Locator: action.Locator{Ref: more}, Input: "two", Clear: true})
}
