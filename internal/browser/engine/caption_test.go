package engine_test

import (
	"strings"
	"testing"

	"github.com/gloveboxhq/glovebox/internal/action"
	"github.com/gloveboxhq/glovebox/internal/fault"
)

// TestFieldsAreNamedByWhatStandsBeforeThem: each field writes its id into the title
// when it is typed into.
func TestFieldsAreNamedByWhatStandsBeforeThem(t *testing.T) {
	tr := start(t)
	tr.visit(`<title></title><script>oninput = e => document.title = e.target.id</script>
		<fieldset><legend>Remarks</legend><p><textarea id=remarks></textarea></p></fieldset>
		<table><tr><th><label>Account:</label></th><td><input id=account></td></tr>
			<tr><th>Country</th><td><b>*</b> <select id=country><option>A<option>B</select></td></tr>
			<tr><td>Postcode:</td><td><div><input id=postcode></div></td></tr></table>
		<div><span>Subject:</span><br><input id=subject></div>
		<p><b>City</b>: <input id=city> <i>Street :</i> <input id=street></p>
		<div style="display:flex"><div>Amount: *</div><div><input id=amount type=number></div></div>
		<dl><dt>Nickname</dt><dd><input id=nick></dd></dl>
		<div><label>Colour</label><div><input id=colour></div></div>
		<div><label for=nothing>Size</label><input id=size></div>
		<div>電話：<input id=phone></div>
		<div style="position:relative"><input id=mail><label style="position:absolute;left:5px;top:2px">Mail</label></div>
		<div style="position:relative"><input id=fax><label style="position:absolute;left:5px;top:-8px">Fax</label></div>
		<div><label>Width</label> <input id=width> <label>Height</label> <input id=height></div>
		<div>Biography:<div id=bio contenteditable style="width:200px;height:30px"></div></div>`)
	shot := tr.sees(bot)
	for _, line := range []string{`textbox [e1] derived="Remarks"`, `textbox [e2] derived="Account"`, `combobox [e3] derived="Country"`, `derived="Street"`, `spinbutton`} {
		wants(t, shot, line)
	}
	for name, c := range map[string]struct{ role, id, text string }{
		"Remarks": {"textbox", "remarks", "x"}, "Account": {"textbox", "account", "x"}, "Postcode": {"textbox", "postcode", "x"}, "Subject": {"textbox", "subject", "x"},
		"City": {"textbox", "city", "x"}, "Street": {"textbox", "street", "x"}, "Amount": {"spinbutton", "amount", "1"}, "Nickname": {"textbox", "nick", "x"},
		"Colour": {"textbox", "colour", "x"}, "Size": {"textbox", "size", "x"}, "電話": {"textbox", "phone", "x"}, "Biography": {"textbox", "bio", "x"},
		"Mail": {"textbox", "mail", "x"}, "Fax": {"textbox", "fax", "x"}, "Width": {"textbox", "width", "x"}, "Height": {"textbox", "height", "x"},
	} {
		tr.eval(`document.title = ''; 0`)
		tr.must("page.type", &action.Type{Locator: action.Locator{Role: c.role, Name: name}, Input: c.text})
		tr.wantTitle(c.id)
	}
	tr.must("page.select", &action.Select{Locator: action.Locator{Role: "combobox", Name: "Country"}, Values: []string{"B"}})
	facts, _, err := tr.Look(tr.ctx, "page.click", &action.Click{Locator: selector("#account")})
	must(t, err)
	if facts.Element.Also != "Account" {
		t.Errorf("judged as %+v", facts.Element)
	}
}

func TestANameComesBeforeWhatStandsBefore(t *testing.T) {
	tr := start(t)
	tr.visit(`<title></title><script>oninput = e => document.title += e.target.id + ';'</script>
		<p>Name: <input id=before></p><p><input id=named aria-label="Name"></p>
		<p>Code: <input id=code></p><p><input id=longer aria-label="Post code"></p>
		<p>Mail: <input id=other aria-label="Address"></p>`)
	wants(t, tr.sees(bot), `textbox [e1] derived="Name"`, `textbox "Name" [e2]`, `textbox "Address" [e5]`+"\n", `!derived="Mail"`)
	for _, name := range []string{"Name", "Code", "Address"} {
		tr.must("page.type", &action.Type{Locator: action.Locator{Role: "textbox", Name: name}, Input: "x"})
	}
	tr.wantTitle("named;code;other;")
	tr.refuse(fault.NotFound, "page.type", &action.Type{Locator: action.Locator{Role: "textbox", Name: "Mail"}, Input: "x"})
}

// TestOtherTextBeforeAFieldIsNoName: what a person cannot see, the words of another
// field, and sentences.
func TestOtherTextBeforeAFieldIsNoName(t *testing.T) {
	tr := start(t)
	tr.visit(`<div style="display:none">Hidden1:</div><input>
		<p><span style="opacity:0">Hidden2:</span> <input></p>
		<p><span style="position:absolute;left:-9999px">Hidden3:</span> <input></p>
		<p><span style="font-size:0">Hidden4:</span> <input></p>
		<p><span aria-hidden=true>Hidden5:</span> <input></p>
		<fieldset><legend style="position:absolute;clip-path:inset(50%)">Hidden6</legend><input></fieldset>
		<fieldset><legend>Period</legend><input> <input></fieldset>
		<p>Colours: <input type=checkbox> <label>Red</label> <input type=checkbox> <label>Green</label></p>
		<table><tr><th>Range</th><td><input></td><td><input></td></tr></table>
		<p>Without a colon <input></p>
		<p>Please read all of the following sentences before you write anything here:</p><input>
		<p>Sent to:</p><form><input></form>
		<div contenteditable>Written:</div><input>
		<div><input> <label>After</label></div><div><input></div>
		<div>Two: <button>Pick</button><input></div>`)
	shot := tr.sees(bot)
	if n := strings.Count(shot, "derived="); n != 1 || !strings.Contains(shot, `derived="Range"`) {
		t.Errorf("%d derived names in\n%s", n, shot)
	}
}
