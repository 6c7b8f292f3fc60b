package bench

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"time"
)

const (
	rowSuggest    = "suggestions, after they were drawn"
	valSame       = "suggestions in the answer of the fill, of 5"
	suggestRounds = 5
)

var drawn = regexp.MustCompile(`Drawn at (\d{13})`)

// suggestions has everybody fill in a search box that asks for suggestions when nothing
// was written for 300 ms, in turns. It measures how long after their drawing the
// agent has read them, and counts whether the fill's own answer had them.
func (c *comparison) suggestions() {
	took, same := map[*target][]time.Duration{}, map[*target]int{}
	for round := range suggestRounds {
		for _, t := range c.here() {
			if t.notes[rowSuggest] != nil {
				continue
			}
			after, at, err := c.suggest(t.hand, fmt.Sprintf("round %d", round))
			if err != nil {
				c.failed(t, rowSuggest, err)
				continue
			}
			took[t] = append(took[t], after)
			if at {
				same[t]++
			}
		}
	}
	for t, all := range took {
		if t.notes[rowSuggest] != nil {
			continue
		}
		t.values[rowSuggest], t.values[valSame] = milliseconds(median(all)), float64(same[t])
		say("%-28s %-24s %8.1f ms, %d of %d in the same answer", rowSuggest, t.kind, t.values[rowSuggest], same[t], suggestRounds)
	}
}

// suggest fills in the search box. An agent that does not find the suggestions in
// the answer waits for one of them, and then looks.
func (c *comparison) suggest(h hand, words string) (after time.Duration, same bool, err error) {
	refs, err := c.at(h, "/suggest", [2]string{"textbox", "Search"})
	if err != nil {
		return 0, false, err
	}
	text, err := h.fill(refs[0], words)
	if err != nil {
		return 0, false, err
	}
	known, want := time.Now(), "Book 1 about "+words
	shown := func() bool { return strings.Contains(text, want) && drawn.MatchString(text) }
	if same = shown(); !same {
		if text, err = h.await(want); err != nil {
			return 0, false, err
		}
		if known = time.Now(); !shown() {
			if text, err = h.look(); err != nil {
				return 0, false, err
			}
			known = time.Now()
		}
	}
	if !shown() {
		return 0, false, fmt.Errorf("the suggestions are not in\n%s", text)
	}
	ms, _ := strconv.ParseInt(drawn.FindStringSubmatch(text)[1], 10, 64)
	return max(known.Sub(time.UnixMilli(ms)), time.Microsecond), same, nil
}
