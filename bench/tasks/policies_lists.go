package tasks

import "strconv"

const most = 20 // steps of one kind in one task

var lists = map[string]policy{
	"pagination": func(a *Agent) {
		for n := 1; n <= 6 && a.Going(); n++ {
			p := a.Look()
			if price := p.Match(a.Told("name") + `: (\S+)`); price != "" {
				a.Answer(price)
				return
			}
			a.Click(p.Press("Page " + strconv.Itoa(n+1)))
		}
	},
	"load-more": func(a *Agent) {
		for n := 1; n < most && a.Going(); n++ {
			a.Until(func(p Page) bool { return p.Has(strconv.Itoa(10*n) + " of 60") })
			p := a.Seek(a.Told("item"))
			if p.Has(a.Told("item")) {
				a.Click(p.Press(a.Told("item")))
				return
			}
			a.Click(a.Look().Press("Load more"))
		}
	},
	"infinite-list": func(a *Agent) {
		for n := 1; n < most && a.Going(); n++ {
			p := a.Seek(a.Told("item"))
			if p.Has(a.Told("item")) {
				a.Click(p.Press(a.Told("item")))
				return
			}
			before := a.Look().Match(`(\d+) of 90`)
			a.Scroll(Node{}, 1800)
			a.Until(func(p Page) bool { return p.Match(`(\d+) of 90`) != before })
		}
	},
	"virtual-list": func(a *Agent) {
		for n := 1; n < 3*most && a.Going(); n++ {
			p := a.Look()
			if node := p.Find("option", a.Told("number")+":"); node.want == "" {
				a.Click(node)
				return
			}
			first := p.Match(`(\d+): `)
			a.Scroll(p.Find("listbox|option", ""), 300)
			a.Until(func(p Page) bool { return p.Match(`(\d+): `) != first })
		}
	},
	"autocomplete": func(a *Agent) {
		a.Write(a.Look().Field("Harbour"), a.Told("item"))
		p := a.Until(func(p Page) bool { return p.Find("option", a.Told("item")).want == "" })
		a.Click(p.Find("option", a.Told("item")))
	},
	"tag-field": func(a *Agent) {
		a.Click(a.Look().Press("Take off"))
		for _, tag := range []string{a.Told("first"), a.Told("second")} {
			input := a.Look().Field("Add a tag")
			a.Write(input, tag)
			a.Key(input, "Enter")
		}
		a.Click(a.Look().Press("Save"))
	},
	"tree-view": func(a *Agent) {
		for _, name := range []string{a.Told("root"), a.Told("branch"), a.Told("leaf")} {
			a.Click(a.Look().inner(name))
		}
	},
	"drag-list": func(a *Agent) {
		p := a.Look()
		a.Drag(p.Words(a.Told("last")), p.Words(a.Told("first")))
	},
	"drag-board": func(a *Agent) {
		p := a.Look()
		a.Drag(p.Words(a.Told("card")), p.Words(a.Told("column")))
	},
	"slider": func(a *Agent) {
		slider := a.Look().Field("Volume")
		steps, key := (atoi(a.Told("volume"))-50)/5, "ArrowRight"
		if steps < 0 {
			steps, key = -steps, "ArrowLeft"
		}
		for range steps {
			a.Key(slider, key)
		}
		a.Click(a.Look().Press("Save"))
	},
}

// inner is what is pressed of a node with these words: the part without words
// in it that has a reference of its own, or else the innermost with the words.
func (p Page) inner(words string) Node {
	best := p.Find("", words)
	for i, n := range p {
		if n.Ref == "" || !n.named(words, true) || n.Depth < best.Depth {
			continue
		}
		best = n
		if i+1 < len(p) && p[i+1].Depth > n.Depth && p[i+1].Role == "generic" && p[i+1].Name == "" && p[i+1].Ref != "" {
			best = p[i+1]
		}
	}
	return best
}

var widgets = map[string]policy{
	"menu-hover": func(a *Agent) {
		a.Hover(a.Look().Words(a.Told("menu")))
		a.Click(a.Look().Words(a.Told("entry")))
	},
	"menu-nested": func(a *Agent) {
		for _, name := range []string{a.Told("menu"), a.Told("entry"), a.Told("below")} {
			a.Click(a.Look().Words(name))
		}
	},
	"menu-context": func(a *Agent) {
		a.Context(a.Look().Press(a.Told("old")))
		a.Click(a.Look().Press("Rename"))
		input := a.Look().Field("New name")
		a.Write(input, a.Told("next"))
		a.Key(input, "Enter")
	},
	"keys-only": func(a *Agent) {
		p := a.Look()
		list := p.Find("listbox", "Colours")
		a.Key(list, "Home")
		for range 8 {
			if a.Look().Has("At " + a.Told("item")) {
				break
			}
			a.Key(list, "ArrowDown")
		}
		a.Key(list, "Enter")
	},
	"dialog-confirm": func(a *Agent) {
		a.Click(a.Look().Press("Set aside " + a.Told("name")))
		a.Dialog(true, "")
	},
	"dialog-prompt": func(a *Agent) {
		a.Click(a.Look().Press("New folder"))
		a.Dialog(true, a.Told("folder"))
	},
	"dialog-modal": func(a *Agent) {
		a.Click(a.Look().Press("Change nickname"))
		p := a.Look()
		a.Write(p.Field("Nickname"), a.Told("nick"))
		a.Click(p.Press("Save"))
	},
	"frame-same":    saveRemark,
	"frame-far":     saveRemark,
	"frame-nested":  saveRemark,
	"shadow-open":   saveRemark,
	"shadow-closed": saveRemark,
	"switches": func(a *Agent) {
		a.Click(a.Look().Find("switch", a.Told("on")))
		p := a.Look()
		a.Click(p.Find("switch", a.Told("off")))
		a.Click(p.Press("Save"))
	},
	"late-element": func(a *Agent) {
		p := a.Wait("Ready")
		a.Click(p.Press("Save"))
		a.Answer(a.Wait("Reference").Match(`Reference ([A-Z]{2}-\d{4})`))
	},
	"moving-element": func(a *Agent) { a.Click(a.Look().Press("Continue")) },
	"toast": func(a *Agent) {
		a.Click(a.Look().Press("Save"))
		a.Answer(a.Wait("Saved as").Match(`Saved as ([A-Z]{2}-\d{4})`))
	},
}

func saveRemark(a *Agent) {
	p := a.Look()
	if p.Field("Remark").want != "" {
		p = a.Wait("Save remark")
	}
	a.Write(p.Field("Remark"), a.Told("remark"))
	a.Click(p.Press("Save remark"))
}
