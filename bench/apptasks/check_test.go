package apptasks

import (
	"strings"
	"testing"
	"time"
)

func TestDataAreHeldToWhatWasWishedAndNothingElse(t *testing.T) {
	before := "note a\nnote b\n"
	for name, c := range map[string]struct {
		after    string
		patterns []string
		wrong    string
	}{
		"as wished":              {"note a\nnote c\n", []string{`- note b`, `+ note \w`}, ""},
		"nothing came of it":     {before, []string{`+ note c`}, "the application has not: + note c"},
		"something else went":    {"note b\n", nil, "changed although nobody wished it: - note a"},
		"more came than wished":  {before + "note c\nnote c\n", []string{`+ note c`}, "changed although nobody wished it: + note c"},
		"a pattern is the whole": {before + "note cd\n", []string{`+ note c`}, "the application has not: + note c"},
	} {
		wrong := judge(changes(before, c.after), c.patterns)
		if c.wrong == "" && wrong != "" || !strings.Contains(wrong, c.wrong) {
			t.Errorf("%s: %q, want %q", name, wrong, c.wrong)
		}
	}
}

func TestEveryElementOfJSONIsALineOfData(t *testing.T) {
	got := changes(`{"name": "a", "devices": [{"id": 1}, {"id": 2}]}`, `{"name": "b", "devices": [{"id": 1}]}`)
	if want := `- .devices {"id":2}|- .name a|+ .name b`; strings.Join(got, "|") != want {
		t.Errorf("changes %q, want %s", got, want)
	}
}

func TestTheTableSaysWhatFailedAndWhatWasLeftOut(t *testing.T) {
	table := markdown([]Outcome{
		{App: "Wiki", Wish: "write a note", Done: true, Calls: 3, Tokens: 900, Questions: 2, Needless: 1, Took: 1500 * time.Millisecond},
		{App: "Wiki", Wish: "delete it", Calls: 1, Tokens: 10},
	}, []string{"Mail, for want of dovecot."})
	for _, want := range []string{
		"| Wiki | write a note | yes | 3 | 900 | 2 | 1 | 1.5 |", "| Wiki | delete it | **no** |", "| all | 2 | 1 | 4 | 910 | 2 | 1 | 1.5 |", "Left out: Mail, for want of dovecot.",
	} {
		if !strings.Contains(table, want) {
			t.Errorf("no %q in\n%s", want, table)
		}
	}
}

func TestThereAreTenApplicationsWithFiveTasksEach(t *testing.T) {
	all := applications()
	for _, a := range all {
		if len(a.Tasks) != 5 {
			t.Errorf("%s has %d tasks, want 5", a.Name, len(a.Tasks))
		}
	}
	if len(all) < 10 {
		t.Errorf("%d applications, want 10", len(all))
	}
}
