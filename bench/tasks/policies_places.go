package tasks

import (
	"regexp"
	"strconv"
)

var content = map[string]policy{
	"accordion": func(a *Agent) {
		a.Click(a.Look().Press("What about " + a.Told("topic") + "?"))
		a.Answer(a.Look().Match(`reference is ([A-Z]{2}-\d{4})`))
	},
	"chart": func(a *Agent) {
		a.Hover(a.Look().Words(a.Told("name")))
		a.Answer(a.Look().Match(a.Told("name") + ` sold (\d+)`))
	},
	"article": func(a *Agent) {
		a.Answer(a.Look().Match(`bridge of ` + a.Told("name") + ` was opened again in (\d{4})`))
	},
	"download": func(a *Agent) {
		name := regexp.MustCompile(`accounts-\d+\.csv`)
		a.Click(a.Look().Press("Download the accounts"))
		said := a.Said()
		if !name.MatchString(said) {
			a.Look()
			said = a.Said()
		}
		a.Answer(name.FindString(said))
	},
	"popup": func(a *Agent) {
		a.Click(a.Look().Press("Show the code"))
		a.Tab("Code")
		code := a.Look().Match(`code is\s+([A-Z]{2}-\d{4})`)
		a.Tab("popup")
		p := a.Look()
		a.Write(p.Field("Code"), code)
		a.Click(p.Press("Save"))
	},
	"copy-value": func(a *Agent) {
		a.Click(a.Look().Press(a.Told("name")))
		p := a.Look()
		tax := p.Match(`([A-Z]{2}-\d{4}/\d+)`)
		a.Click(p.Press("Back to the order"))
		p = a.Look()
		a.Write(p.Field("Reference"), tax)
		a.Click(p.Press("Save"))
	},
	"chat": func(a *Agent) {
		p := a.Look()
		a.Write(p.Field("Message"), "Where is "+a.Told("item")+"?")
		a.Click(p.Press("Send"))
		a.Answer(a.Wait("on shelf").Match(`on shelf ([A-Z]{2}-\d{4})`))
	},
}

var places = map[string]policy{
	"mail-reply": func(a *Agent) {
		openLetter(a)
		a.Click(a.Look().Press("Reply"))
		p := a.Look()
		a.Write(p.Field("Message"), a.Told("text"))
		a.Click(p.Press("Send"))
	},
	"mail-archive": func(a *Agent) {
		openLetter(a)
		a.Click(a.Look().Press("Archive"))
	},
	"shop-order": func(a *Agent) {
		search(a, "Search the shop", a.Told("name"))
		a.Click(a.Look().Find("link", a.Told("name")))
		p := a.Look()
		a.Choose(p.Find(choice, "How many"), a.Told("count"))
		a.Click(p.Press("Add to basket"))
		a.Click(a.Look().Press("Check out"))
		p = a.Look()
		a.Write(p.Field("Deliver to"), a.Told("person"))
		a.Click(p.Press("Place order"))
	},
	"shop-cheapest": func(a *Agent) {
		a.Choose(a.Look().Find(choice, "Kind"), a.Told("kind"))
		p := a.Wait("8 of 24")
		name, least := "", 1e9
		for _, found := range goods.FindAllStringSubmatch(p.Text(), -1) {
			if price, err := strconv.ParseFloat(found[2], 64); err == nil && price < least {
				name, least = found[1], price
			}
		}
		a.Click(p.After(name).Press("Add to basket"))
	},
	"calendar": func(a *Agent) {
		a.Double(a.Look().Words(a.Told("weekday") + " " + strconv.Itoa(atoi(a.Told("hour"))) + ":00"))
		p := a.Look()
		a.Write(p.Field("Title"), a.Told("title"))
		a.Click(p.Press("Save"))
	},
}

// goods are a name, a price and four or five stars.
var goods = regexp.MustCompile(`(\w+)\s+\w+, ([\d.]+)\s+[45] stars`)

func search(a *Agent, label, words string) {
	p := a.Look()
	a.Write(p.Field(label), words)
	a.Click(p.Find("button", "Search"))
}

func openLetter(a *Agent) {
	search(a, "Search mail", a.Told("subject"))
	a.Click(a.Look().Find("link", a.Told("subject")))
}
