package e2e

import (
	"context"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"

	"github.com/gloveboxhq/glovebox/internal/action"
	"github.com/gloveboxhq/glovebox/internal/testwait"
)

const scripts = "testdata/script"

// TestScripts runs the command line as it is documented: each file is a
// dialogue with one gateway, in a scope of its own.
func TestScripts(t *testing.T) {
	files, err := filepath.Glob(scripts + "/*.txtar")
	if err != nil || len(files) == 0 {
		t.Fatal("no scripts", err)
	}
	var entries, scopes []string
	for _, file := range files {
		scope := strings.TrimSuffix(filepath.Base(file), ".txtar")
		scopes = append(scopes, scope)
		for _, role := range []string{"operator", "agent"} {
			entries = append(entries, fmt.Sprintf("{name: %s-%s, role: %s, scope: %s, sha256: %x}",
				scope, role, role, scope, sha256.Sum256([]byte(secret(scope, role)))))
		}
	}
	g := start(t, settings{tokens: strings.Join(entries, ", ")})
	t.Run("Files", func(t *testing.T) {
		testscript.Run(t, testscript.Params{
			Dir: scripts, RequireExplicitExec: true,
			Setup: func(env *testscript.Env) error {
				scope := strings.TrimPrefix(filepath.Base(env.WorkDir), "script-")
				for _, name := range []string{"DOCKER_HOST", "DOCKER_CONTEXT"} {
					env.Setenv(name, os.Getenv(name))
				}
				env.Setenv("PATH", filepath.Dir(binary)+":"+env.Getenv("PATH"))
				env.Setenv("TMPDIR", os.TempDir()) // short: sockets have paths of at most 108 bytes
				env.Setenv("GLOVEBOX_CONFIG", g.config)
				env.Setenv("GLOVEBOX_TOKEN", secret(scope, "operator"))
				env.Setenv("AGENT", secret(scope, "agent"))
				env.Setenv("SITE", g.site)
				return nil
			},
			Cmds: map[string]func(*testscript.TestScript, bool, []string){
				"exits": exits, "ref": refCommand, "question": questionCommand(testwait.Context(t)), "json": jsonCommand,
			},
		})
	})
	if t.Failed() {
		return // a script that failed leaves its session
	}
	g.settled(t)
	for _, scope := range scopes {
		g.operator = g.client(secret(scope, "operator"))
		g.trailHolds(t)
	}
}

func secret(scope, role string) string { return "token-of-the-" + role + "-of-" + scope }

// exits runs a command that must end with a status: exits 5 glovebox click e1
func exits(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 2 {
		ts.Fatalf("usage: exits status command args...")
	}
	want, err := strconv.Atoi(args[0])
	ts.Check(err)
	var exit *exec.ExitError
	got := 0
	if err := ts.Exec(args[1], args[2:]...); errors.As(err, &exit) {
		got = exit.ExitCode()
	} else {
		ts.Check(err)
	}
	if got != want {
		ts.Fatalf("exit status %d, want %d", got, want)
	}
}

// refCommand sets a variable to the reference of the first line of the
// snapshot just printed that holds a text: ref SAVE 'button "Save"'
func refCommand(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 2 {
		ts.Fatalf("usage: ref VARIABLE text")
	}
	found := regexp.MustCompile(regexp.QuoteMeta(args[1]) + `.*?\[(e\d+)\]`).FindStringSubmatch(ts.ReadFile("stdout"))
	if found == nil {
		ts.Fatalf("no line with %q has a reference", args[1])
	}
	ts.Setenv(args[0], found[1])
}

// questionCommand waits for a question and sets a variable to its id:
// question ID
func questionCommand(ctx context.Context) func(*testscript.TestScript, bool, []string) {
	return func(ts *testscript.TestScript, neg bool, args []string) {
		if neg || len(args) != 1 {
			ts.Fatalf("usage: question VARIABLE")
		}
		for again(ctx) {
			ts.Check(ts.Exec("glovebox", "approvals", "list", "--json"))
			var result struct{ Data action.QuestionListing }
			ts.Check(json.Unmarshal([]byte(ts.ReadFile("stdout")), &result))
			if len(result.Data.Questions) > 0 {
				ts.Setenv(args[0], result.Data.Questions[0].ID)
				return
			}
		}
		ts.Fatalf("nobody asks")
	}
}

// jsonCommand compares a place in the JSON just printed with a pattern, and
// may keep it in a variable: json data.state open; json session .+ ID
func jsonCommand(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 2 || len(args) > 3 {
		ts.Fatalf("usage: json path pattern [VARIABLE]")
	}
	var value any
	ts.Check(json.Unmarshal([]byte(ts.ReadFile("stdout")), &value))
	for key := range strings.SplitSeq(args[0], ".") {
		switch v := value.(type) {
		case map[string]any:
			value = v[key]
		case []any:
			n, err := strconv.Atoi(key)
			ts.Check(err)
			if n >= len(v) {
				ts.Fatalf("%s: only %d items", args[0], len(v))
			}
			value = v[n]
		default:
			ts.Fatalf("%s: nothing there", args[0])
		}
	}
	text := fmt.Sprint(value)
	if !regexp.MustCompile("^(?:" + args[1] + ")$").MatchString(text) {
		ts.Fatalf("%s is %q, want %s", args[0], text, args[1])
	}
	if len(args) == 3 {
		ts.Setenv(args[2], text)
	}
}
