package action_test

import (
	"cmp"
	"regexp"
	"testing"

	"github.com/gloveboxhq/glovebox/internal/action"
)

func TestAScrapeThatGoesSomewhereIsAWrite(t *testing.T) {
	v, _ := action.Lookup("page.scrape")
	for _, args := range []any{nil, (*action.Scrape)(nil), &action.Scrape{}, &action.Goto{URL: "x"}} {
		if v.As(args) != v {
			t.Errorf("%+v is not a read", args)
		}
	}
	if w := v.As(&action.Scrape{URL: "x"}); w.Class != action.Write || !w.Counts || v.Class != action.Read || v.Counts {
		t.Errorf("as a navigation %+v, the row %+v", w, v)
	}
}

func TestHeadersAreRawAccess(t *testing.T) {
	for name, args := range map[string][2]any{
		"page.har":     {&action.ExportHAR{}, &action.ExportHAR{Headers: true}},
		"page.network": {&action.ReadNetwork{Limit: 5}, &action.ReadNetwork{Headers: true}},
	} {
		v, _ := action.Lookup(name)
		if plain, raw := v.As(args[0]), v.As(args[1]); plain.Class != action.Read || raw.Class != action.Raw || raw.Risk != action.High || v.Class != action.Read {
			t.Errorf("%s is %+v, with headers %+v", name, plain, raw)
		}
	}
}

func TestEveryRowIsComplete(t *testing.T) {
	name := regexp.MustCompile(`^[a-z]+\.[a-z_]+$`)
	seen := map[string]string{}
	for _, v := range action.Verbs {
		if !name.MatchString(v.Name) || v.Summary == "" || v.NewArgs == nil || v.NewData == nil {
			t.Errorf("%s is incomplete", v.Name)
		}
		if v.Class.String() == "invalid" || v.Risk == 0 {
			t.Errorf("%s has no class or risk", v.Name)
		}
		if v.Counts && v.Class != action.Write {
			t.Errorf("%s counts as an action but is of class %s", v.Name, v.Class)
		}
		if v.Inner != (v.Path == "") || v.Inner && v.Tool+v.Command+v.Method != "" {
			t.Errorf("%s is half offered", v.Name)
		}
		for _, key := range []string{v.Name, v.Method + " " + cmp.Or(v.Path, v.Name)} {
			if other, taken := seen[key]; taken {
				t.Errorf("%s and %s share %q", v.Name, other, key)
			}
			seen[key] = v.Name
		}
	}
}

func TestZeroValuesRefuse(t *testing.T) {
	if action.Risk(0).String() != "CRITICAL" {
		t.Error("an unjudged risk is not the highest")
	}
	if action.Class(0).String() != "invalid" {
		t.Error("a verb without a class has a valid one")
	}
	if _, found := action.Lookup("page.fly"); found {
		t.Error("an unknown verb was found")
	}
}
