package injected_test

import (
	"strings"
	"testing"

	"github.com/gloveboxhq/glovebox/internal/browser/injected"
)

func TestProtectedValuesNeverLeaveThePage(t *testing.T) {
	p := blank(t)
	for _, html := range []string{
		`<input type=password value=S3CRET aria-label=f>`,
		`<input autocomplete=one-time-code value=S3CRET aria-label=f>`,
		`<input autocomplete="section-a cc-number" value=S3CRET aria-label=f>`,
		`<input autocomplete=cc-csc type=tel value=S3CRET aria-label=f>`,
		`<input name=cardNumber value=S3CRET aria-label=f>`,
		`<input id=otp_code value=S3CRET aria-label=f>`,
		`<label>Verification code <input value=S3CRET></label>`,
		`<input placeholder="Enter your PIN" value=S3CRET aria-label=f>`,
		`<input aria-label="API key" value=S3CRET>`,
		`<textarea name=private_key aria-label=f>S3CRET</textarea>`,
		`<input style="-webkit-text-security:disc" value=S3CRET aria-label=f>`,
		`<div contenteditable role=textbox style="-webkit-text-security:disc" aria-label=f>S3CRET</div>`,
		`<label>f <input type=password value=S3CRET></label>`,
		`<button>f <input type=password value=S3CRET></button>`,
		`<div id=x><input type=password value=S3CRET></div><p aria-labelledby=x role=heading>h</p>`,
	} {
		p.show(html)
		tree, err := p.frame.Snapshot(p.ctx, injected.SnapshotOptions{})
		must(t, err)
		out := flatten(t, tree)
		if strings.Contains(out, "S3CRET") {
			t.Errorf("%s leaks into %s", html, out)
		}
		if !strings.Contains(out, `"p":true`) {
			t.Errorf("%s is not marked as protected in %s", html, out)
		}
		for _, q := range []injected.Query{{Selector: "body *"}, {Selector: "input, textarea, [contenteditable]"}, {Role: "textbox"}, {Role: "heading"}} {
			if f := p.find(q); f.Facts != nil && (strings.Contains(f.Facts.Name+f.Facts.Label+f.Facts.Print, "S3CRET")) {
				t.Errorf("%s leaks into the facts %+v", html, f.Facts)
			}
		}
	}
}

// Words for secrets have other meanings too.
func TestFieldsThatOnlySoundSecretAreShown(t *testing.T) {
	p := blank(t)
	for _, html := range []string{
		`<label>PIN code <input name=pincode autocomplete=postal-code value=110001></label>`,
		`<label>Secret Santa partner <input name=santa value=110001></label>`,
		`<label>Library card number <input name=library_card_number value=110001></label>`,
		`<label>API key name <input id=apiKeyName value=110001></label>`,
		`<input aria-label="Map pin" value=110001>`,
		`<label>City <input role=combobox aria-expanded=false autocomplete="off new-password" value=110001></label>`,
		`<label>Find <input type=search autocomplete=new-password value=110001></label>`,
	} {
		p.show(html)
		tree, err := p.frame.Snapshot(p.ctx, injected.SnapshotOptions{})
		must(t, err)
		if out := flatten(t, tree); !strings.Contains(out, "110001") || strings.Contains(out, `"p":true`) {
			t.Errorf("%s is %s", html, out)
		}
	}
	for _, html := range []string{
		`<label>Library card number or card number <input value=S3CRET></label>`,
		`<label>Secret name and secret <input value=S3CRET></label>`,
		`<label>PIN code <input type=password autocomplete=postal-code value=S3CRET></label>`,
		`<label>PIN code <input value=S3CRET></label>`,
		`<label>Phrase <input autocomplete=new-password value=S3CRET></label>`,
		`<label>Code <input role=combobox aria-expanded=false autocomplete="new-password one-time-code" value=S3CRET></label>`,
	} {
		p.show(html)
		tree, err := p.frame.Snapshot(p.ctx, injected.SnapshotOptions{})
		must(t, err)
		if out := flatten(t, tree); strings.Contains(out, "S3CRET") {
			t.Errorf("%s is %s", html, out)
		}
	}
}

func TestAPasswordShownAsTextStaysProtected(t *testing.T) {
	p := open(t, `<input id=f type=password value=S3CRET aria-label=f><button onclick="f.type='text'">Show</button>`)
	p.page(`f.type = 'text'`)
	tree, err := p.frame.Snapshot(p.ctx, injected.SnapshotOptions{})
	must(t, err)
	if out := flatten(t, tree); strings.Contains(out, "S3CRET") || !strings.Contains(out, `"p":true`) {
		t.Errorf("the password is shown: %s", out)
	}
	p.page(`{const g = document.createElement('input'); g.type = 'password'; g.value = 'S3CRET'; document.body.append(g); setTimeout(() => g.type = 'text')}; new Promise(r => setTimeout(r, 5))`)
	tree, err = p.frame.Snapshot(p.ctx, injected.SnapshotOptions{})
	must(t, err)
	if out := flatten(t, tree); strings.Contains(out, "S3CRET") {
		t.Errorf("a password field made by script is shown: %s", out)
	}
}

func TestOrdinaryValuesAreShown(t *testing.T) {
	p := open(t, `<input name=email value=SHOWN1><input name=shipping value=SHOWN2><input name=pinterest value=SHOWN3>
<input autocomplete=name value=SHOWN4><select><option>SHOWN5</select><input type=range value=7 max=9><input name=spin value=SHOWN6>`)
	tree, err := p.frame.Snapshot(p.ctx, injected.SnapshotOptions{})
	must(t, err)
	out := flatten(t, tree)
	for _, want := range []string{"SHOWN1", "SHOWN2", "SHOWN3", "SHOWN4", "SHOWN5", "SHOWN6", `"v":"7"`} {
		if !strings.Contains(out, want) {
			t.Errorf("%s is not in %s", want, out)
		}
	}
}

func TestPasswordFieldsCanBeLeftOut(t *testing.T) {
	p := open(t, `<input type=password aria-label=Secret><input aria-label=Plain>`)
	tree, err := p.frame.Snapshot(p.ctx, injected.SnapshotOptions{ExcludePasswords: true})
	must(t, err)
	if out := flatten(t, tree); strings.Contains(out, "Secret") || !strings.Contains(out, "Plain") {
		t.Errorf("got %s", out)
	}
}

func TestTokensInAddressesAreMasked(t *testing.T) {
	p := open(t, `<a href="/a?token=abc123&page=2">a</a><a href="/reset/0123456789abcdef0123456789abcdef">b</a>
<a href="https://u:pw@example.com/#access_token=zzz">c</a><a href="/s?q=how-to-cook-2024-rice-well-in-a-pan">d</a><a href="javascript:steal('S3CRET')">e</a><a href="data:text/html,S3CRET">f</a>`)
	tree, err := p.frame.Snapshot(p.ctx, injected.SnapshotOptions{})
	must(t, err)
	out := flatten(t, tree)
	for _, secret := range []string{"abc123", "0123456789abcdef", "zzz", "pw@", "S3CRET"} {
		if strings.Contains(out, secret) {
			t.Errorf("%s is in %s", secret, out)
		}
	}
	if !strings.Contains(out, "page=2") || !strings.Contains(out, "how-to-cook-2024") {
		t.Errorf("too much is masked: %s", out)
	}
}
