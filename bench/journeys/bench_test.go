package journeys

import (
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/gloveboxhq/glovebox/bench/installed"
	"github.com/gloveboxhq/glovebox/bench/peer"
	"github.com/gloveboxhq/glovebox/internal/golden"
)

var (
	only     = flag.String("only", "", "the journeys that are made, with commas between; all when empty")
	within   = flag.String("setting", "", "the setting; all when empty")
	out      = flag.String("out", "", "the file whose part between the marks for journeys is written anew")
	together = flag.Int("together", 3, "how many journeys are made side by side")
	pages    = flag.Bool("pages", false, "show the pages on which acts failed")
	findings = flag.String("findings", "", "the file that the acts that were asked about in vain, or not, are written to")
)

func TestMain(m *testing.M) {
	_ = os.Setenv("PATH", os.Getenv("PATH")+":/usr/sbin") // where Debian has its servers
	os.Exit(peer.Main(m))
}

// BenchmarkJourneys makes every journey in every setting.
func BenchmarkJourneys(b *testing.B) {
	report := &Report{}
	all := slices.DeleteFunc(chosen(), func(j Journey) bool {
		missing := installed.Missing(j.Needs)
		if len(missing) > 0 {
			report.Missing = append(report.Missing, fmt.Sprintf("%s, for want of %s.", j.Name, strings.Join(missing, ", ")))
		}
		return len(missing) > 0
	})
	for _, setting := range settings() {
		if *within != "" && *within != setting.Name {
			continue
		}
		report.Records = append(report.Records, inSetting(b, setting, all)...)
	}
	fmt.Println(report.Findings())
	for _, r := range report.Records {
		if *pages {
			fmt.Println(strings.Join(r.Pages, "\n"))
		}
	}
	publish(b, report)
	for _, r := range report.Records {
		if len(r.Wrong) > 0 {
			b.Errorf("%s, %s: %q", r.Journey, r.Setting, r.Wrong)
		}
	}
}

// chosen are the journeys that flags name.
func chosen() []Journey {
	return slices.DeleteFunc(journeys(), func(j Journey) bool {
		return *only != "" && !slices.Contains(strings.Split(*only, ","), j.Name)
	})
}

// inSetting makes journeys side by side.
func inSetting(tb testing.TB, setting Setting, all []Journey) []*Record {
	tb.Helper()
	d, err := openDesk(tb, setting, all)
	if err != nil {
		tb.Fatal(err)
	}
	records := make([]*Record, len(all))
	var group sync.WaitGroup
	turn := make(chan struct{}, *together)
	for i, j := range all {
		group.Go(func() {
			turn <- struct{}{}
			defer func() { <-turn }()
			records[i] = d.Do(tb.Context(), j)
			fmt.Fprintf(os.Stderr, "%s, %s: %s, %d questions, %d needless, %d unasked, %d wrong\n", j.Name, setting.Name,
				records[i].Took.Round(time.Millisecond), records[i].Questions, records[i].Needless, records[i].Unasked, len(records[i].Wrong))
		})
	}
	group.Wait()
	return records
}

// publish writes the tables and the findings into the files that were named,
// or shows them.
func publish(b *testing.B, report *Report) {
	b.Helper()
	if *findings != "" {
		text := []byte(report.Findings())
		if strings.HasSuffix(*findings, ".json") {
			text, _ = json.MarshalIndent(report, "", " ") // plain data
		}
		if err := os.WriteFile(*findings, text, 0o644); err != nil {
			b.Fatal(err)
		}
	}
	if *out == "" {
		fmt.Println(report.Markdown())
		return
	}
	measured := fmt.Sprintf("Measured on %s, %s, %d journeys side by side.\n\n", time.Now().UTC().Format(time.DateOnly), machine(), *together)
	if err := golden.Write(*out, "journeys", measured+report.Markdown()); err != nil {
		b.Fatal(err)
	}
}

// machine is the processor of this machine and how many cores it has.
func machine() string {
	text, _ := os.ReadFile("/proc/cpuinfo") // without it the cores are told
	_, name, _ := strings.Cut(string(text), "model name\t: ")
	name, _, _ = strings.Cut(name, "\n")
	return strings.TrimSpace(fmt.Sprintf("%d cores %s", runtime.NumCPU(), name))
}
