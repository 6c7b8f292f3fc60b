package engine_test

import "testing"

func TestWhatADropTargetIsInIsLookedAt(t *testing.T) {
	tr := start(t)
	tr.visit(fixture(t, "drag"))
	tr.eval(`document.body.insertAdjacentHTML('beforeend', '<section aria-label="Recycle bin"><ul id=inside style="height:40px"></ul></section>')`)
	facts, _, err := tr.Look(tr.ctx, "page.drag", dragged("#card", "#inside"))
	must(t, err)
	if facts.Onto == nil || facts.Onto.Within != "Recycle bin" {
		t.Errorf("onto %+v", facts.Onto)
	}
}
