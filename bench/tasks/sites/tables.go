package sites

import "fmt"

// tables are sites that show rows.
var tables = []Site{
	{
		Name: "table-sort", Goal: "Say who has the largest amount.",
		draw: func(d *draw) Values {
			rows := d.people(60)
			best := 0
			for i, r := range rows {
				if r["amount"].(int) > rows[best]["amount"].(int) {
					best = i
				}
			}
			return Values{"rows": rows, "best": rows[best]["name"]}
		},
		want: "{{.best}}",
	},
	{
		Name: "table-filter", Goal: "Say the room of {{.name}}.", told: []string{"name"}, draw: wanted(80),
		want: "{{.code}}",
	},
	{
		Name: "table-edit", Goal: "Change the amount of {{.name}} to {{.next}}.", told: []string{"name", "next"}, draw: wanted(12),
		want: "amount={{.next}}; name={{.name}}",
	},
	{
		Name: "table-large", Goal: "Open {{.name}} in the table of 500 rows, and say the room.", told: []string{"name"}, draw: wanted(500),
		want: "{{.code}}",
	},
	{
		Name: "table-cell", Goal: "Say how much {{.row}} sold in {{.column}}.", told: []string{"row", "column", "place"},
		draw: func(d *draw) Values {
			columns, names := []string{"Spring", "Summer", "Autumn", "Winter"}, d.words(9)
			place := d.IntN(4)
			row, cells, cell := d.IntN(9), map[string][]int{}, 0
			for i, name := range names {
				for c := range columns {
					n := d.between(1000, 99999)
					cells[name] = append(cells[name], n)
					if i == row && c == place {
						cell = n
					}
				}
			}
			return Values{"columns": columns, "names": names, "cells": cells, "row": names[row], "column": columns[place], "place": place, "cell": cell}
		},
		want: "{{.cell}}",
	},
	{
		Name: "table-delete", Goal: "Delete the row of {{.name}}.", told: []string{"name"}, Person: true, draw: wanted(8),
		want: "deleted={{.name}}",
	},
	{
		Name: "table-select", Goal: "Mark the rows of {{.first}} and {{.second}}, and assign them.", told: []string{"first", "second"},
		draw: func(d *draw) Values {
			rows := d.people(15)
			chosen := some(d, rows, 2)
			return Values{"rows": rows, "first": chosen[0]["name"], "second": chosen[1]["name"]}
		},
		want: "assigned={{.first}},{{.second}}",
	},
}

// people are rows with a name, an amount and a room.
func (d *draw) people(n int) []map[string]any {
	rows := make([]map[string]any, n)
	for i, name := range d.words(n) {
		rows[i] = map[string]any{"name": name, "amount": d.between(100, 99999), "code": fmt.Sprintf("%s/%d", d.code(), i)}
	}
	return rows
}

// wanted draws so many people, one of whom is meant.
func wanted(n int) func(*draw) Values {
	return func(d *draw) Values {
		rows := d.people(n)
		one := rows[d.between(n/2, n-1)]
		return Values{"rows": rows, "name": one["name"], "code": one["code"], "next": d.between(100, 99999)}
	}
}
