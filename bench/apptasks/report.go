package apptasks

import (
	"fmt"
	"os"
	"runtime"
	"strings"
	"time"
)

// Outcome is what came of a task.
type Outcome struct {
	App, Wish     string
	Done          bool
	Calls, Tokens int
	Questions     int
	Needless      int // of them
	Took          time.Duration
}

// markdown is a table of outcomes, and what was left out.
func markdown(all []Outcome, left []string) string {
	var b strings.Builder
	b.WriteString("| application | task | done | calls | tokens | questions | needless | seconds |\n|---|---|---|---|---|---|---|---|\n")
	var sum Outcome
	done := 0
	for _, o := range all {
		word := "**no**"
		if o.Done {
			word, done = "yes", done+1
		}
		fmt.Fprintf(&b, "| %s | %s | %s | %d | %d | %d | %d | %.1f |\n", o.App, o.Wish, word, o.Calls, o.Tokens, o.Questions, o.Needless, o.Took.Seconds())
		sum.Calls, sum.Tokens, sum.Questions, sum.Needless, sum.Took = sum.Calls+o.Calls, sum.Tokens+o.Tokens, sum.Questions+o.Questions, sum.Needless+o.Needless, sum.Took+o.Took
	}
	fmt.Fprintf(&b, "| all | %d | %d | %d | %d | %d | %d | %.1f |\n", len(all), done, sum.Calls, sum.Tokens, sum.Questions, sum.Needless, sum.Took.Seconds())
	for _, name := range left {
		fmt.Fprintf(&b, "\nLeft out: %s\n", name)
	}
	return b.String()
}

// machine is the processor of this machine and how many cores it has.
func machine() string {
	text, _ := os.ReadFile("/proc/cpuinfo") // without it the cores are told
	_, name, _ := strings.Cut(string(text), "model name\t: ")
	name, _, _ = strings.Cut(name, "\n")
	return strings.TrimSpace(fmt.Sprintf("%d cores %s", runtime.NumCPU(), name))
}
