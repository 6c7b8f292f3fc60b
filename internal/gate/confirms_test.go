package gate

import "testing"

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
		if got := confirms(app+c.form, c.fields, app+c.link); got != c.want {
			t.Errorf("%s: %t, want %t", name, got, c.want)
		}
	}
	if confirms("", nil, "") {
		t.Error("a form without an address confirms a link without one")
	}
}
