package sites

import "fmt"

// content are sites to read.
var content = []Site{
	{
		Name: "accordion", Goal: "Say the answer to the question about {{.topic}}.", told: []string{"topic"},
		draw: func(d *draw) Values {
			topics := d.words(8)
			answers := map[string]string{}
			for _, t := range topics {
				answers[t] = d.code()
			}
			topic := pick(d, topics)
			return Values{"topics": topics, "answers": answers, "topic": topic, "answer": answers[topic]}
		},
		want: "{{.answer}}",
	},
	{
		Name: "chart", Goal: "Say the value of {{.name}}, which a chart shows when one points at it.", told: []string{"name"},
		draw: func(d *draw) Values {
			rows := d.people(6)
			one := pick(d, rows)
			return Values{"rows": rows, "name": one["name"], "amount": one["amount"]}
		},
		want: "{{.amount}}",
	},
	{
		Name: "article", Goal: "Say in which year the bridge of {{.name}} was opened again.", told: []string{"name"},
		draw: func(d *draw) Values {
			years := map[string][]int{}
			names := d.words(12)
			for _, n := range names {
				built := d.between(1600, 1800)
				years[n] = []int{built, built + d.between(20, 90), built + d.between(100, 190)}
			}
			name := pick(d, names)
			return Values{"names": names, "years": years, "name": name, "year": years[name][2]}
		},
		want: "{{.year}}",
	},
	{
		Name: "download", Goal: "Download the accounts, and say the name of the file.",
		draw: func(d *draw) Values { return Values{"file": fmt.Sprintf("accounts-%d.csv", d.between(10000, 99999))} },
		want: "{{.file}}",
	},
	{
		Name: "popup", Goal: "The code is shown in a window of its own: enter it here.",
		draw: func(d *draw) Values { return Values{"code": d.code()} }, want: "code={{.code}}",
	},
	{
		Name: "copy-value", Goal: "Enter on the order the reference of {{.name}}, which its own page shows.", told: []string{"name"},
		draw: wanted(9), want: "tax={{.code}}",
	},
	{
		Name: "chat", Goal: "Ask the assistant for {{.item}}, and say the shelf it names.", told: []string{"item"}, Person: true,
		draw: func(d *draw) Values { return Values{"item": d.word(), "shelf": d.code()} }, want: "{{.shelf}}",
	},
}
