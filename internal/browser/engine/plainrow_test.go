package engine_test

import (
	"strings"
	"testing"

	"github.com/gloveboxhq/glovebox/internal/action"
	"github.com/gloveboxhq/glovebox/internal/fault"
)

// TestControlsOfRowsWithoutARoleAreToldByTheirRow: each row has a control of the same
// name, and the heading above them does not distinguish them.
func TestControlsOfRowsWithoutARoleAreToldByTheirRow(t *testing.T) {
	for name, row := range map[string]string{
		"cells":         `<div class=row><div class=cell>NAME</div><div class=cell>42</div><div class=cell><button>Edit</button></div></div>`,
		"cells of acts": `<div class=row><div class=cell>NAME</div><div class=cell><button>Edit</button></div><div class=cell><button>Remove</button></div></div>`,
		"a card":        `<div class=card><h3>NAME</h3><p>Words</p><footer><button>Edit</button></footer></div>`,
		"act first":     `<section><button>Edit</button> <div>NAME</div></section>`,
		"hidden text":   `<div class=row><div style="opacity:0">Secret</div><span>NAME</span><button>Edit</button></div>`,
		"a list":        `<li><b>NAME</b> <button>Edit</button>`,
	} {
		t.Run(name, func(t *testing.T) {
			tr := start(t)
			tr.visit(`<h2>People of the club</h2><div>` + strings.Replace(row, "NAME", "Ada", 1) + strings.Replace(row, "NAME", "Eve", 1) + `</div>`)
			if facts, _, err := tr.Look(tr.ctx, "page.click", &action.Click{Locator: selector("button")}); err != nil || name == "cells" && strings.Contains(facts.Element.Within, "Ada") {
				t.Errorf("%v: the row is judged: %+v", err, facts.Element)
			}
			f := tr.refuse(fault.Ambiguous, "page.click", &action.Click{Locator: action.Locator{Role: "button", Name: "Edit", Strict: true}})
			wants(t, f.Error(), `in "Ada`, `in "Eve`, "!Secret")
		})
	}
}
