package policy

import (
	"testing"

	"github.com/gloveboxhq/glovebox/internal/action"
)

func TestADragIsJudgedByElementAndTarget(t *testing.T) {
	p := trusting(t)
	card, lane := action.Element{Role: "listitem", Name: "Invoice 7", Tag: "li"}, action.Element{Role: "list", Name: "In progress", Tag: "ul"}
	for _, c := range []struct {
		name       string
		from, onto *action.Element
		want       want
	}{
		{"from lane to lane", &card, &lane, want{Allow, action.Medium, "drag"}},
		{"onto the bin", &card, &action.Element{Role: "generic", Tag: "div", Label: "drop-zone · Trash"}, want{Ask, action.High, "click.delete"}},
		{"of what deletes", &action.Element{Role: "button", Name: "Delete", Tag: "button"}, &lane, want{Ask, action.High, "click.delete"}},
		{"onto what pays", &card, &action.Element{Role: "region", Name: "Pay now", Tag: "section"}, want{Ask, action.Critical, "click.pay"}},
		{"into a password", &card, &action.Element{Role: "textbox", Name: "Password", Tag: "input", Type: "password", Editable: true, Protected: true}, want{Deny, action.Critical, "field.secret"}},
		{"out of a password", &action.Element{Role: "textbox", Name: "Code", Tag: "input", Type: "text", Editable: true, Protected: true}, &lane, want{Deny, action.Critical, "drag.secret"}},
		{"onto something of another site", &card, &action.Element{Role: "list", Name: "Other", Tag: "ul", FrameURL: "https://else.example/"}, want{Ask, action.Medium, "drag"}},
		{"onto nothing known", &card, nil, want{Ask, action.High, "drag.unknown"}},
	} {
		f := on(*c.from)
		f.Onto = c.onto
		check(t, c.name, decide(t, p, action.Agent, "page.drag", &action.Drag{}, f), c.want)
	}
	f := on(card)
	f.Onto = &lane
	check(t, "nobody trusted", decide(t, mustNew(t, Config{Enabled: true}), action.Agent, "page.drag", &action.Drag{}, f), want{Ask, action.Medium, "drag"})
}
