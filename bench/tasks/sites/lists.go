package sites

import "fmt"

// lists are sites that do not show everything at once.
var lists = []Site{
	{
		Name: "pagination", Goal: "Say the price of {{.name}}.", told: []string{"name"},
		draw: func(d *draw) Values {
			v := wanted(48)(d)
			v["pages"] = []string{"1", "2", "3", "4", "5", "6"}
			return v
		},
		want: "{{.code}}",
	},
	{Name: "load-more", Goal: "Open {{.item}}.", told: []string{"item"}, draw: item(60, 25, 55), want: "opened={{.item}}"},
	{Name: "infinite-list", Goal: "Open {{.item}}, further down.", told: []string{"item"}, draw: item(90, 45, 80), want: "opened={{.item}}"},
	{
		Name: "virtual-list", Goal: "Open entry {{.number}} of a list that only shows what is in sight.", told: []string{"number"},
		draw: func(d *draw) Values { return Values{"number": d.between(60, 110), "items": d.words(300)} },
		want: "opened={{index .items .number}}",
	},
	{Name: "autocomplete", Goal: "Set the harbour to {{.item}}.", told: []string{"item"}, draw: item(40, 0, 39), want: "harbour={{.item}}"},
	{
		Name: "tag-field", Goal: "Set the tags to {{.first}} and {{.second}}, and nothing else.", told: []string{"first", "second"},
		draw: func(d *draw) Values {
			items := d.words(30)
			return Values{"items": items, "old": items[0], "first": items[d.between(1, 14)], "second": items[d.between(15, 29)]}
		},
		want: "tags={{.first}},{{.second}}",
	},
	{
		Name: "tree-view", Goal: "Choose {{.leaf}} in {{.branch}} in {{.root}}.", told: []string{"root", "branch", "leaf"},
		draw: func(d *draw) Values {
			names := d.words(4 + 12 + 36)
			roots := []map[string]any{}
			for i := range 4 {
				branches := []map[string]any{}
				for k := range 3 {
					at := 16 + (i*3+k)*3
					branches = append(branches, map[string]any{"name": names[4+i*3+k], "leaves": names[at : at+3]})
				}
				roots = append(roots, map[string]any{"name": names[i], "branches": branches})
			}
			i, k, l := d.IntN(4), d.IntN(3), d.IntN(3)
			return Values{"roots": roots, "root": names[i], "branch": names[4+i*3+k], "leaf": names[16+(i*3+k)*3+l]}
		},
		want: "chosen={{.leaf}}",
	},
	{
		Name: "drag-list", Goal: "Put {{.last}} before {{.first}}.", told: []string{"first", "last"},
		draw: func(d *draw) Values {
			items := d.words(5)
			return Values{"items": items, "first": items[0], "last": items[4], "order": fmt.Sprintf("%s,%s,%s,%s,%s", items[4], items[0], items[1], items[2], items[3])}
		},
		want: "order={{.order}}",
	},
	{
		Name: "drag-board", Goal: "Move the card {{.card}} to {{.column}}.", told: []string{"card", "column"},
		draw: func(d *draw) Values {
			columns, cards := d.words(3), d.words(6)
			return Values{"columns": columns, "cards": cards, "card": pick(d, cards), "column": pick(d, columns[1:])}
		},
		want: "card={{.card}}; column={{.column}}",
	},
	{
		Name: "slider", Goal: "Set the volume to {{.volume}}.", told: []string{"volume"},
		draw: func(d *draw) Values { return Values{"volume": d.between(3, 17) * 5} },
		want: "volume={{.volume}}",
	},
}

// item draws n items, of which one between two places is meant.
func item(n, from, to int) func(*draw) Values {
	return func(d *draw) Values {
		items := d.words(n)
		return Values{"items": items, "item": items[d.between(from, to)]}
	}
}
