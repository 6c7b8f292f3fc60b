package sites

import "strings"

// widgets are sites with controls that pages make themselves.
var widgets = []Site{
	{Name: "menu-hover", Goal: "In the menu {{.menu}} choose {{.entry}}.", told: []string{"menu", "entry"}, draw: menus, want: "chosen={{.menu}}/{{.entry}}"},
	{Name: "menu-nested", Goal: "In the menu {{.menu}} choose {{.entry}}, then {{.below}}.", told: []string{"menu", "entry", "below"}, draw: menus, want: "chosen={{.menu}}/{{.entry}}/{{.below}}"},
	{
		Name: "menu-context", Goal: "Rename the file {{.old}} to {{.next}}, which is in the menu of the right button.", told: []string{"old", "next"},
		draw: func(d *draw) Values {
			files := d.words(5)
			return Values{"files": files, "old": pick(d, files), "next": d.word()}
		},
		want: "new={{.next}}; old={{.old}}",
	},
	{
		Name: "keys-only", Goal: "Choose {{.item}} in a list that hears keys alone.", told: []string{"item"},
		draw: func(d *draw) Values {
			items := d.words(8)
			return Values{"items": items, "item": items[d.between(2, 7)]}
		},
		want: "chosen={{.item}}",
	},
	{
		Name: "dialog-confirm", Goal: "Set {{.name}} aside, and agree when asked.", told: []string{"name"}, draw: wanted(5), want: "aside={{.name}}",
	},
	{
		Name: "dialog-prompt", Goal: "Add a folder that is called {{.folder}}.", told: []string{"folder"},
		draw: func(d *draw) Values { return Values{"folder": d.word()} }, want: "folder={{.folder}}",
	},
	{
		Name: "dialog-modal", Goal: "Set the nickname to {{.nick}}.", told: []string{"nick"},
		draw: func(d *draw) Values { return Values{"nick": d.word(), "names": d.words(12)} }, want: "nick={{.nick}}",
	},
	{
		Name: "frame-same", Goal: "Save the remark {{.remark}}.", told: []string{"remark"}, draw: remark, want: "remark={{.remark}}",
	},
	{
		Name: "frame-far", Goal: "Save the remark {{.remark}}, in another site's frame.", told: []string{"remark"}, draw: remark, want: "remark={{.remark}}",
	},
	{
		Name: "frame-nested", Goal: "Save the remark {{.remark}}, three frames down.", told: []string{"remark"}, draw: remark, want: "remark={{.remark}}",
	},
	{
		Name: "shadow-open", Goal: "Save the remark {{.remark}}, in a web component.", told: []string{"remark"}, draw: remark, want: "remark={{.remark}}",
	},
	{
		Name: "shadow-closed", Goal: "Save the remark {{.remark}}, in a closed web component.", told: []string{"remark"}, draw: remark, want: "remark={{.remark}}",
	},
	{
		Name: "switches", Goal: "Turn {{.on}} on, {{.off}} off, and save.", told: []string{"on", "off"},
		draw: func(d *draw) Values {
			names := d.words(6)
			before := map[string]bool{names[0]: true, names[2]: true, names[5]: true}
			on, off := names[1+2*d.IntN(2)], names[2*d.IntN(2)]
			var after []string
			for _, n := range names {
				if n == on || before[n] && n != off {
					after = append(after, n)
				}
			}
			return Values{"names": names, "before": before, "on": on, "off": off, "after": strings.Join(after, ",")}
		},
		want: "on={{.after}}",
	},
	{
		Name: "late-element", Goal: "Save, when the page lets you, and say the reference.",
		draw: func(d *draw) Values { return Values{"code": d.code()} }, want: "{{.code}}",
	},
	{
		Name: "moving-element", Goal: "Press the button that moves in.",
		draw: func(d *draw) Values { return Values{"code": d.code()} }, want: "pressed={{.code}}",
	},
	{
		Name: "toast", Goal: "Save, and say the reference that shows for a moment.",
		draw: func(d *draw) Values { return Values{"code": d.code()} }, want: "{{.code}}",
	},
}

func menus(d *draw) Values {
	names := d.words(3 + 4 + 3)
	return Values{"menus": names[:3], "entries": names[3:7], "belows": names[7:], "menu": pick(d, names[:3]), "entry": pick(d, names[3:7]), "below": pick(d, names[7:])}
}

func remark(d *draw) Values { return Values{"remark": d.word() + " " + d.word()} }
