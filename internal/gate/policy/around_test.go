package policy

import (
	"testing"

	"github.com/gloveboxhq/glovebox/internal/action"
)

func TestAPartWithoutWordsIsJudgedByTheTextAroundIt(t *testing.T) {
	p := trusting(t)
	card := action.Element{Role: "listitem", Name: "Invoice 7", Tag: "li"}
	for _, c := range []struct {
		name string
		e    action.Element
		want want
	}{
		{"an empty list in the bin", action.Element{Role: "list", Tag: "ul", Within: "Trash"}, want{Ask, action.High, "click.delete"}},
		{"a card in the bin", action.Element{Role: "listitem", Name: "Invoice 8", Tag: "li", Within: "Trash"}, want{Ask, action.High, "click.delete"}},
		{"a place under what pays", action.Element{Role: "paragraph", Tag: "p", Label: "here", Within: "Pay now"}, want{Ask, action.Critical, "click.pay"}},
		{"a lane", action.Element{Role: "list", Tag: "ul", Within: "In progress"}, want{Allow, action.Medium, "drag"}},
	} {
		f := on(card)
		f.Onto = &c.e
		check(t, c.name, decide(t, p, action.Agent, "page.drag", &action.Drag{}, f), c.want)
	}
	click := &action.Click{}
	check(t, "an icon", decide(t, p, action.Agent, "page.click", click, on(action.Element{Role: "img", Tag: "svg", Label: "icon", Within: "Delete account"})), want{Ask, action.Critical, "click.pay"})
	check(t, "a shape", decide(t, p, action.Agent, "page.click", click, on(action.Element{Role: "generic", Tag: "rect", Within: "Delete everything"})), want{Ask, action.High, ""})
	check(t, "a button of its own", decide(t, p, action.Agent, "page.click", click, on(action.Element{Role: "button", Tag: "button", Name: "More", Within: "Delete account"})), want{Allow, action.Low, "click.navigation"})
}
