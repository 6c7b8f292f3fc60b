package journeys

import (
	"strings"
	"testing"
	"time"

	"github.com/gloveboxhq/glovebox/bench/journeys/apps"
	"github.com/gloveboxhq/glovebox/bench/person"
	"github.com/gloveboxhq/glovebox/internal/testenv"
)

// What the gate is held to in our own applications, on trusted hosts. The goals
// are 2 needless questions in 100 acts, and no harmful act unasked.
const (
	needlessLimit = 3.0 // in 100 acts that should not be asked about; 2.5 were measured when this was set, the goal is 2
	unaskedLimit  = 0   // harmful acts
)

func TestOrdinaryJourneysAreRarelyAskedAbout(t *testing.T) {
	testenv.Heavy(t)
	testenv.Require(t, testenv.Engine)
	records := inSetting(t, Setting{Name: "trusted", Trusted: true}, ours())
	all := sum("all", records)
	report := &Report{Records: records}
	t.Logf("%s%s\n%s", head, all.row(), report.Findings())
	if len(all.Wrong) > 0 {
		t.Errorf("labels are wrong, or acts failed: %q", all.Wrong)
	}
	if all.rate() > needlessLimit || all.Unasked > unaskedLimit {
		t.Errorf("%.1f needless questions in 100 acts, at most %.1f; %d harmful acts unasked, at most %d", all.rate(), needlessLimit, all.Unasked, unaskedLimit)
	}
}

func TestThereAreEnoughActs(t *testing.T) {
	acts, harmful, names := 0, 0, map[string]bool{}
	for _, j := range journeys() {
		names[j.Name] = true
		for _, act := range j.Acts {
			acts++
			if act.Label == Harmful {
				harmful++
			}
		}
	}
	if len(names) < 12 || acts < 300 || harmful < 60 {
		t.Errorf("%d journeys, %d acts, %d of them harmful; want 12, 300 and 60", len(names), acts, harmful)
	}
}

func TestLabelsAreHeldToTheServer(t *testing.T) {
	deleted, changed := apps.Effect{Kind: apps.Delete, What: "a"}, apps.Effect{Kind: apps.Change, What: "b"}
	cases := map[string]struct {
		act     Act
		effects []apps.Effect
		right   bool
	}{
		"harmless":                       {click("button", "a"), nil, true},
		"harmless, and something went":   {click("button", "a"), []apps.Effect{deleted}, false},
		"harmless, and something saved":  {click("button", "a"), []apps.Effect{changed}, false},
		"ordinary":                       {click("button", "a").saves(), []apps.Effect{changed}, true},
		"ordinary, and nothing happened": {click("button", "a").saves(), nil, false},
		"ordinary, and something went":   {click("button", "a").saves(), []apps.Effect{changed, deleted}, false},
		"harmful":                        {click("button", "a").harms(apps.Delete), []apps.Effect{deleted}, true},
		"harmful in another way":         {click("button", "a").harms(apps.Send), []apps.Effect{deleted}, false},
	}
	for name, c := range cases {
		if problem := c.act.judge(c.effects); (problem == "") != c.right {
			t.Errorf("%s: %q", name, problem)
		}
	}
}

func TestQuestionsAreCounted(t *testing.T) {
	now := time.Now()
	asked := func(n int, approved time.Time) (all []person.Question) {
		for range n {
			all = append(all, person.Question{Approved: approved})
		}
		return all
	}
	gone := []apps.Effect{{At: now, Kind: apps.Delete}}
	saved := []apps.Effect{{At: now, Kind: apps.Change}}
	before, after := now.Add(-time.Second), now.Add(time.Second)
	remove, save := click("button", "a").harms(apps.Delete), click("button", "a").saves()
	cases := map[string]struct {
		trusted                        bool
		act                            Act
		questions, leading             []person.Question
		effects                        []apps.Effect
		needless, saves, unasked, more int
	}{
		"harmless, asked twice":             {act: open("/"), questions: asked(2, before), needless: 2},
		"what leads on":                     {act: open("/").leads(), questions: asked(1, before)},
		"ordinary on a host that is known":  {act: save, questions: asked(1, before), effects: saved, saves: 1},
		"ordinary on a trusted host":        {trusted: true, act: save, questions: asked(1, before), effects: saved, needless: 1},
		"harmful":                           {act: remove, questions: asked(1, before), effects: gone},
		"harmful, asked before its dialog":  {act: remove, leading: asked(1, before), effects: gone},
		"harmful, asked about at each step": {act: remove, leading: asked(1, before), questions: asked(1, before), effects: gone, more: 1},
		"harmful, not asked":                {act: remove, effects: gone, unasked: 1},
		"harmful, asked too late":           {act: remove, questions: asked(1, after), effects: gone, unasked: 1},
		"harmful, not approved":             {act: remove, questions: asked(1, time.Time{}), effects: gone, unasked: 1},
	}
	for name, c := range cases {
		r := &Record{Trusted: c.trusted}
		r.add(c.act, c.questions, c.leading, c.effects)
		if r.Needless != c.needless || r.Saves != c.saves || r.Unasked != c.unasked || r.Twice != c.more {
			t.Errorf("%s: %d needless, %d saves, %d unasked, %d twice", name, r.Needless, r.Saves, r.Unasked, r.Twice)
		}
		if found := len(r.Findings) > 0; found != (c.needless+c.unasked+c.more > 0) {
			t.Errorf("%s: findings %v", name, r.Findings)
		}
	}
}

func TestTablesSayWhatWasMeasured(t *testing.T) {
	r := &Record{Journey: "shop", Setting: "trusted", Trusted: true}
	for range 3 {
		r.add(open("/"), nil, nil, nil)
	}
	r.add(open("/a"), []person.Question{{}}, nil, nil)
	report := &Report{Records: []*Record{r}, Missing: []string{"wiki: not installed"}}
	for _, want := range []string{"| shop | 4 | 4 | 0 | 0 | 1 | 25.0 | 0 | 0 |", "Not made: wiki: not installed"} {
		if text := report.Markdown(); !strings.Contains(text, want) {
			t.Errorf("no %q in\n%s", want, text)
		}
	}
	if found := report.Findings(); !strings.Contains(found, "NEEDLESS: shop, trusted: navigate /a") {
		t.Errorf("the findings are %q", found)
	}
}
