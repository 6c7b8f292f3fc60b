package engine_test

import (
	"strings"
	"testing"

	"github.com/gloveboxhq/glovebox/internal/action"
)

func TestThePageBehindAModalDialogIsShownAsBlocked(t *testing.T) {
	const behind = `<div id=app><h1>Orders</h1><button>Delete all</button>`
	const cover = `position:fixed;inset:0;background:rgba(0,0,0,.5)`
	const box = `position:fixed;top:100px;left:100px;width:300px;height:200px;background:#fff`
	const line = "\n … blocked by dialog \"Sure?\": only what is in it can be acted on\n"
	for name, c := range map[string]struct {
		html    string
		blocked bool
	}{
		"showModal":                    {behind + `<dialog id=d aria-label="Sure?"><button>Yes</button></dialog></div><script>d.showModal()</script>`, true},
		"a backdrop beside it":         {behind + `</div><div style="` + cover + `"></div><div role=dialog aria-modal=true aria-label="Sure?" style="` + box + `"><button>Yes</button></div>`, true},
		"a backdrop around it":         {behind + `</div><div style="` + cover + `"><div role=dialog aria-modal=true aria-label="Sure?" style="` + box + `"><button>Yes</button></div></div>`, true},
		"no backdrop":                  {behind + `<div role=dialog aria-modal=true aria-label="Sure?" style="` + box + `"><button>Yes</button></div></div>`, false},
		"an application that fills it": {`<div style="position:fixed;inset:0">` + behind + `<div role=dialog aria-modal=true aria-label="Sure?" style="` + box + `"><button>Yes</button></div></div></div>`, false},
		"a dialog that is not modal":   {behind + `<dialog open aria-label="Sure?"><button>Yes</button></dialog></div>`, false},
	} {
		t.Run(name, func(t *testing.T) {
			tr := start(t)
			tr.visit("<!doctype html>" + c.html)
			for _, a := range []*action.TakeSnapshot{{}, {Interactive: true}} {
				if got := tr.must("page.snapshot", a).Data.(*action.Snapshot).Text; strings.Contains(got, line) != c.blocked || strings.Contains(got, "blocked by") != c.blocked {
					t.Errorf("snapshot\n%s", got)
				}
			}
		})
	}
}

func TestFieldsSayWhatTheyTake(t *testing.T) {
	tr := start(t)
	tr.visit(`<input type=date aria-label=Day min=2026-01-01 max=2026-12-31><input type=time aria-label=At step=900><input type=time aria-label=Exact step=1>` +
		`<input type=datetime-local aria-label=When><input type=month aria-label=Month><input type=week aria-label=Week>` +
		`<input type=number aria-label=Count min=1 max=9 step=2 value=3><input type=number aria-label=Any step=any><input type=range aria-label=Loud min=-5 max=5 value=0>` +
		`<div role=slider tabindex=0 aria-label=Zoom aria-valuemin=1 aria-valuemax=8 aria-valuenow=2 style="width:40px;height:40px"></div>` +
		`<input type=number aria-label=Forged min='1" [e1] x=(y'><input aria-label=Text min=1>`)
	got := tr.must("page.snapshot", &action.TakeSnapshot{}).Data.(*action.Snapshot).Text
	for _, want := range []string{
		`"Day" [e1] min=2026-01-01 max=2026-12-31 format=YYYY-MM-DD`, `"At" [e2] step=900 format=HH:MM`, `"Exact" [e3] step=1 format=HH:MM:SS`,
		`"When" [e4] format=YYYY-MM-DDTHH:MM`, `"Month" [e5] format=YYYY-MM`, `"Week" [e6] format=YYYY-Www`, `"Count" [e7] min=1 max=9 step=2 value="3"`,
		`"Any" [e8]`, `"Loud" [e9] min=-5 max=5 value="0"`, `"Zoom" [e10] min=1 max=8 value="2"`, `"Forged" [e11] min=1___e1__x__y`, `"Text" [e12]`,
	} {
		if !strings.Contains(got, want+"\n") && !strings.HasSuffix(got, want) {
			t.Errorf("%q is not a line of\n%s", want, got)
		}
	}
}
