package gate

import (
	"slices"
	"testing"
)

// TestAConfirmationIsOfTheApprovedLink checks which forms count as the confirmation that a
// link asks for: those that go to its address with its parameters.
func TestAConfirmationIsOfTheApprovedLink(t *testing.T) {
	const app = "https://app.example"
	for name, c := range map[string]struct {
		link, form string
		fields     [][2]string
		want       bool
	}{
		"the same path":            {link: "/items/5/delete", form: "/items/5/delete", fields: [][2]string{{"post", "yes"}}, want: true},
		"the same parameters":      {link: "/do?op=delete&id=5", form: "/do?op=delete&id=5", want: true},
		"the parameters as fields": {link: "/do?op=delete&id=5", form: "/do", fields: [][2]string{{"id", "5"}, {"op", "delete"}}, want: true},
		"another item":             {link: "/do?op=delete&id=5", form: "/do?op=delete&id=6"},
		"another item as a field":  {link: "/do?op=delete&id=5", form: "/do", fields: [][2]string{{"id", "6"}, {"op", "delete"}}},
		"another act":              {link: "/do?op=trash&id=5", form: "/do?op=delete&id=5"},
		"no parameters":            {link: "/do?op=delete&id=5", form: "/do"},
		"another path":             {link: "/items/5/delete", form: "/items/6/delete"},
	} {
		if got := (allowedLink{address: app + c.link}).confirmedBy(app+c.form, c.fields); got != c.want {
			t.Errorf("%s: %t, want %t", name, got, c.want)
		}
	}
	if (allowedLink{}).confirmedBy("", nil) {
		t.Error("a form without an address confirms a link without one")
	}
}

// TestAFormConfirmsAnApprovedDeletion checks which forms count as the confirmation of a form
// that deletes: those that have its fields, and only a confirmation besides.
func TestAFormConfirmsAnApprovedDeletion(t *testing.T) {
	const address = "https://office.example/groups/"
	shown := allowedLink{address: address, posted: true, fields: [][2]string{{"action", "delete_selected"}, {"selected", "2"}, {"index", "0"}}}
	same := [][2]string{{"action", "delete_selected"}, {"selected", "2"}}
	for name, c := range map[string]struct {
		to   string
		more [][2]string
		want bool
	}{
		"a confirmation":            {address, [][2]string{{"post", "yes"}}, true},
		"with a new token":          {address, [][2]string{{"post", "yes"}, {"csrfmiddlewaretoken", "x1"}}, true},
		"nothing more":              {address, nil, false},
		"another item besides":      {address, [][2]string{{"post", "yes"}, {"selected", "3"}}, false},
		"an item called yes":        {address, [][2]string{{"selected", "yes"}}, false},
		"something else besides":    {address, [][2]string{{"post", "yes"}, {"notify", "everybody"}}, false},
		"to another address":        {address + "all", [][2]string{{"post", "yes"}}, false},
		"another item as parameter": {address + "?selected=3", [][2]string{{"post", "yes"}}, false},
	} {
		if got := shown.confirmedBy(c.to, slices.Concat(same, c.more)); got != c.want {
			t.Errorf("%s: %t, want %t", name, got, c.want)
		}
	}
	if shown.confirmedBy(address, [][2]string{{"action", "delete_selected"}, {"post", "yes"}}) {
		t.Error("a form without the item confirms its deletion")
	}
}
