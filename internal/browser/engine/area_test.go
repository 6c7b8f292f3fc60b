package engine_test

import (
	"strings"
	"testing"

	"github.com/gloveboxhq/glovebox/internal/action"
	"github.com/gloveboxhq/glovebox/internal/fault"
)

// An image whose shapes are written for its natural size of 200 by 200, in a scaled
// and a bordered image too.
const mapPage = `<title></title><div style="height:SPACEpx"></div><img id=i usemap=#m alt=Plan width=200 height=200 style="STYLE" src="data:image/svg+xml,<svg xmlns='http://www.w3.org/2000/svg' width='200' height='200'/>">
	<map name=m><area alt=Hole href=#hole shape=circle coords="50,50,10"><area alt=Ring href=#ring shape=circle coords="50,50,40"><area alt=Square href=#square shape=rect coords="190,110,110,190">
		<area alt=Corner href=#corner shape=poly coords="110,10,190,10,190,90,180,90,180,20,110,20"><area alt=Script href="javascript:void(document.title='script')" coords="10,110,90,190">
		<area alt=Outside href=#outside coords="900,900,950,950"><area alt=Flat href=#flat coords="5,5,5,5"><area alt=Dead coords="0,195,5,200"></map><map name=m><area alt=Second href=#second coords="0,0,200,200"></map>
	<map name=unused><area alt=Unused href=#unused coords="0,0,200,200"></map><script>onhashchange = () => document.title = location.hash</script>`

func TestAreasOfImageMapsAreLinksAndPressed(t *testing.T) {
	for name, c := range map[string]struct{ space, style string }{
		"plain": {"0", ""}, "below": {"3000", ""}, "bordered": {"0", "border:20px solid;padding:10px"}, "turned bigger": {"0", "transform:scale(1.5);transform-origin:0 0"},
	} {
		t.Run(name, func(t *testing.T) {
			tr := start(t)
			tr.visit(strings.NewReplacer("SPACE", c.space, "STYLE", c.style).Replace(mapPage))
			wants(t, tr.sees(bot), `img "Plan"`, `link "Hole" [e1]`, `link "Ring" [e2]`, `link "Square" [e3]`, `link "Corner" [e4]`, "!Outside", "!Flat", "!Dead", "!Second", "!Unused")
			for _, area := range []string{"Hole", "Ring", "Square", "Corner"} {
				tr.click(action.Locator{Role: "link", Name: area})
				tr.wantTitle("#" + strings.ToLower(area))
			}
			tr.click(action.Locator{Role: "link", Name: "Script"})
			tr.wantTitle("script")
		})
	}
}

// TestAnAreaIsJudgedAndNotPressedThroughOthers: the facts are of the area, and an area
// of an image that nobody sees, or that another area covers, is not pressed.
func TestAnAreaIsJudgedAndNotPressedThroughOthers(t *testing.T) {
	const image = `<title></title><img id=i usemap=#m alt=Plan width=200 height=200 STYLE src="data:image/svg+xml,<svg xmlns='http://www.w3.org/2000/svg' width='200' height='200'/>">
	<map name=m><area alt=Over href=#over coords="0,0,100,100"><area id=a alt=Under href=/under coords="0,0,100,100"></map><script>onclick = e => document.title += e.target.alt</script>`
	tr := start(t)
	tr.visit(strings.Replace(image, "STYLE", "", 1))
	facts, _, err := tr.Look(tr.ctx, "page.click", &action.Click{Locator: selector("#a")})
	must(t, err)
	if e := facts.Element; e.Role != "link" || e.Name != "Under" || !strings.HasSuffix(e.LinkURL, "/under") {
		t.Errorf("judged as %+v", e)
	}
	tr.refuse(fault.NotActionable, "page.click", &action.Click{Locator: selector("#a"), Timing: action.Timing{Timeout: 300}})
	tr.wantTitle("")
	for _, style := range []string{`style="display:none"`, `style="opacity:0"`, `style="position:absolute;left:-9999px"`} {
		tr.visit(strings.Replace(image, "STYLE", style, 1))
		wants(t, tr.sees(bot), "!link")
	}
}
