package arch

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// clockUses are functions of the standard library that make a test wait a fixed
// time, or end a wait after one. Tests wait with internal/testwait instead, or
// run on the clock of testing/synctest.
var clockUses = []string{
	"time.Sleep", "time.After", "time.AfterFunc", "time.NewTimer", "time.NewTicker", "time.Tick",
	"context.WithTimeout", "context.WithTimeoutCause", "context.WithDeadline", "context.WithDeadlineCause",
}

// clockMethods are methods of connections that do the same.
var clockMethods = []string{"SetDeadline", "SetReadDeadline", "SetWriteDeadline"}

// onRealTime are the functions of tests that may use the clock, and why. A key
// has the path of the file and the name of the function.
var onRealTime = map[string]string{
	"internal/browser/engine/channel_test.go TestAWebSocketOnASharedConnectionIsEnded":  "no event tells that an allowed channel stays open; a slow machine can only make it pass",
	"internal/testenv/testenv.go Engine":                                                "looks before any test runs; an engine that is not there refuses at once",
	"internal/surface/mcp/replay_test.go TestABrokenStreamIsTakenUpAndTheResultArrives": "no event tells that the stream has been resumed; a result that comes earlier passes too",
	"internal/gate/attack_test.go await":                                                "proves that an attack has no effect, which no event tells; a slow machine can only make it pass",
	"internal/browser/engine/lying_test.go TestNothingIsFetchedAheadUnjudged":           "no event tells that a page is not rendered ahead; a slow machine can only make it pass",
	"internal/browser/engine/lying_test.go TestAHistoryThatPostsAgainIsJudgedAgain":     "no event tells that going back does not post again; a slow machine can only make it pass",
	"e2e/channel_test.go TestSpeculationRulesOfAPageFetchNothing":                       "proves that nothing comes, which no event tells; a slow machine can only make it pass",
	"e2e/hijacked_tries_test.go fromOwnPage":                                            "gives a hostile page time to try, of which no event tells the end; a slow machine can only make it pass",
	"e2e/freeze_test.go share":                                                          "measures the processor time of a frozen box over some seconds; a slow machine can only make it smaller",
	"e2e/leak_looks_test.go patiently":                                                  "comes again when the answer's Retry-After says so",
	"bench/frozen_test.go spends":                                                       "measures the processor time of a box over some seconds",
	"bench/timeline_test.go BenchmarkTimeline":                                          "lets the page come to rest before the click that is printed; nothing is asserted",
	"bench/limits_test.go compiles":                                                     "measures which boxes are too small: a lost worker says nothing, and counts as lost after a time",
	"bench/mcpparts_test.go press":                                                      "measures which presses of the compared servers arrive; one that is lost says nothing",
	"bench/mcp_test.go bounded":                                                         "a part measures what is done in a given time",
}

// TestNoTestDependsOnTheSpeedOfTheMachine refuses tests that wait a fixed time or
// assert that something took less than one. Functions that run in a bubble of
// testing/synctest, and those that only such functions use, are free to do both.
func TestNoTestDependsOnTheSpeedOfTheMachine(t *testing.T) {
	used := map[string]bool{}
	for folder, functions := range testFunctions(t) {
		synthetic := inBubbles(functions)
		for _, f := range functions {
			if synthetic[f.name] {
				continue
			}
			for _, found := range clock(f) {
				where := strings.TrimPrefix(filepath.ToSlash(filepath.Join(folder, f.file)), "../../") + " " + f.name
				if _, excepted := onRealTime[where]; excepted {
					used[where] = true
					continue
				}
				t.Errorf("%s:%d: %s", filepath.Join(folder, f.file), found.line, found.what)
			}
		}
	}
	for where, why := range onRealTime {
		if !used[where] || why == "" {
			t.Errorf("the exception of %s is not used, or has no reason", where)
		}
	}
}

// testFunction is a function of a test file, or of a package for tests.
type testFunction struct {
	file, name string
	uses       map[string]bool // the names that it mentions
	lines      *token.FileSet
	body       *ast.BlockStmt
}

// testFunctions reads the functions of all tests, by folder.
func testFunctions(t *testing.T) map[string][]testFunction {
	t.Helper()
	all := map[string][]testFunction{}
	lines := token.NewFileSet()
	for _, root := range []string{"../../internal", "../../cmd", "../../demo", "../../e2e", "../../bench"} {
		err := filepath.WalkDir(root, func(path string, entry fs.DirEntry, err error) error {
			if err != nil || entry.IsDir() || !strings.HasSuffix(path, ".go") {
				return err
			}
			folder := filepath.Dir(path)
			forTests := strings.HasSuffix(path, "_test.go") || strings.HasSuffix(folder, "test") || strings.HasPrefix(filepath.Base(folder), "test") || strings.HasPrefix(path, "../../e2e")
			if !forTests || folder == "../../internal/testwait" || slices.Contains(strings.Split(path, "/"), "testdata") {
				return nil
			}
			file, err := parser.ParseFile(lines, path, nil, parser.SkipObjectResolution)
			if err != nil {
				return err
			}
			for _, declaration := range file.Decls {
				f, isFunction := declaration.(*ast.FuncDecl)
				if isFunction && f.Body != nil {
					all[folder] = append(all[folder], testFunction{filepath.Base(path), f.Name.Name, mentions(f), lines, f.Body})
				}
			}
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	return all
}

func mentions(f *ast.FuncDecl) map[string]bool {
	names := map[string]bool{}
	ast.Inspect(f.Body, func(n ast.Node) bool {
		if name, ok := n.(*ast.Ident); ok {
			names[name.Name] = true
		}
		return true
	})
	return names
}

// inBubbles returns the names of the functions that run on a synthetic clock:
// they start a bubble, or are mentioned by such functions alone.
func inBubbles(functions []testFunction) map[string]bool {
	synthetic := map[string]bool{}
	for _, f := range functions {
		if f.uses["synctest"] || f.uses["inBubble"] { // inBubble runs a function in a bubble
			synthetic[f.name] = true
		}
	}
	for grows := true; grows; {
		grows = false
		for _, f := range functions {
			if synthetic[f.name] {
				continue
			}
			users, onlySynthetic := 0, true
			for _, other := range functions {
				if other.uses[f.name] && other.name != f.name {
					users++
					onlySynthetic = onlySynthetic && synthetic[other.name]
				}
			}
			if users > 0 && onlySynthetic {
				synthetic[f.name], grows = true, true
			}
		}
	}
	return synthetic
}

// finding is a line that uses the clock, and what is wrong with it.
type finding struct {
	line int
	what string
}

func clock(f testFunction) []finding {
	var found []finding
	add := func(n ast.Node, format string, arguments ...any) {
		found = append(found, finding{f.lines.Position(n.Pos()).Line, fmt.Sprintf(format, arguments...)})
	}
	elapsed := map[string]bool{} // variables that hold an elapsed time
	ast.Inspect(f.body, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.AssignStmt:
			for i, value := range n.Rhs {
				if name, ok := n.Lhs[i].(*ast.Ident); ok && isElapsed(value, elapsed) {
					elapsed[name.Name] = true
				}
			}
		case *ast.CallExpr:
			called, ok := n.Fun.(*ast.SelectorExpr)
			if !ok {
				break
			}
			if of, ok := called.X.(*ast.Ident); ok && slices.Contains(clockUses, of.Name+"."+called.Sel.Name) {
				add(n, "%s.%s: wait for the event, with internal/testwait", of.Name, called.Sel.Name)
			}
			if slices.Contains(clockMethods, called.Sel.Name) && len(n.Args) == 1 && isCall(n.Args[0]) {
				add(n, "%s: use the time that testwait.Deadline returns", called.Sel.Name)
			}
		case *ast.BinaryExpr:
			larger, comparison := n.X, n.Op
			if comparison == token.LSS || comparison == token.LEQ {
				larger = n.Y
			}
			if slices.Contains([]token.Token{token.GTR, token.GEQ, token.LSS, token.LEQ}, comparison) && isElapsed(larger, elapsed) {
				add(n, "an upper bound of an elapsed time: it measures the machine")
			}
		}
		return true
	})
	return found
}

// isElapsed reports whether an expression is time.Since(…), or a variable that
// holds it.
func isElapsed(e ast.Expr, elapsed map[string]bool) bool {
	switch e := e.(type) {
	case *ast.Ident:
		return elapsed[e.Name]
	case *ast.CallExpr:
		called, ok := e.Fun.(*ast.SelectorExpr)
		if !ok {
			return false
		}
		if of, ok := called.X.(*ast.Ident); ok && of.Name == "time" && called.Sel.Name == "Since" {
			return true
		}
		return isElapsed(called.X, elapsed) // time.Since(…).Round(…)
	}
	return false
}

func isCall(e ast.Expr) bool {
	_, ok := e.(*ast.CallExpr)
	return ok
}
