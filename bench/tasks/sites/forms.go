package sites

import "strings"

// forms are sites to fill in.
var forms = []Site{
	{
		Name: "contact-form", Goal: "Save the contact {{.person}}, {{.mail}}, about {{.topic}}, with the note {{.note}}.",
		told: []string{"person", "mail", "topic", "note"},
		draw: func(d *draw) Values {
			topics := d.words(6)
			return Values{"person": d.person(), "mail": d.mail(), "note": d.word() + " & " + d.word(), "topics": topics, "topic": pick(d, topics)}
		},
		want: "mail={{.mail}}; note={{.note}}; person={{.person}}; topic={{.topic}}",
	},
	{
		Name: "form-error", Goal: "Register {{.person}}. Their number is {{.number}}; the form says how it must be written.",
		told: []string{"person", "number"},
		draw: func(d *draw) Values {
			return Values{"person": d.person(), "number": d.between(10000, 99999), "prefix": strings.ToUpper(d.word())}
		},
		want: "number={{.prefix}}-{{.number}}; person={{.person}}",
	},
	{
		Name: "form-required", Goal: "Fill in what the form requires, and nothing else, with {{.fill}}.", told: []string{"fill"},
		draw: func(d *draw) Values {
			labels := d.words(6)
			required := some(d, labels, 3)
			return Values{"labels": labels, "required": required, "fill": d.word(), "want": strings.Join(required, ",")}
		},
		want: "fields={{.want}}; fill={{.fill}}",
	},
	{
		Name: "form-dependent", Goal: "Choose the city {{.city}} in {{.country}}, and save.", told: []string{"country", "city"},
		draw: func(d *draw) Values {
			countries := d.words(4)
			var items []string
			for _, c := range countries {
				for _, city := range d.words(5) {
					items = append(items, c+"/"+city)
				}
			}
			country, city, _ := strings.Cut(pick(d, items), "/")
			return Values{"countries": countries, "items": items, "country": country, "city": city}
		},
		want: "city={{.city}}; country={{.country}}",
	},
	{
		Name: "form-choices", Goal: "Choose the plan {{.plan}} with {{index .chosen 0}} and {{index .chosen 1}}, and nothing else, and save.",
		told: []string{"plan", "first", "second"},
		draw: func(d *draw) Values {
			plans, extras := d.words(4), d.words(5)
			chosen := some(d, extras, 2)
			return Values{"plans": plans, "plan": plan(d, plans), "extras": extras, "chosen": chosen, "first": chosen[0], "second": chosen[1]}
		},
		want: "extra={{.first}},{{.second}}; plan={{.plan}}",
	},
	{
		Name: "wizard", Goal: "Set up the workspace {{.space}} in {{.region}} with {{.seats}} seats, and finish.",
		told: []string{"space", "region", "seats"},
		draw: func(d *draw) Values {
			regions := d.words(4)
			return Values{"space": d.word(), "regions": regions, "region": pick(d, regions), "seats": d.between(2, 90)}
		},
		want: "region={{.region}}; seats={{.seats}}; space={{.space}}",
	},
	{
		Name: "wizard-branch", Goal: "Report a fault of the device {{.device}}: answer what is asked (it is {{.colour}}, and it does not start) and say the case number.",
		told: []string{"device", "colour"},
		draw: func(d *draw) Values {
			devices, colours := d.words(3), d.words(3)
			return Values{"devices": devices, "device": pick(d, devices), "colours": colours, "colour": pick(d, colours), "case": d.code()}
		},
		want: "{{.case}}",
	},
	{
		Name: "login-error", Goal: "Go in as member {{.member}} with the card {{.card}}, and say which shelf is yours.",
		told: []string{"member", "card"},
		draw: func(d *draw) Values {
			return Values{"member": d.word(), "card": d.between(100000, 999999), "year": d.between(1970, 2020), "shelf": d.code()}
		},
		want: "{{.shelf}}",
	},
	{
		Name: "date-native", Goal: "Book the room for {{.day}}.", told: []string{"day"},
		draw: func(d *draw) Values { return Values{"day": d.date()} },
		want: "day={{.day}}",
	},
	{
		Name: "date-custom", Goal: "Pick {{.day}} in the calendar.", told: []string{"day", "number", "month"},
		draw: func(d *draw) Values {
			month := d.between(6, 8)
			day := d.between(2, 27)
			return Values{"day": isoDate(2027, month, day), "number": day, "month": months[month-1] + " 2027", "names": months}
		},
		want: "day={{.day}}",
	},
	{
		Name: "upload", Goal: "Hand in the file {{.name}} with the line {{.line}}.", told: []string{"name", "line"},
		draw: func(d *draw) Values { return Values{"name": strings.ToLower(d.word()) + ".txt", "line": d.word()} },
		want: "paper={{.name}}:{{.line}}",
	},
	{
		Name: "rich-text", Goal: "Write {{.text}} as the abstract, in the heading style, and save.", told: []string{"text"},
		draw: func(d *draw) Values { return Values{"text": d.word() + " and " + d.word()} },
		want: "html=<h2>{{.text}}</h2>",
	},
}

// plan is one that is not chosen when the page opens.
func plan(d *draw, plans []string) string { return pick(d, plans[1:]) }
