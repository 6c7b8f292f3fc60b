package egress

import (
	"strconv"
	"testing"
	"time"

	"github.com/gloveboxhq/glovebox/internal/action"
)

func TestTheLastRefusalsAreStored(t *testing.T) {
	var g refusalLog
	for i := range maxRefusals + 7 {
		g.add(action.Refusal{Host: strconv.Itoa(i)})
	}
	all := g.list()
	if len(all) != maxRefusals || all[0].Host != "7" || all[maxRefusals-1].Host != strconv.Itoa(maxRefusals+6) {
		t.Errorf("%d refusals from %s to %s", len(all), all[0].Host, all[len(all)-1].Host)
	}
}

func TestTheSameRefusalIsReportedOncePerInterval(t *testing.T) {
	var g refusalLog
	now := time.Unix(1e9, 0)
	for i, c := range []struct {
		host  string
		after time.Duration
		news  bool
	}{{"a", 0, true}, {"a", time.Second, false}, {"b", time.Second, true}, {"a", reportInterval, true}, {"a", reportInterval + 1, false}} {
		if got := g.add(action.Refusal{Host: c.host, Reason: "r", Time: now.Add(c.after)}); got != c.news {
			t.Errorf("refusal %d is reported: %v", i, got)
		}
	}
}
