package sites

import "fmt"

// places are sites of several pages, as mail, shops and calendars are.
var places = []Site{
	{
		Name: "mail-reply", Goal: "Search for the letter about {{.subject}}, and answer it with {{.text}}.", told: []string{"subject", "text"}, Person: true,
		draw: letters, want: "text={{.text}}; to={{.from}}",
	},
	{
		Name: "mail-archive", Goal: "Archive the letter about {{.subject}}.", told: []string{"subject"}, Person: true,
		draw: letters, want: "archived={{.subject}}",
	},
	{
		Name: "shop-order", Goal: "Order {{.count}} of {{.name}}, for {{.person}}.", told: []string{"name", "count", "person"}, Person: true,
		draw: func(d *draw) Values {
			v := goods(d)
			v["name"], v["count"], v["person"] = pick(d, v["goods"].([]map[string]any))["name"], d.between(2, 9), d.person()
			return v
		},
		want: "count={{.count}}; name={{.name}}; person={{.person}}",
	},
	{
		Name: "shop-cheapest", Goal: "Put the cheapest {{.kind}} with four stars or more into the basket.", told: []string{"kind"}, draw: goods,
		want: "basket={{.cheapest}}",
	},
	{
		Name: "calendar", Goal: "Enter {{.title}} on {{.weekday}} at {{.hour}}:00.", told: []string{"title", "weekday", "hour"},
		draw: func(d *draw) Values {
			weekdays := []string{"Monday", "Tuesday", "Wednesday", "Thursday", "Friday"}
			return Values{"weekdays": weekdays, "hours": []int{8, 9, 10, 11, 12, 13, 14, 15, 16, 17}, "title": d.word(), "weekday": pick(d, weekdays), "hour": d.between(8, 17)}
		},
		want: "day={{.weekday}}; hour={{.hour}}; title={{.title}}",
	},
}

func letters(d *draw) Values {
	var all []map[string]any
	for _, subject := range d.words(30) {
		all = append(all, map[string]any{"subject": subject, "from": d.mail(), "text": d.word() + " " + d.word()})
	}
	one := pick(d, all)
	return Values{"letters": all, "subject": one["subject"], "from": one["from"], "text": d.word() + " and " + d.word()}
}

// goods are things of three kinds with a price and stars; all prices differ.
func goods(d *draw) Values {
	kinds, prices := d.words(3), d.Perm(900)
	var all []map[string]any
	kind, cheapest, least := pick(d, kinds), "", 10_000
	for i, name := range d.words(24) {
		g := map[string]any{"name": name, "kind": kinds[i%3], "price": fmt.Sprintf("%d.50", 10+prices[i]), "stars": 2 + i/3%4}
		if g["kind"] == kind && g["stars"].(int) >= 4 && prices[i] < least {
			cheapest, least = name, prices[i]
		}
		all = append(all, g)
	}
	return Values{"goods": all, "kinds": kinds, "kind": kind, "cheapest": cheapest, "counts": []int{1, 2, 3, 4, 5, 6, 7, 8, 9}}
}
