// Command testreport says at the end of a test run what failed and how to run it
// alone, which tests passed only at another try, which were slowest, and how long
// each package took. It reads the events that go test -json prints, from the file
// that it is given or from $GOTESTSUM_JSONFILE.
package main

import (
	"bufio"
	"cmp"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"os"
	"regexp"
	"slices"
	"strings"
)

const (
	module    = "github.com/gloveboxhq/glovebox"
	slowest   = 10      // tests that are listed
	lineLimit = 1 << 22 // bytes; a line of output can be long
)

func main() {
	path := os.Getenv("GOTESTSUM_JSONFILE")
	if len(os.Args) > 1 {
		path = os.Args[1]
	}
	file, err := os.Open(path)
	if err == nil {
		defer file.Close()
		err = report(os.Stdout, file)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "testreport:", err)
		os.Exit(1)
	}
}

// event is a line of go test -json; the names are those of cmd/test2json.
type event struct {
	Action, Package, Test string
	Elapsed               float64 // seconds
}

// key names a test, or a package if Test is empty.
type key struct{ Package, Test string }

// result is what became of a test or a package over all tries.
type result struct {
	key
	tries   int
	failed  int
	last    string  // the action of the last try: pass, fail or skip
	elapsed float64 // seconds, of the longest try
}

func report(to io.Writer, from io.Reader) error {
	results, err := read(from)
	if err != nil {
		return err
	}
	var tests, packages []*result
	for _, r := range results {
		if r.Test == "" {
			packages = append(packages, r)
		} else {
			tests = append(tests, r)
		}
	}
	bySlowness := func(a, b *result) int {
		return cmp.Or(cmp.Compare(b.elapsed, a.elapsed), cmp.Compare(a.Package+a.Test, b.Package+b.Test))
	}
	slices.SortFunc(tests, bySlowness)
	slices.SortFunc(packages, bySlowness)
	writePackages(to, packages)
	writeSlowest(to, tests)
	writeFlaky(to, tests)
	writeFailed(to, results)
	return nil
}

func read(from io.Reader) (map[key]*result, error) {
	results := map[key]*result{}
	lines := bufio.NewScanner(from)
	lines.Buffer(nil, lineLimit)
	for lines.Scan() {
		var e event
		if err := json.Unmarshal(lines.Bytes(), &e); err != nil {
			return nil, fmt.Errorf("not a line of go test -json: %w", err)
		}
		if e.Package == "" || !slices.Contains([]string{"pass", "fail", "skip"}, e.Action) {
			continue
		}
		k := key{e.Package, e.Test}
		r := results[k]
		if r == nil {
			r = &result{key: k}
			results[k] = r
		}
		r.tries++
		r.last = e.Action
		if e.Action == "fail" {
			r.failed++
		}
		r.elapsed = max(r.elapsed, e.Elapsed)
	}
	return results, lines.Err()
}

func writePackages(to io.Writer, packages []*result) {
	fmt.Fprintf(to, "\n=== Time of each package\n")
	quick, seconds := 0, 0.0
	for _, p := range packages {
		switch {
		case p.last == "skip": // it has no tests
		case p.elapsed < 1:
			quick++
			seconds += p.elapsed
		default:
			fmt.Fprintf(to, "%6.0f s  %s\n", p.elapsed, short(p.Package))
		}
	}
	fmt.Fprintf(to, "%6.0f s  %d others\n", seconds, quick)
}

func writeSlowest(to io.Writer, tests []*result) {
	fmt.Fprintf(to, "\n=== Slowest tests\n")
	left := slowest
	for _, t := range tests {
		if strings.Contains(t.Test, "/") || left == 0 { // the time of a part is in that of its test
			continue
		}
		left--
		fmt.Fprintf(to, "%6.1f s  %s %s\n", t.elapsed, short(t.Package), t.Test)
	}
}

// writeFlaky names the tests that failed and then passed. A test is tried again as a
// whole.
func writeFlaky(to io.Writer, tests []*result) {
	for _, t := range tests {
		if !strings.Contains(t.Test, "/") && t.failed > 0 && t.last != "fail" {
			fmt.Fprintf(to, "flaky: %s %s failed %d of %d times\n", short(t.Package), t.Test, t.failed, t.tries)
		}
	}
}

// writeFailed names the tests that failed at last, without those that failed
// because a part of them did, and the packages that failed by themselves.
func writeFailed(to io.Writer, results map[key]*result) {
	failed := map[key]bool{}
	for k, r := range results {
		switch {
		case r.last != "fail":
		case k.Test != "":
			failed[k] = true
		case r.tries == 1: // a package that is tried again is judged by its tests
			failed[k] = true
		}
	}
	within := map[key]bool{} // what failed only because something in it did
	for k := range failed {
		for _, whole := range wholes(k) {
			if r := results[whole]; whole.Test != "" && r != nil && r.last != "fail" { // it passed when it was tried again
				delete(failed, k)
			}
		}
		if failed[k] {
			for _, whole := range wholes(k) {
				within[whole] = true
			}
		}
	}
	maps.DeleteFunc(failed, func(k key, _ bool) bool { return within[k] })
	if len(failed) == 0 {
		return
	}
	fmt.Fprintf(to, "\n=== What failed, and how to run it alone\n")
	byName := func(a, b key) int { return cmp.Or(cmp.Compare(a.Package, b.Package), cmp.Compare(a.Test, b.Test)) }
	for _, k := range slices.SortedFunc(maps.Keys(failed), byName) {
		fmt.Fprintln(to, command(k))
	}
}

// wholes returns what a test is a part of: its package, its test, and parts of it.
func wholes(k key) []key {
	if k.Test == "" {
		return nil
	}
	all := []key{{k.Package, ""}}
	for i, c := range k.Test {
		if c == '/' {
			all = append(all, key{k.Package, k.Test[:i]})
		}
	}
	return all
}

// command returns the shell command that runs a test alone.
func command(k key) string {
	goTest, folder := "go test", "."+strings.TrimPrefix(k.Package, module)
	if within, inBench := strings.CutPrefix(k.Package, module+"/bench"); inBench { // a module of its own
		goTest, folder = "go -C bench test", "."+within
	}
	if k.Test == "" {
		return goTest + " -count=1 " + folder
	}
	var levels []string
	for level := range strings.SplitSeq(k.Test, "/") {
		levels = append(levels, "^"+regexp.QuoteMeta(level)+"$")
	}
	pattern := strings.ReplaceAll(strings.Join(levels, "/"), "'", `'\''`)
	return fmt.Sprintf("%s -count=1 -run '%s' %s", goTest, pattern, folder)
}

func short(path string) string {
	return strings.TrimPrefix(strings.TrimPrefix(path, module), "/")
}
