package engine_test

import (
	"testing"

	"github.com/gloveboxhq/glovebox/internal/action"
	"github.com/gloveboxhq/glovebox/internal/fault"
)

// A page draws an element in another way while the pointer is over it or while it has the
// focus. It is still the element that was judged.
func TestAnElementThatIsDrawnInAnotherWayIsStillTheSame(t *testing.T) {
	press := func(key string) any { return &action.Press{Locator: selector("#x"), Key: key} }
	click := &action.Click{Locator: selector("#x")}
	for name, c := range map[string]struct {
		html, verb string
		args       any
	}{
		"a class with the focus":              {`<span id=x tabindex=0 class=handle style="display:inline-block;width:20px;height:20px" onfocus="this.classList.add('on')" onkeydown="if (event.key === 'ArrowRight') document.title='done'"></span>`, "page.press", press("ArrowRight")},
		"a class of an icon with the pointer": {`<button id=x onmouseenter="this.firstChild.className='icon-pen active'" onclick="document.title='done'"><i class=icon-pen></i></button>`, "page.click", click},
		"a title that becomes a tooltip":      {`<span id=x title=Actions style="cursor:pointer" onmouseover="if (this.title) { this.removeAttribute('title'); this.setAttribute('aria-describedby', 'tip'); document.body.insertAdjacentHTML('beforeend', '<div role=tooltip id=tip style=&quot;position:absolute;left:90px;top:90px&quot;>Actions</div>') }" onclick="document.title='done'">…</span>`, "page.click", click},
		"a title that is put aside":           {`<a id=x href="#" title="Open menu" onmouseenter="this.dataset.originalTitle=this.title;this.title=''" onclick="document.title='done'"><img alt="" width=20 height=20></a>`, "page.click", click},
		"a name that the hint repeats":        {`<button id=x aria-label=Filter onmouseenter="this.removeAttribute('aria-label');this.title='Filter'" onclick="document.title='done'"><svg width=20 height=20></svg></button>`, "page.click", click},
		"a tab that the focus selects":        {`<div role=tablist><div role=tab id=x tabindex=0 aria-selected=false onfocus="this.ariaSelected='true'" onkeydown="if (event.key === 'ArrowRight') document.title='done'">One</div></div>`, "page.press", press("ArrowRight")},
		"an option that the focus selects":    {`<div role=listbox><div role=option id=x tabindex=0 aria-selected=false onfocus="this.ariaSelected='true'" onkeydown="if (event.key === 'Enter') document.title='done'">One</div></div>`, "page.press", press("Enter")},
		"a radio that the focus selects":      {`<div role=radiogroup><div role=radio id=x tabindex=0 aria-checked=false onfocus="this.ariaChecked='true'" onkeydown="if (event.key === ' ') document.title='done'">One</div></div>`, "page.press", press("Space")},
	} {
		t.Run(name, func(t *testing.T) {
			tr := start(t)
			tr.visit(`<title>none</title><p>text</p>` + c.html)
			tr.must(c.verb, c.args)
			tr.wantTitle("done")
		})
	}
}

// What it is called may not become something else.
func TestAnElementThatIsCalledSomethingElseIsNotPressed(t *testing.T) {
	for name, html := range map[string]string{
		"another name":               `<button id=x onmouseenter="this.textContent='Delete'" onclick="document.title='done'">Details</button>`,
		"a name that says less":      `<button id=x onmouseenter="this.textContent='Delete all'" onclick="document.title='done'">Delete all of page 2</button>`,
		"another title":              `<span id=x title=Actions onmouseenter="this.title='Delete'" style="cursor:pointer" onclick="document.title='done'">…</span>`,
		"a switch that is on":        `<div id=x role=switch aria-checked=false onmouseenter="this.ariaChecked='true'" onclick="document.title='done'">Public</div>`,
		"a link to somewhere else":   `<a id=x href="#a" onmouseenter="this.href='/delete'" onclick="document.title='done'">Details</a>`,
		"words of a class in a name": `<button id=x class="delete" onmouseenter="this.textContent='Delete'" onclick="document.title='done'">Details</button>`,
	} {
		t.Run(name, func(t *testing.T) {
			tr := start(t)
			tr.visit(`<title>none</title><p>text</p>` + html)
			_, err := tr.do("page.click", &action.Click{Locator: selector("#x"), Timing: action.Timing{Timeout: 300}})
			if code := fault.From(err).Code; err == nil || code != fault.PageChanged && code != fault.NotActionable {
				t.Errorf("fault %v", err)
			}
			tr.wantTitle("none")
		})
	}
}
