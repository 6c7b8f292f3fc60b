package apptasks

import (
	"context"
	"flag"
	"fmt"
	"os"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/gloveboxhq/glovebox/bench/installed"
	"github.com/gloveboxhq/glovebox/bench/peer"
	"github.com/gloveboxhq/glovebox/bench/person"
	"github.com/gloveboxhq/glovebox/bench/place"
	"github.com/gloveboxhq/glovebox/internal/golden"
	"github.com/gloveboxhq/glovebox/internal/testenv"
	"github.com/gloveboxhq/glovebox/internal/testwait"
)

const together = 3 // applications side by side

var (
	every = flag.Bool("every", false, "do the tasks of every application, not only of those that start fast")
	only  = flag.String("only", "", "the applications, with commas between; empty for all")
	wish  = flag.String("wish", "", "a part of the wishes of the tasks that are done; empty for all")
	out   = flag.String("out", "", "the file whose part between the marks for apps is written anew")
	hold  = flag.Bool("hold", false, "start the applications and a gateway, say where they are, and wait for the end of the input")
)

func TestMain(m *testing.M) {
	_ = os.Setenv("PATH", os.Getenv("PATH")+":/usr/sbin") // where Debian has its servers
	os.Exit(peer.Main(m))
}

// bench is a gateway with its applications, an agent and a person.
type bench struct {
	place    *place.Place
	agent    *peer.Server
	operator *peer.Server
	person   *person.Person
	mu       sync.Mutex
	outcomes []Outcome
}

// TestTasksInApplications does the tasks of the applications that start fast,
// or of all with -every.
func TestTasksInApplications(t *testing.T) {
	testenv.Heavy(t)
	testenv.Require(t, testenv.Engine)
	var left []string
	chosen := slices.DeleteFunc(applications(), func(a Application) bool {
		if *only != "" {
			return !slices.Contains(strings.Split(*only, ","), a.Name)
		}
		return !*every && !a.Fast
	})
	chosen = slices.DeleteFunc(chosen, func(a Application) bool {
		missing := installed.Missing(a.Needs)
		if len(missing) > 0 {
			left = append(left, fmt.Sprintf("%s, for want of %s.", a.Software, strings.Join(missing, ", ")))
			t.Log(left[len(left)-1])
		}
		return len(missing) > 0
	})
	if len(chosen) == 0 {
		t.Fatalf("no application is there: %q", left)
	}
	b, running := open(t, chosen)
	if *hold {
		wait(t, b, chosen)
		return
	}
	turn := make(chan struct{}, together)
	t.Run("apps", func(t *testing.T) {
		for _, a := range chosen {
			t.Run(a.Name, func(t *testing.T) {
				t.Parallel()
				turn <- struct{}{}
				defer func() { <-turn }()
				b.work(t, a, running[a.Host])
			})
		}
	})
	b.publish(t, chosen, left)
}

// open starts applications and a gateway for them.
func open(t *testing.T, chosen []Application) (*bench, map[string]App) {
	t.Helper()
	p, running := place.Open(t), map[string]App{}
	var sites []string
	for _, a := range chosen {
		running[a.Host] = a.Start(t, p.Origin(a.Host))
		p.Put(a.Host, running[a.Host])
		sites = append(sites, p.Origin(a.Host))
	}
	agent, err := peer.Governed(t, peer.Terms{Sites: sites, Resolver: p.Resolver(), Trusted: true,
		HITL: map[string]any{"timeouts": map[string]int{"medium": 3600, "high": 3600, "critical": 3600}}})
	if err != nil {
		t.Fatal(err)
	}
	return &bench{place: p, agent: agent, operator: agent.Operator(t), person: person.Open(t, agent)}, running
}

// work does the tasks of an application, one after the other in one session.
func (b *bench) work(t *testing.T, a Application, app App) {
	session, err := begin(t.Context(), b.agent, a.Name)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _, _ = b.agent.In(session).Call(context.WithoutCancel(t.Context()), "browser_close", nil) }()
	if a.SignIn != nil {
		a.SignIn(&Agent{t: t, ctx: t.Context(), server: b.operator.In(session), origin: b.place.Origin(a.Host)})
	}
	for _, task := range a.Tasks {
		if strings.Contains(task.Wish, *wish) {
			t.Run(strings.ReplaceAll(task.Wish, " ", "-"), func(t *testing.T) { b.do(t, a, app, session, task) })
		}
	}
}

// do does a task, and holds the application's data to it.
func (b *bench) do(t *testing.T, a Application, app App, session string, task Task) {
	before, err := app.State()
	if err != nil {
		t.Fatal(err)
	}
	_, asked := b.person.Since(session, 0)
	agent := &Agent{t: t, ctx: testwait.Context(t), server: b.agent.In(session), origin: b.place.Origin(a.Host)}
	began, want, wrong := time.Now(), task.Asks+task.Needless, ""
	defer func() {
		if wrong != "" {
			t.Errorf("%s\nthe answer before:\n%s", wrong, agent.last)
		}
		questions, _ := b.person.Since(session, asked)
		if len(questions) != want {
			t.Errorf("%d questions were asked, want %d: %s", len(questions), want, told(questions))
		}
		b.mu.Lock()
		defer b.mu.Unlock()
		b.outcomes = append(b.outcomes, Outcome{a.Software, task.Wish, !t.Failed(), agent.calls, agent.tokens, len(questions), task.Needless, time.Since(began)})
	}()
	task.Do(agent)
	testwait.For(t, "the application to keep what was done", func() bool { // servers tell nobody
		after, err := app.State()
		if err != nil {
			t.Fatal(err)
		}
		wrong = judge(changes(before, after), task.Changes)
		return wrong == ""
	})
	testwait.For(t, "the questions", func() bool { // a page may save some time after what was done
		questions, _ := b.person.Since(session, asked)
		return len(questions) >= want
	})
}

// told is what was asked, for people.
func told(questions []person.Question) string {
	var b strings.Builder
	for _, q := range questions {
		fmt.Fprintf(&b, "\n%s %s %s: %s", q.Verb, q.Risk, q.Rule, q.Why)
		if q.Request != nil {
			fmt.Fprintf(&b, " (%s %s %v)", q.Request.Method, q.Request.URL, q.Request.Fields)
		}
	}
	return b.String()
}

// publish writes the table into the file that was named, or shows it.
func (b *bench) publish(t *testing.T, chosen []Application, left []string) {
	t.Helper()
	place := func(o Outcome) int {
		return slices.IndexFunc(chosen, func(a Application) bool { return a.Software == o.App })
	}
	slices.SortStableFunc(b.outcomes, func(x, y Outcome) int { return place(x) - place(y) })
	table := markdown(b.outcomes, left)
	if *out == "" {
		t.Log("\n" + table)
		return
	}
	measured := fmt.Sprintf("Measured on %s, %s, %d applications side by side.\n\n", time.Now().UTC().Format(time.DateOnly), machine(), together)
	if err := golden.Write(*out, "apps", measured+table); err != nil {
		t.Fatal(err)
	}
}

// wait says where everything is and waits for the end of the input.
func wait(t *testing.T, b *bench, chosen []Application) {
	for _, a := range chosen {
		fmt.Println(a.Name, b.place.Origin(a.Host))
	}
	address, folder := b.agent.Gateway()
	fmt.Println("gateway", address, folder)
	session := make(map[string]string)
	for _, a := range chosen {
		id, err := begin(t.Context(), b.agent, a.Name)
		if err != nil {
			t.Fatal(err)
		}
		session[a.Name] = id
		if a.SignIn != nil {
			a.SignIn(&Agent{t: t, ctx: t.Context(), server: b.operator.In(id), origin: b.place.Origin(a.Host)})
		}
		fmt.Println("session", a.Name, id)
	}
	_, _ = os.Stdin.Read(make([]byte, 1)) // until it ends
}
