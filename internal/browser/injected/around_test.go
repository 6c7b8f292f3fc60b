package injected_test

import (
	"testing"

	"github.com/gloveboxhq/glovebox/internal/browser/injected"
)

func TestFactsSayWhatIsAroundAnElement(t *testing.T) {
	p := open(t, `<section aria-label=Trash><ul id=list style="height:20px"></ul></section><div><h3>Pay <b>now</b></h3><div class=cards><div id=card>Invoice</div><div>Delete drafts</div></div></div>
<div onclick=1>Delete account <svg id=icon width=9 height=9><rect id=rect width=9 height=9 /></svg></div><div><span id=part>Everything</span><span>Erase</span><button>Send</button><p>`+long+`</p></div>`)
	for selector, want := range map[string]string{
		"#list": "Trash", "#card": "Pay now", "#icon": "Delete account", "#rect": "Delete account", "#part": "Everything · Erase",
	} {
		found := p.find(injected.Query{Selector: selector})
		if found.Facts == nil || found.Facts.Within != want {
			t.Errorf("%s: %+v, want %q", selector, found.Facts, want)
		}
	}
}

const long = "What people write at length says little about what happens where somebody clicks beside it, so it is left out of the judgement."
