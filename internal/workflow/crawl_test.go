package workflow_test

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"pgregory.net/rapid"

	"github.com/gloveboxhq/glovebox/internal/action"
	"github.com/gloveboxhq/glovebox/internal/fault"
	"github.com/gloveboxhq/glovebox/internal/testwait"
	"github.com/gloveboxhq/glovebox/internal/workflow"
)

// fakeWeb is a gate over pages in memory.
type fakeWeb struct {
	links    map[string][]string // of each address
	redirect map[string]string
	files    map[string]string // robots.txt and sitemaps
	status   map[string]int    // of files
	broken   map[string]error
	slow     map[string]time.Duration
	content  string
	hosts    []string
	meta     map[string]string // rel=canonical

	mu      sync.Mutex
	asked   []string
	at      []time.Time
	active  int
	most    int
	ended   int
	begun   int
	pending bool
	refused []string
}

func (w *fakeWeb) Call(ctx context.Context, c action.Call) (action.Result, error) {
	if err := action.Check(c.Args); err != nil {
		return action.Result{}, err
	}
	switch a := c.Args.(type) {
	case *action.Crawl:
		w.begun++
		if w.pending {
			return action.Result{Pending: &action.Pending{Approval: "q1"}}, nil
		}
		return action.Result{Session: "s1", Data: &action.CrawlOpened{ID: "c1", Start: a.URL, Hosts: w.hosts}}, nil
	case *action.CrawlFile:
		if body, ok := w.files[a.URL]; ok {
			return action.Result{Data: &action.CrawlFetched{Status: 200, Body: []byte(body)}}, nil
		}
		status := w.status[a.URL]
		if status == 0 {
			status = 404
		}
		return action.Result{Data: &action.CrawlFetched{Status: status}}, nil
	case *action.CrawlEnd:
		w.ended++
		return action.Result{}, ctx.Err()
	case *action.CrawlPage:
		return w.page(ctx, a.URL)
	}
	return action.Result{Data: "as it is"}, nil
}

func (w *fakeWeb) Refuse(_ context.Context, c action.Call, _ error) {
	w.refused = append(w.refused, c.Verb)
}

func TestAStepVerbFromACallerIsRefusedAndRecorded(t *testing.T) {
	w := &fakeWeb{}
	_, err := workflow.New(w, nil).Call(t.Context(), action.Call{Verb: "crawl.page", Args: &action.CrawlPage{}})
	if fault.CodeOf(err) != fault.UnknownAction || !slices.Equal(w.refused, []string{"crawl.page"}) {
		t.Errorf("%v, recorded %v", err, w.refused)
	}
}

func (w *fakeWeb) page(ctx context.Context, url string) (action.Result, error) {
	w.mu.Lock()
	w.asked, w.at = append(w.asked, url), append(w.at, time.Now())
	w.active++
	w.most = max(w.most, w.active)
	w.mu.Unlock()
	defer func() { w.mu.Lock(); w.active--; w.mu.Unlock() }()
	if wait := w.slow[url]; wait > 0 {
		if testwait.Latency(ctx, wait); ctx.Err() != nil {
			return action.Result{}, ctx.Err()
		}
	}
	if err := w.broken[url]; err != nil {
		return action.Result{}, err
	}
	v := &action.CrawlVisit{Page: action.CrawledPage{URL: url, Title: url, Status: 200, Content: w.content + url}, Leads: w.links[url], Canonical: w.meta[url]}
	if to := w.redirect[url]; to != "" {
		v.Redirect = to
	}
	return action.Result{Data: v}, nil
}

const a = "https://a.example"

func run(t testing.TB, w *fakeWeb, args action.Crawl) action.Crawled {
	t.Helper()
	if w.hosts == nil {
		w.hosts = []string{"a.example"}
	}
	if args.URL == "" {
		args.URL = a + "/"
	}
	result, err := workflow.New(w, nil).Call(t.Context(), action.Call{Verb: "page.crawl", Args: &args})
	if err != nil {
		t.Fatal(err)
	}
	if w.ended != 1 {
		t.Errorf("the crawl was ended %d times", w.ended)
	}
	return *result.Data.(*action.Crawled)
}

func urls(c action.Crawled) []string {
	var all []string
	for _, p := range c.Pages {
		all = append(all, strings.TrimPrefix(p.URL, a)+fmt.Sprintf(" %d", p.Depth))
	}
	return all
}

func wants(t *testing.T, c action.Crawled, want ...string) {
	t.Helper()
	if got := urls(c); !slices.Equal(got, want) || c.TotalPages != len(want) {
		t.Errorf("%d pages %q, want %q (%+v)", c.TotalPages, got, want, c.Skipped)
	}
}

func TestPagesAreReturnedBreadthFirst(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := &fakeWeb{
			links: map[string][]string{
				a + "/":  {a + "/1", a + "/2", a + "/1#again", "https://foreign.example/", a + "/3", "mailto:x"},
				a + "/1": {a + "/", a + "/11", a + "/2"}, a + "/2": {a + "/21"}, a + "/3": {a + "/31"}, a + "/11": {a + "/deep"},
			},
			slow: map[string]time.Duration{a + "/1": 9 * time.Second, a + "/21": time.Second},
		}
		c := run(t, w, action.Crawl{MaxPages: 20, PerDomain: 4})
		wants(t, c, "/ 0", "/1 1", "/2 1", "/3 1", "/11 2", "/21 2", "/31 2")
		if c.Truncated || c.Stopped != "done" || c.Skipped["foreign"] != 1 || c.Skipped["scheme"] != 1 || c.Skipped["depth"] != 1 {
			t.Errorf("%+v", c)
		}
	})
}

func TestDelaysOfHostsAreKept(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := &fakeWeb{
			hosts: []string{"a.example", "*.b.example"},
			links: map[string][]string{a + "/": {a + "/1", a + "/2", "https://x.b.example/1", "https://x.b.example/2"}},
			files: map[string]string{"https://x.b.example/robots.txt": "User-agent: *\nCrawl-delay: 3\n"},
			slow:  map[string]time.Duration{a + "/1": time.Second, a + "/2": time.Second, "https://x.b.example/1": time.Second},
		}
		began := time.Now()
		c := run(t, w, action.Crawl{})
		if len(c.Pages) != 5 || w.most != 2 {
			t.Errorf("%q, %d at once", urls(c), w.most)
		}
		last := map[string]time.Time{}
		for i, url := range w.asked {
			host, _, _ := strings.Cut(strings.TrimPrefix(url, "https://"), "/")
			least := 200 * time.Millisecond
			if host == "x.b.example" {
				least = 3 * time.Second
			}
			if before, known := last[host]; known && w.at[i].Sub(before) < least {
				t.Errorf("%s came %v after the one before", url, w.at[i].Sub(before))
			}
			last[host] = w.at[i]
		}
		if took := time.Since(began); took > 5*time.Second {
			t.Errorf("it took %v", took)
		}
	})
}

func TestRobotsFilesAreFollowed(t *testing.T) {
	links := map[string][]string{a + "/": {a + "/open", a + "/shut/x", a + "/shut/but"}}
	robots := "User-agent: *\nDisallow: /\nUser-agent: glovebox\nDisallow: /shut/\nAllow: /shut/but\n"
	for name, test := range map[string]struct {
		w       *fakeWeb
		args    action.Crawl
		want    []string
		skipped int
	}{
		"rules":         {&fakeWeb{links: links, files: map[string]string{a + "/robots.txt": robots}}, action.Crawl{}, []string{"/ 0", "/open 1", "/shut/but 1"}, 1},
		"ignored":       {&fakeWeb{links: links, files: map[string]string{a + "/robots.txt": robots}}, action.Crawl{IgnoreRobots: true}, []string{"/ 0", "/open 1", "/shut/x 1", "/shut/but 1"}, 0},
		"none (404)":    {&fakeWeb{links: links}, action.Crawl{}, []string{"/ 0", "/open 1", "/shut/x 1", "/shut/but 1"}, 0},
		"server is ill": {&fakeWeb{links: links, status: map[string]int{a + "/robots.txt": 503}}, action.Crawl{}, []string{"/ 0"}, 1},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				c := run(t, test.w, test.args)
				wants(t, c, test.want...)
				if c.Skipped["robots"] != test.skipped {
					t.Errorf("%+v", c.Skipped)
				}
				if name == "server is ill" && (len(test.w.asked) != 0 || c.Pages[0].Error == "") {
					t.Errorf("asked for %q: %+v", test.w.asked, c.Pages)
				}
			})
		})
	}
}

func TestRedirectsAreCheckedAndDuplicatesSkipped(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := &fakeWeb{
			links: map[string][]string{a + "/": {a + "/old", a + "/out", a + "/loop", a + "/twin?sort=1", a + "/home", a + "/sly"}, a + "/new": {a + "/leaf"}},
			redirect: map[string]string{
				a + "/old": a + "/new", a + "/out": "https://foreign.example/", a + "/loop": a + "/loop", a + "/home": a + "/",
			},
			meta: map[string]string{a + "/twin?sort=1": a + "/twin", a + "/sly": a + "/"},
		}
		w.links[a+"/leaf"] = []string{}
		w.links[a+"/new"] = append(w.links[a+"/new"], a+"/twin")
		c := run(t, w, action.Crawl{MaxPages: 20})
		wants(t, c, "/ 0", "/twin?sort=1 1", "/sly 1", "/new 1", "/loop 1", "/leaf 2")
		if c.Skipped["foreign"] != 1 || c.Pages[4].Error == "" {
			t.Errorf("%+v", c)
		}
	})
}

func TestATooDeepLinkDoesNotHideARedirect(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := &fakeWeb{
			links:    map[string][]string{a + "/": {a + "/1", a + "/moved"}, a + "/1": {a + "/2"}},
			redirect: map[string]string{a + "/moved": a + "/2"},
		}
		wants(t, run(t, w, action.Crawl{MaxDepth: new(1)}), "/ 0", "/1 1", "/2 1")
	})
}

func TestACrawlThatEndsEarlyReturnsItsPages(t *testing.T) {
	many := map[string][]string{}
	for i := range 30 {
		many[a+"/"] = append(many[a+"/"], fmt.Sprintf("%s/p%d", a, i))
	}
	for name, test := range map[string]struct {
		w       *fakeWeb
		args    action.Crawl
		pages   int
		stopped string
	}{
		"pages":   {&fakeWeb{links: many}, action.Crawl{MaxPages: 7}, 7, "max_pages"},
		"bytes":   {&fakeWeb{links: many, content: strings.Repeat("x", 1000)}, action.Crawl{MaxPages: 20, MaxBytes: 4000}, 4, "max_bytes"},
		"time":    {&fakeWeb{links: many, slow: map[string]time.Duration{a + "/p3": time.Hour}}, action.Crawl{MaxPages: 20, Timeout: 5000}, 4, "timeout"},
		"session": {&fakeWeb{links: many, broken: map[string]error{a + "/p4": fault.New(fault.NotActive, "gone")}}, action.Crawl{MaxPages: 20}, 5, "session_over"},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				c := run(t, test.w, test.args)
				if len(c.Pages) != test.pages || c.Stopped != test.stopped || !c.Truncated || c.Skipped["limit"] == 0 {
					t.Errorf("%d pages, %+v", len(c.Pages), c)
				}
			})
		})
	}
}

func TestAFailedPageDoesNotStopTheCrawl(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := &fakeWeb{
			links: map[string][]string{a + "/": {a + "/x", a + "/y", a + "/z"}},
			broken: map[string]error{
				a + "/x": fault.New(fault.PageCrashed, "the page crashed"), a + "/y": fault.New(fault.DeniedByPolicy, "it acts"),
			},
		}
		c := run(t, w, action.Crawl{})
		wants(t, c, "/ 0", "/x 1", "/z 1")
		if c.Pages[1].Error != "the page crashed" || c.Skipped["policy"] != 1 {
			t.Errorf("%+v", c)
		}
	})
}

func TestSitemapsAreReadIfRequested(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := &fakeWeb{files: map[string]string{
			a + "/robots.txt": "Sitemap: " + a + "/index.xml\nSitemap: https://foreign.example/s.xml\n",
			a + "/index.xml":  `<sitemapindex><sitemap><loc>` + a + `/s.xml</loc></sitemap><sitemap><loc>` + a + `/index.xml</loc></sitemap></sitemapindex>`,
			a + "/s.xml":      `<?xml version="1.0"?><urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9"><url><loc> ` + a + `/m1 </loc></url><url><loc>https://foreign.example/</loc></url><url><loc>` + a + `/m2</loc></url><broken`,
		}}
		wants(t, run(t, w, action.Crawl{Sitemap: true}), "/ 0", "/m1 1", "/m2 1")
		w.ended = 0
		wants(t, run(t, w, action.Crawl{}), "/ 0")
	})
}

func TestCancellingEndsTheCrawlWhichReportsEachPage(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := &fakeWeb{hosts: []string{"a.example"}, links: map[string][]string{a + "/": {a + "/1", a + "/2"}}, slow: map[string]time.Duration{a + "/2": time.Minute}}
		ctx, cancel := context.WithCancel(t.Context())
		var told []string
		watch := &action.CrawlWatch{Page: func(p action.CrawledPage) {
			if told = append(told, p.URL); len(told) == 2 {
				time.AfterFunc(time.Second, cancel)
			}
		}}
		result, err := workflow.New(w, nil).Call(ctx, action.Call{Verb: "page.crawl", Args: &action.Crawl{URL: a + "/"}, Crawl: watch})
		c := result.Data.(*action.Crawled)
		if err != nil || c.Stopped != "cancelled" || len(c.Pages) != 2 || len(told) != 2 || w.ended != 1 {
			t.Errorf("%+v, %q, %v", c, told, err)
		}
	})
}

func TestStepsAreTakenFromNobody(t *testing.T) {
	w := &fakeWeb{}
	for _, v := range action.Verbs {
		_, err := workflow.New(w, nil).Call(t.Context(), action.Call{Verb: v.Name, Args: &action.None{}})
		if v.Inner != (fault.CodeOf(err) == fault.UnknownAction) {
			t.Errorf("%s: %v", v.Name, err)
		}
	}
	w.pending = true
	if r, err := workflow.New(w, nil).Call(t.Context(), action.Call{Verb: "page.crawl", Args: &action.Crawl{URL: a}}); err != nil || r.Pending == nil || w.ended != 0 || len(w.asked) != 0 {
		t.Errorf("while a question waits: %+v %v", r, err)
	}
}

func TestNoWebKeepsACrawlGoing(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		synctest.Test(t, func(t *testing.T) {
			n := rapid.IntRange(1, 12).Draw(rt, "n")
			page := rapid.Custom(func(rt *rapid.T) string { return fmt.Sprintf("%s/p%d", a, rapid.IntRange(0, n).Draw(rt, "p")) })
			w := &fakeWeb{links: map[string][]string{}, redirect: map[string]string{}, meta: map[string]string{}}
			w.links[a+"/"] = rapid.SliceOfN(page, 1, 5).Draw(rt, "start")
			for i := range n {
				from := fmt.Sprintf("%s/p%d", a, i)
				w.links[from] = rapid.SliceOfN(page, 0, 5).Draw(rt, "links")
				if rapid.IntRange(0, 3).Draw(rt, "moves") == 0 {
					w.redirect[from] = page.Draw(rt, "to")
				}
			}
			most := rapid.IntRange(1, 15).Draw(rt, "most")
			args := action.Crawl{MaxPages: most, MaxDepth: new(rapid.IntRange(0, 5).Draw(rt, "depth")), PerDomain: rapid.IntRange(1, 4).Draw(rt, "per")}
			first := run(t, w, args)
			if len(first.Pages) > most || len(w.asked) > 40 {
				rt.Fatalf("%d pages of %d, %d asked for", len(first.Pages), most, len(w.asked))
			}
			for i := 1; i < len(first.Pages); i++ {
				if first.Pages[i].Depth < first.Pages[i-1].Depth || first.Pages[i].Depth > *args.MaxDepth {
					rt.Fatalf("order %q", urls(first))
				}
			}
			w.ended, w.asked = 0, nil
			if again := run(t, w, args); !slices.Equal(urls(first), urls(again)) {
				rt.Fatalf("%q and then %q", urls(first), urls(again))
			}
		})
	})
}
