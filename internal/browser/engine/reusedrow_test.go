package engine_test

import (
	"strings"
	"testing"

	"github.com/gloveboxhq/glovebox/internal/action"
	"github.com/gloveboxhq/glovebox/internal/fault"
)

// A list that reuses its rows gives a button to another entry: a click that was
// meant for the first does not reach the second.
func TestAReusedRowIsNotActedOnUnseen(t *testing.T) {
	tr := start(t)
	tr.visit(`<title></title><table><tr><td id=who>Alice</td><td><button onclick="document.title += who.textContent + ';'">Delete</button></td></tr></table>
		<button id=named onclick="document.title += this.textContent + ';'">Remove Alice</button>`)
	tr.snap()
	row, single := tr.refsOf("button", "Delete")[0], tr.refsOf("button", "Remove")[0]
	for _, ref := range []string{row, single} {
		tr.eval(`who.textContent = 'Alice'; named.textContent = 'Remove Alice'; document.title = ''; 0`)
		tr.snap()
		tr.eval(`who.textContent = 'Bob'; named.textContent = 'Remove Bob'; 0`)
		press := &action.Click{Locator: action.Locator{Ref: ref}}
		f := tr.refuse(fault.PageChanged, "page.click", press)
		if !strings.Contains(f.Message, "Alice") || !strings.Contains(f.Hint, "same reference") {
			t.Errorf("%v, hint %s", f, f.Hint)
		}
		tr.wantTitle("")
		tr.must("page.click", press) // who was told may go on
		if title := tr.title(); !strings.Contains(title, "Bob") {
			t.Errorf("title %q", title)
		}
	}
}

// Who has acted in a row and does so again, unseen, does not reach what came
// into it by that.
func TestARowThatMovesUpIsNotActedOnTwice(t *testing.T) {
	tr := start(t)
	tr.visit(`<title></title><ul><li><span id=who>Alice</span> <button id=b>Delete</button></ul>
		<script>const all = ['Alice', 'Bob', 'Carol']; b.onclick = () => { document.title += all.shift() + ';'; who.textContent = all[0] }</script>`)
	tr.snap()
	press := &action.Click{Locator: action.Locator{Ref: tr.refsOf("button", "Delete")[0]}}
	tr.must("page.click", press)
	tr.refuse(fault.PageChanged, "page.click", press)
	tr.wantTitle("Alice;")
}

// What changes its own name by being pressed is pressed again without a word,
// and so is what only tells the time.
func TestTogglesAndClocksAreNoOtherElements(t *testing.T) {
	tr := start(t)
	tr.visit(`<title></title><button id=p>Pause</button><ul><li>Song <button id=q>Play</button></li><li><span id=clock>Left 00:10</span> <button id=r>Stop</button></li></ul>
		<script>for (const b of [p, q]) b.onclick = () => { document.title += b.textContent + ';'; b.textContent = b.textContent === 'Pause' ? 'Play' : 'Pause' }
		r.onclick = () => { document.title += 'stop;'; clock.textContent = 'Left 00:0' + document.title.length % 10 }</script>`)
	tr.snap()
	for _, id := range []string{"#p", "#q", "#r"} {
		facts, _, err := tr.Look(tr.ctx, "page.click", &action.Click{Locator: selector(id)})
		must(t, err)
		press := &action.Click{Locator: action.Locator{Ref: facts.Element.Ref}}
		tr.must("page.click", press)
		tr.must("page.click", press)
	}
	tr.wantTitle("Pause;Play;Play;Pause;stop;stop;")
}

// What a person allowed is for the entry that they were shown.
func TestAPinHoldsTheEntryOfARow(t *testing.T) {
	tr := start(t)
	tr.visit(`<title></title><ul><li><span id=who>Alice</span> <button onclick="document.title += 'clicked'">Delete</button></ul>`)
	args := &action.Click{Locator: selector("button")}
	_, pin, err := tr.Look(tr.ctx, "page.click", args)
	must(t, err)
	tr.eval(`who.textContent = 'Bob'; 0`)
	_, err = tr.Do(tr.ctx, "page.click", args, pin)
	expect(t, fault.PageChanged, err)
	tr.wantTitle("")
}
