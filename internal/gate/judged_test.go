package gate_test

import (
	"fmt"
	"testing"

	"github.com/gloveboxhq/glovebox/internal/action"
	"github.com/gloveboxhq/glovebox/internal/gate/policy"
)

// judgedAct is an act on the element #b of a page, a click if no other is named.
type judgedAct struct {
	html string
	act  step
	read bool // the agent has read the page before, which finds the listeners of scripts
}

// judge judges an act by the facts of the live page, without doing it.
func (w *siteRig) judge(p *policy.Policy, c judgedAct) policy.Verdict {
	w.t.Helper()
	act := c.act
	if act.verb == "" {
		act = clicks("#b")
	}
	w.show(c.html)
	if c.read {
		if _, err := w.as(agent, "page.snapshot", &action.TakeSnapshot{}); err != nil {
			w.t.Fatal(err)
		}
	}
	call := action.Call{Verb: act.verb, Caller: agent, Args: act.args}
	facts, _, err := w.pageSessions.Look(w.t.Context(), call)
	if err != nil {
		w.t.Fatalf("%s: %v", c.html, err)
	}
	verb, _ := action.Lookup(act.verb)
	return p.Decide(call, verb, facts)
}

func chooses(label string) step {
	return step{"page.select", &action.Select{Locator: named("#b"), Values: []string{label}}}
}

func checks(selector string) step {
	return step{"page.check", &action.SetChecked{Locator: named(selector), Checked: new(true)}}
}

const (
	picture = `<svg width=20 height=20></svg>`
	dialog  = `<dialog open>`
)

var (
	enterKey   = presses("#b", "Enter")
	rightArrow = presses("#b", "ArrowRight")
)

// harmfulActs are acts of which each is at least HIGH, as its plain equivalent is.
var harmfulActs = map[string][]judgedAct{
	"a field that is pressed": {
		{html: `<input id=b role=button value="Delete account">`}, {html: `<input id=b type=none role=button value="Delete account">`},
		{html: `<input id=b role=button readonly value="Delete account">`}, {html: `<input id=b role=link value="Delete account">`},
		{html: `<input id=b role=menuitem value="Delete account">`}, {html: `<input id=b role=switch value="Delete account">`},
		{html: `<input id=b readonly onclick="x()" value="Delete account">`}, {html: `<input id=b readonly value="Delete account"><script>b.addEventListener("click", () => 0)</script>`, read: true},
		{html: `<input id=b type=button aria-label=Next value="Delete account">`}, {html: `<label for=b>Next</label><input id=b role=button value="Delete account">`},
		{html: `<input id=b role=button aria-label=Next value="Delete account">`}, {html: `<input id=b role=button placeholder="Delete account">`},
		{html: `<form><input id=b type=reset value="Delete account"></form>`}, {html: `<form><input id=b type=image alt=Next value="Delete account" width=30 height=30></form>`},
		{html: `<input id=b role=button><script>b.value = "Delete account"</script>`}, {html: `<div role=button><input id=b readonly value="Delete account"></div>`},
		{html: `<input id=b disabled role=button value="Delete account">`}, {html: `<input id=b role=button value="Konto löschen">`},
		{html: `<input id=b role=button value="Delete account">`, act: enterKey}, {html: `<input id=b role=button value="Delete account">`, act: presses("#b", "Space")},
	},
	"a picture": {
		{html: `<button id=b><img alt=Open src="/img/trash.svg" width=20 height=20></button>`}, {html: `<button id=b aria-label=Open><svg class="icon icon-trash" width=20 height=20></svg></button>`},
		{html: `<button id=b aria-label=Open><svg width=20 height=20><use href="#trash"></use></svg></button>`}, {html: `<button id=b aria-label=Open><svg width=20 height=20><use href="/sprite.svg#icon-delete"></use></svg></button>`},
		{html: `<button id=b aria-label=Open class=btn-delete>` + picture + `</button>`}, {html: `<button id=b aria-label=Open data-role=deleteItem>` + picture + `</button>`},
		{html: `<button id=b title=Open><i class="fa fa-trash"></i></button>`}, {html: `<button id=b title=Open><span data-icon=trash></span></button>`},
		{html: `<button id=b aria-label=Open>🗑️</button>`}, {html: `<button id=b>🗑</button>`},
		{html: `<a id=b href="#trash" onclick="x()"><img alt=Open src=a.svg width=20 height=20></a>`}, {html: `<a id=b href="#delete">Open</a>`},
		{html: `<style>.x{background:url(/img/trash.svg);width:20px;height:20px;display:inline-block}</style><button id=b aria-label=Open><span class=x></span></button>`},
		{html: `<style>.x::before{content:url(/img/trash.svg)}</style><button id=b aria-label=Open class=x></button>`},
		{html: `<style>.x{mask:url(/img/trash.svg);background:red;width:20px;height:20px;display:inline-block}</style><button id=b aria-label=Open><span class=x></span></button>`},
		{html: `<button id=b aria-label=Open><img srcset="/img/trash.svg 1x" width=20 height=20></button>`}, {html: `<button id=b aria-label=Open><svg width=20 height=20><image href="/img/trash.svg"/></svg></button>`},
		{html: `<button id=b aria-label=Open><svg width=20 height=20><g id=trash><path d="M0 0h20v20"/></g></svg></button>`}, {html: `<button id=b aria-label=Open><my-icon name=trash></my-icon></button>`},
		{html: `<button id=b aria-label=Open><iconify-icon icon="mdi:trash-can"></iconify-icon></button>`}, {html: `<form><input id=b type=image src="/img/trash.svg" alt=Next width=30 height=30></form>`},
		{html: `<button id=b aria-label=Open><img src="/icons/papierkorb.svg" alt="" width=20 height=20></button>`}, {html: `<button id=b aria-label=Open><img src="/icons/poubelle.svg" alt="" width=20 height=20></button>`},
		{html: `<button id=b name=delete aria-label=Open>` + picture + `</button>`}, {html: `<button id=b value=delete aria-label=Open>` + picture + `</button>`},
		{html: dialog + `<button id=b><i class="fa fa-trash"></i> Close</button></dialog>`}, {html: `<span id=b class=icon-trash title=Open onclick="x()"></span>`},
		{html: `<div id=a draggable=true>Item</div><div id=b aria-label=Folder role=region onclick="x()"><i class=icon-trash></i></div>`, act: step{"page.drag", &action.Drag{From: named("#a"), To: named("#b")}}},
	},
	"fragments": {
		{html: `<button id=b>De<br>lete</button>`}, {html: `<button id=b>De<wbr>lete</button>`}, {html: `<button id=b>De&shy;lete</button>`},
		{html: `<button id=b><span style="display:inline-block">De</span><span style="display:inline-block">lete</span></button>`},
		{html: `<button id=b><div>Se</div><div>nd</div></button>`}, {html: `<button id=b>Pa<br>y</button>`}, {html: `<button id=b>Gử<br>i</button>`},
		{html: `<button id=b style="display:flex"><span>Del</span><span>ete</span></button>`}, {html: `<button id=b style="letter-spacing:9px">De-lete</button>`},
	},
	"Enter": {
		{html: `<label>Comment <input id=b></label>`, act: enterKey}, {html: `<label>Comment <textarea id=b onkeydown="x()"></textarea></label>`, act: enterKey},
		{html: `<label>Comment <textarea id=b onkeydown="x()"></textarea></label>`, act: types("#b", "x", true)}, {html: `<label>Comment <textarea id=b></textarea></label><script>b.addEventListener("keydown", () => 0)</script>`, act: types("#b", "x", true), read: true},
		{html: `<form><label>Comment <textarea id=b></textarea></label><button>Post comment</button></form>`, act: enterKey}, {html: `<form><label>Comment <textarea id=b></textarea></label><button>Publish</button></form>`, act: enterKey},
		{html: `<form><label>Comment <textarea id=b></textarea></label><button>Delete</button></form>`, act: enterKey}, {html: `<form><label>Comment <input id=b></label><button>Comment</button></form>`, act: enterKey},
		{html: `<form><label>Comment <input id=b></label></form>`, act: enterKey}, {html: `<form><label>Message <input id=b></label><button>OK</button></form>`, act: enterKey},
		{html: `<form><label>Chat <input id=b></label><button>➤</button></form>`, act: types("#b", "hello", true)}, {html: `<form><label>Reply <input id=b></label><button>Go</button></form>`, act: enterKey},
		{html: `<div id=b contenteditable role=textbox aria-label=Comment></div>`, act: enterKey}, {html: `<textarea id=b placeholder="Add a comment..."></textarea>`, act: enterKey},
	},
	"publicity": {
		{html: `<button id=b role=switch aria-checked=false>Make repository public</button>`}, {html: `<label><input id=b type=checkbox>Make repository public</label>`},
		{html: `<label><input id=b type=checkbox>Make repository public</label>`, act: checks("#b")}, {html: `<label><input id=b type=checkbox name=is_public>Visible</label>`},
		{html: `<fieldset><legend>Visibility</legend><label><input id=b type=radio name=v>Public</label><label><input type=radio name=v checked>Private</label></fieldset>`},
		{html: `<select id=b aria-label=Visibility><option>Private<option>Public</select>`, act: chooses("Public")}, {html: `<select id=b aria-label=Action><option>None<option>Delete</select>`, act: chooses("Delete")},
		{html: `<select id=b aria-label=Visibility><option>Private<option>Public</select>`, act: presses("#b", "ArrowDown")}, {html: `<div role=listbox><div id=b role=option>Public</div></div>`},
		{html: `<label><input id=b type=checkbox checked>Delete everything</label>`},
	},
	"dialogs": {
		{html: dialog + `<p>Press Cancel to delete everything</p><button id=b>Cancel</button><button>Keep</button></dialog>`},
		{html: dialog + `<h2>Keep your files?</h2><p>Cancel = delete</p><button id=b>Cancel</button><button>OK</button></dialog>`},
		{html: dialog + `<p>Press Escape to delete everything</p><button id=b>Keep</button></dialog>`, act: presses("#b", "Escape")},
		{html: dialog + `<form method=dialog><p>Cancel deletes all files</p><button id=b>Cancel</button></form></dialog>`},
	},
}

// ordinaryActs look similar, and are at most MEDIUM.
var ordinaryActs = map[string][]judgedAct{
	"fields": {
		{html: `<input id=b readonly value="Delete account" aria-label=Name>`}, {html: `<input id=b role=textbox value="Delete account" aria-label=Name>`},
		{html: `<input id=b role=combobox readonly onclick="x()" value="Delete account" aria-label=Name>`}, {html: `<input id=b value="Delete account" aria-label=Name onclick="x()">`},
		{html: `<input id=b role=button value=Next>`},
	},
	"pictures": {
		{html: `<div id=delete-item><button id=b aria-label=Open>` + picture + `</button></div>`}, {html: `<button id=b class="btn dropdown-toggle remove-underline block flush">Open</button>`},
		{html: `<a id=b href="/help/recycle"><i class="fa fa-recycle"></i> Recycle tips</a>`}, {html: `<a id=b href="#trash"><i class="fa fa-trash"></i> Trash</a>`},
		{html: `<div role=tree><div id=b role=treeitem><i class=icon-trash></i>Deleted items</div></div>`}, {html: `<button id=b><i class="fa fa-trash-restore"></i> Restore</button>`},
		{html: `<button id=b><i class="fa fa-trash"></i> Clear filters</button>`}, {html: dialog + `<p>Delete file?</p><button id=b class=delete-cancel>Cancel</button><button>Delete</button></dialog>`},
		{html: `<div role=listbox><div id=b role=option>Invoice 5 <button class=btn-delete><i class=icon-trash></i></button></div></div>`}, {html: `<a id=b href="/items/5" class=has-delete>Item 5</a>`},
	},
	"Enter": {
		{html: `<label>Comment <textarea id=b></textarea></label>`, act: types("#b", "x\ny", false)}, {html: `<input id=b type=search placeholder=Comment>`, act: enterKey},
		{html: `<input id=b placeholder="Search comments">`, act: enterKey}, {html: `<input id=b placeholder="Search messages">`, act: enterKey},
		{html: `<form method=get action=/search><input id=b name=q placeholder="Search comments"><button>Search</button></form>`, act: enterKey},
		{html: `<form><label>Comment <input id=b></label><button>Save draft</button></form>`, act: enterKey}, {html: `<label>Notes <textarea id=b></textarea></label>`, act: enterKey},
		{html: `<form><label>Commit message <input id=b></label><button>Commit changes</button></form>`, act: enterKey},
	},
	"publicity": {
		{html: `<label><input id=b type=checkbox checked>Make public</label>`, act: checks("#b")}, {html: `<label><input id=b type=checkbox checked name=is_public>Make public</label>`},
		{html: `<button id=b role=switch aria-checked=true>Make public</button>`}, {html: `<label><input id=b type=checkbox>Public holidays</label>`},
		{html: `<label><input id=b type=checkbox>Show public repositories</label>`}, {html: `<label><input id=b type=checkbox checked>Delete everything</label>`, act: checks("#b")},
		{html: `<select id=b aria-label="Filter by visibility"><option>All<option>Public</select>`, act: chooses("Public")}, {html: `<select id=b aria-label=Visibility><option>Private<option selected>Public</select>`, act: chooses("Public")},
		{html: `<fieldset><legend>Filter</legend><label><input id=b type=checkbox>Public</label></fieldset>`},
	},
	"dialogs": {
		{html: dialog + `<p>Delete repository? All data will be lost</p><button id=b>Cancel</button><button>Delete</button></dialog>`},
		{html: dialog + `<p>Delete repository? Click Cancel to keep it</p><button id=b>Cancel</button><button>Delete</button></dialog>`},
		{html: dialog + `<p>Delete repository? Press Delete to delete it, or Cancel to go back.</p><button id=b>Cancel</button><button>Delete</button></dialog>`},
		{html: dialog + `<p>Delete repository?</p><button id=b>Cancel</button><button>Delete</button></dialog>`, act: presses("#b", "Escape")},
	},
	"numbers and files": {
		{html: `<label>Max price <input id=b type=range></label>`, act: rightArrow}, {html: `<label>Price configuration <input id=b type=range></label>`, act: rightArrow},
		{html: `<div id=b role=slider tabindex=0 aria-label="Max price setting" aria-valuenow=5>x</div>`, act: rightArrow}, {html: `<label>Budget amount <input id=b type=number></label>`, act: types("#b", "5", false)},
		{html: `<div id=b role=button tabindex=0>Drop files here</div>`}, {html: `<label for=f id=b>Drop files here or click to upload</label><input id=f type=file>`},
	},
}

// TestActsAreJudgedByWhatAPersonSees judges acts on live pages of a trusted host.
func TestActsAreJudgedByWhatAPersonSees(t *testing.T) {
	w := newSiteRig(t)
	p, err := policy.New(policy.Config{Enabled: true, Trusted: []string{"127.0.0.1"}})
	if err != nil {
		t.Fatal(err)
	}
	step := 1
	if testing.Short() {
		step = 3
	}
	try := func(all map[string][]judgedAct, wrong func(policy.Verdict) bool) {
		for group, acts := range all {
			for i := 0; i < len(acts); i += step {
				if v := w.judge(p, acts[i]); wrong(v) {
					t.Errorf("%s: %s is %s by %s (%s)", group, fmt.Sprint(acts[i].act.verb, " ", acts[i].html), v.Risk, v.Rule, v.Why)
				}
			}
		}
	}
	try(harmfulActs, func(v policy.Verdict) bool { return v.Risk < action.High })
	try(ordinaryActs, func(v policy.Verdict) bool { return v.Risk >= action.High })
}
