package tasks

import (
	"regexp"
	"strings"
)

// policy does one task.
type policy func(a *Agent)

var forms = map[string]policy{
	"contact-form": func(a *Agent) {
		p := a.Look()
		a.Fill(
			Entry{Node: p.Field("Full name"), Value: a.Told("person")},
			Entry{Node: p.Field("E-mail"), Value: a.Told("mail")},
			Entry{Node: p.Find(choice, "Topic"), Value: a.Told("topic"), Pick: true},
			Entry{Node: p.Field("Note"), Value: a.Told("note")},
		)
		a.Click(p.Press("Save contact"))
	},
	"form-error": func(a *Agent) {
		p := a.Look()
		a.Fill(Entry{Node: p.Field("Full name"), Value: a.Told("person")}, Entry{Node: p.Field("Number"), Value: a.Told("number")})
		a.Click(p.Press("Save"))
		prefix := a.Look().Match(`as (\w+)-00000`)
		p = a.Look()
		a.Fill(Entry{Node: p.Field("Number"), Value: prefix + "-" + a.Told("number")})
		a.Click(p.Press("Save"))
	},
	"form-required": func(a *Agent) {
		p := a.Look()
		a.Click(p.Press("Save"))
		p = a.Look()
		var entries []Entry
		for _, found := range regexp.MustCompile(`(\w+) is required`).FindAllStringSubmatch(p.Text(), -1) {
			entries = append(entries, Entry{Node: p.Field(found[1]), Value: a.Told("fill")})
		}
		a.Fill(entries...)
		a.Click(p.Press("Save"))
	},
	"form-dependent": func(a *Agent) {
		p := a.Look()
		a.Choose(p.Find(choice, "Country"), a.Told("country"))
		p = a.Until(func(p Page) bool { return p.Has(a.Told("city")) })
		a.Choose(p.Find(choice, "City"), a.Told("city"))
		a.Click(p.Press("Save"))
	},
	"form-choices": func(a *Agent) {
		p := a.Look()
		a.Fill(
			Entry{Node: p.Find("radio", a.Told("plan")), Value: "true"},
			Entry{Node: p.Find("checkbox", a.Told("first")), Value: "true"},
			Entry{Node: p.Find("checkbox", a.Told("second")), Value: "true"},
		)
		a.Click(p.Press("Save"))
	},
	"wizard": func(a *Agent) {
		p := a.Look()
		a.Fill(Entry{Node: p.Field("Workspace name"), Value: a.Told("space")})
		a.Click(p.Press("Next"))
		p = a.Look()
		a.Click(p.Find("radio", a.Told("region")))
		a.Click(p.Press("Next"))
		p = a.Look()
		a.Fill(Entry{Node: p.Field("Seats"), Value: a.Told("seats")})
		a.Click(p.Press("Next"))
		a.Click(a.Look().Press("Finish"))
	},
	"wizard-branch": func(a *Agent) {
		for _, question := range [][2]string{{"Which device?", a.Told("device")}, {"What is wrong?", "It does not start"}, {"Which colour is it?", a.Told("colour")}} {
			p := a.Wait(question[0])
			a.Click(p.Find("radio", question[1]))
			a.Click(p.Press("Continue"))
		}
		a.Answer(a.Wait("case number").Match(`case number is ([A-Z]{2}-\d{4})`))
	},
	"login-error": func(a *Agent) {
		card := a.Told("card")
		for range 2 {
			p := a.Look()
			a.Fill(Entry{Node: p.Field("Member"), Value: a.Told("member")}, Entry{Node: p.Field("Card"), Value: card})
			a.Click(p.Press("Go in"))
			card = a.Look().Match(`(\d{6}/\d{4}) is known`)
		}
		a.Answer(a.Look().Match(`shelf is ([A-Z]{2}-\d{4})`))
	},
	"date-native": func(a *Agent) {
		p := a.Look()
		a.Fill(Entry{Node: p.Field("Day"), Value: a.Told("day")})
		a.Click(p.Press("Save"))
	},
	"date-custom": func(a *Agent) {
		a.Click(a.Look().Press("Choose a day"))
		for range 12 {
			p := a.Look()
			if p.Has(a.Told("month")) || !a.Going() {
				break
			}
			a.Click(p.Press("Next month"))
		}
		a.Click(a.Look().Find("button|gridcell|cell", a.Told("number")))
	},
	"upload": func(a *Agent) {
		p := a.Look()
		a.Upload(p.Find("", "Paper"), a.Told("name"), a.Told("line"))
		a.Click(a.Look().Press("Save"))
	},
	"rich-text": func(a *Agent) {
		p := a.Look()
		a.Click(p.Find("textbox", "Abstract"))
		a.Click(p.Press("Heading"))
		a.Type(a.Look().Find("textbox", "Abstract"), a.Told("text"))
		a.Click(a.Look().Press("Save"))
	},
}

var tables = map[string]policy{
	"table-sort": func(a *Agent) {
		a.Click(a.Look().Press("Amount"))
		a.Click(a.Look().Press("Amount"))
		a.Answer(a.Look().After("Room").Match(`(?s)([A-Z][a-z]+)\s+\d+\s`))
	},
	"table-filter": func(a *Agent) {
		a.Write(a.Look().Field("Filter"), a.Told("name"))
		a.Answer(a.Wait("1 of 80").Match(`([A-Z]{2}-\d{4}/\d+)`))
	},
	"table-edit": func(a *Agent) {
		a.Click(a.Look().After(a.Told("name")).Press("Edit"))
		a.Write(a.Look().Field("Amount of "+a.Told("name")), a.Told("next"))
		a.Click(a.Look().Press("Save"))
	},
	"table-large": func(a *Agent) {
		p := a.Seek(a.Told("name"))
		a.Click(p.linkOf(a.Told("name"), "Details"))
		a.Answer(a.Look().Match(`([A-Z]{2}-\d{4}/\d+)`))
	},
	"table-cell": func(a *Agent) {
		cells := strings.Fields(a.Look().After(a.Told("row")).Text())
		if at := atoi(a.Told("place")); at < len(cells) {
			a.Answer(cells[at])
		}
	},
	"table-delete": func(a *Agent) {
		a.Click(a.Look().Press("Delete " + a.Told("name")))
		a.Click(a.Look().Last("button", "Delete"))
	},
	"table-select": func(a *Agent) {
		p := a.Look()
		a.Click(p.Before(a.Told("first")).lastOf("checkbox"))
		a.Click(p.Before(a.Told("second")).lastOf("checkbox"))
		a.Click(a.Look().Press("Assign to me"))
	},
}

// linkOf is the control with a name that stands after words.
func (p Page) linkOf(words, name string) Node { return p.After(words).Press(name) }

// lastOf is the last node of a role.
func (p Page) lastOf(role string) Node {
	for i := len(p) - 1; i >= 0; i-- {
		if p[i].Role == role && p[i].Ref != "" {
			return p[i]
		}
	}
	return Node{want: role}
}
