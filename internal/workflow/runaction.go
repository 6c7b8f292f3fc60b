package workflow

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/gloveboxhq/glovebox/internal/action"
	"github.com/gloveboxhq/glovebox/internal/fault"
)

const (
	elementLimit = 5 * time.Second // to find and act on an element, unless the action sets another limit
	readLimit    = 10 * time.Second
	scrollBy     = 600.0   // CSS pixels, unless the action sets a distance
	maxText      = 100_000 // bytes of a page's text
	maxElements  = 500     // interactive elements
)

// call makes one step of the run through the gate. wait is as in action.Call.
func (r *activeRun) call(ctx context.Context, verb string, args any, wait time.Duration) (action.Result, error) {
	r.mu.Lock()
	id, session := r.run.ID, r.run.Session
	r.mu.Unlock()
	if session == "" && verb != action.VerbRunOpen.Name {
		session = id // its name
	}
	return r.steps.call(ctx, action.Call{
		Verb: verb, Caller: r.caller, Session: session, Args: args, Surface: r.surface, Wait: wait, OfRun: true,
	})
}

// step makes a step that may need an approval: the run shows the question it
// waits for, and its time does not run until the answer.
func (r *activeRun) step(verb string, args any) (action.Result, error) {
	ctx, stop := r.ctx, context.CancelFunc(func() {})
	inTime := !untimedSteps[verb]
	if inTime {
		ctx, stop = context.WithTimeout(r.ctx, r.left)
	}
	defer stop()
	began := time.Now()
	result, err := r.call(ctx, verb, args, time.Millisecond)
	if inTime {
		r.left -= time.Since(began)
	}
	if err != nil || result.Pending == nil {
		return result, err
	}
	before := r.snapshot().State
	r.state(before, result.Pending.Approval, nil)
	defer func() { r.state(before, "", nil) }()
	return r.call(r.ctx, verb, args, 0)
}

// untimedSteps are the steps that do not use the time of a run.
var untimedSteps = map[string]bool{action.VerbRunOpen.Name: true, action.VerbRunGuide.Name: true, action.VerbRunAllow.Name: true}

// runAction does one action and logs its result. An action that did not start
// because the session is paused is not logged.
func (r *activeRun) runAction(a action.RunAction) error {
	details, err := r.doAction(a)
	for refused := refusedAt(err); refused != nil && r.askForHost(refused); refused = refusedAt(err) {
		if !refused.judged { // the action was done and led there; repeating it could have more effects
			a = action.RunAction{Type: "navigate", URL: refused.url}
		}
		details, err = r.doAction(a)
	}
	switch f := fault.From(err); {
	case err == nil:
		r.log(a.Type, true, "%s", details)
	case f.Code != fault.SessionPaused:
		r.log(a.Type, false, "%s: %s", f.Code, f.Message)
	}
	return err
}

// refusal is an address that an action was not allowed to open.
type refusal struct {
	url    string
	judged bool // refused before anything was done
}

// refusedAt returns the refused address of a fault; nil for other faults.
func refusedAt(err error) *refusal {
	f := fault.From(err)
	if f == nil || f.Code != fault.BlockedDomain {
		return nil
	}
	url, _ := f.Details["url"].(string)
	_, judged := f.Details["rule"]
	if url == "" {
		return nil
	}
	return &refusal{url, judged}
}

// askForHost asks people to allow the host of an address, and reports whether it
// was approved.
func (r *activeRun) askForHost(to *refusal) bool {
	_, err := r.step(action.VerbRunAllow.Name, &action.RunAllow{Run: r.run.ID, URL: to.url})
	if err == nil {
		r.log(action.RunResumeEntry, true, "a person added the host of %s", to.url)
	}
	return err == nil
}

func (r *activeRun) doAction(a action.RunAction) (details string, err error) {
	if r.left <= 0 {
		return "", fault.New(fault.ActionTimeout, "the run's time was over before it began")
	}
	switch a.Type {
	case "screenshot":
		return r.screenshot(a)
	case "read_page":
		return r.withinBudget(r.readPage)
	case "search_text":
		return r.search(a)
	case "wait":
		return r.wait(a)
	}
	verb, args := verbFor(a, r.left)
	if verb == "" {
		return "", fault.New(fault.InvalidRequest, "there is no action %q", a.Type)
	}
	result, err := r.step(verb, args)
	if err != nil {
		return "", err
	}
	details = describe(result)
	for _, e := range result.Effects {
		details += "; " + e.String()
	}
	return details, nil
}

// withinBudget runs f within the time that the run has left.
func (r *activeRun) withinBudget(f func(context.Context) (string, error)) (string, error) {
	ctx, stop := context.WithTimeout(r.ctx, r.left)
	defer stop()
	began := time.Now()
	defer func() { r.left -= time.Since(began) }()
	return f(ctx)
}

// verbFor returns the verb and arguments of an action.
func verbFor(a action.RunAction, left time.Duration) (verb string, args any) {
	switch a.Type {
	case "navigate":
		return action.VerbPageGoto.Name, &action.Goto{URL: a.URL, WaitUntil: a.WaitUntil, Timing: timing(a, left, left)}
	case "left_click":
		return action.VerbPageClick.Name, &action.Click{Locator: a.Locator, Timing: timing(a, elementLimit, left)}
	case "form_input":
		if len(a.Options) > 0 {
			return action.VerbPageSelect.Name, &action.Select{Locator: a.Locator, Values: a.Options, Timing: timing(a, elementLimit, left)}
		}
		return action.VerbPageType.Name, &action.Type{
			Locator: a.Locator, Input: value(a.Value), Clear: !value(a.Append), Submit: value(a.Submit), Timing: timing(a, elementLimit, left),
		}
	case "scroll_down", "scroll_up":
		by := scrollBy
		if a.Amount != nil {
			by = *a.Amount
		}
		if a.Type == "scroll_up" {
			by = -by
		}
		return action.VerbPageScroll.Name, &action.Scroll{Locator: a.Locator, Y: by, Timing: timing(a, elementLimit, left)}
	case "go_back":
		return action.VerbPageBack.Name, &action.None{}
	}
	return "", nil
}

func value[T any](p *T) (v T) {
	if p != nil {
		v = *p
	}
	return v
}

// timing returns how long an action may take: its own limit or the usual one, but
// not more than the run has left.
func timing(a action.RunAction, usual, left time.Duration) action.Timing {
	if a.Timeout != nil {
		usual = time.Duration(*a.Timeout) * time.Millisecond
	}
	return action.Timing{Timeout: int(max(min(usual, left), time.Millisecond).Milliseconds())}
}

// describe describes a result and its target, never typed text.
func describe(result action.Result) string {
	switch d := result.Data.(type) {
	case *action.Navigated:
		return strings.TrimSpace(fmt.Sprintf("%s (%d) %q", d.URL, d.Status, d.Title))
	case *action.Page:
		return strings.TrimSpace(fmt.Sprintf("%s %q", d.URL, d.Title))
	case *action.Scrolled:
		return fmt.Sprintf("now at %g, %g", d.X, d.Y)
	case *action.Waited:
		return "it came"
	case *action.Matches:
		return fmt.Sprintf("%d found", d.Total)
	case *action.Filled:
		return fmt.Sprintf("typed the %s of %s", d.Secret, d.Domain)
	case *action.Acted:
		text := "done"
		if d.Element != nil {
			text = strings.TrimSpace(fmt.Sprintf("%s %q", d.Element.Role, d.Element.Name))
		}
		if d.NewPage && result.Page != nil {
			text += ", now at " + result.Page.URL
		}
		return text
	}
	return "done"
}

// screenshot takes a screenshot, which is stored as an artifact.
func (r *activeRun) screenshot(a action.RunAction) (string, error) {
	result, err := r.step(action.VerbPageScreenshot.Name, &action.TakeScreenshot{FullPage: value(a.FullPage), Selector: a.Selector, Ref: a.Ref})
	if err != nil {
		return "", err
	}
	if len(result.Artifacts) == 0 {
		return "", fault.New(fault.CDPError, "the screenshot was not kept: %s", strings.Join(result.Notes, "; "))
	}
	kept := result.Artifacts[0]
	var name string
	r.change(func(run *action.Run) {
		name = fmt.Sprintf("%03d%s.png", len(run.Screenshots)+1, suffix(a.Name))
		run.Screenshots = append(run.Screenshots, action.RunScreenshot{Name: name, Path: "/v1/artifacts/" + kept.ID, Timestamp: now()})
	})
	return fmt.Sprintf("%s, %d bytes, artifact %s", name, kept.Size, kept.ID), nil
}

// suffix makes a part of a file name from the action's name: only letters,
// digits, - and _.
func suffix(name string) string {
	plain := strings.Map(func(c rune) rune {
		switch {
		case c >= 'a' && c <= 'z', c >= 'A' && c <= 'Z', c >= '0' && c <= '9', c == '-', c == '_':
			return c
		}
		return '_'
	}, strings.TrimSuffix(name, ".png"))
	if plain = cut(plain, 60); plain == "" {
		return ""
	}
	return "-" + plain
}

// search searches for text. No match is a failure.
func (r *activeRun) search(a action.RunAction) (string, error) {
	result, err := r.step(action.VerbPageFind.Name, &action.Find{Text: a.Text})
	if err != nil {
		return "", err
	}
	found, ok := result.Data.(*action.Matches)
	if !ok || found.Total == 0 {
		return "", fault.New(fault.NotFound, "the text is not on the page")
	}
	return fmt.Sprintf("%d matches", found.Total), nil
}

// wait waits for an element or for some time. After a plain wait it asks the page
// too, so that the action is in the trail.
func (r *activeRun) wait(a action.RunAction) (string, error) {
	args := &action.WaitFor{Locator: a.Locator, State: "visible", Timeout: new(timing(a, elementLimit, r.left).Timeout)}
	if a.MS == nil {
		result, err := r.step(action.VerbPageWaitFor.Name, args)
		if err != nil {
			return "", err
		}
		if waited, ok := result.Data.(*action.Waited); !ok || !waited.Found {
			return "", fault.New(fault.NotFound, "it did not come in %d ms", *args.Timeout)
		}
		return "it came", nil
	}
	long := time.Duration(*a.MS) * time.Millisecond
	_, err := r.withinBudget(func(ctx context.Context) (string, error) {
		timer := time.NewTimer(long)
		defer timer.Stop()
		select {
		case <-timer.C:
			return "", nil
		case <-ctx.Done():
			return "", fault.New(fault.ActionTimeout, "the run's time was over").Because(context.Cause(ctx))
		}
	})
	if err != nil || r.left <= 0 {
		return "", err
	}
	args.Locator, args.State = action.Locator{Selector: "html"}, "attached"
	_, err = r.step(action.VerbPageWaitFor.Name, args)
	return fmt.Sprintf("%s waited", long), err
}

// readPage reads the page into page_content.
func (r *activeRun) readPage(ctx context.Context) (string, error) {
	ctx, stop := context.WithTimeout(ctx, readLimit)
	defer stop()
	shot, err := r.call(ctx, action.VerbPageSnapshot.Name, &action.TakeSnapshot{Format: "tree"}, time.Millisecond)
	if err != nil {
		return "", err
	}
	text, err := r.call(ctx, action.VerbPageExtract.Name, &action.Extract{}, time.Millisecond)
	if err != nil {
		return "", err
	}
	tree, _ := shot.Data.(*action.Snapshot)
	said, _ := text.Data.(*action.Extracted)
	if tree == nil || said == nil {
		return "", fault.New(fault.Internal, "the page could not be read")
	}
	content := action.RunContent{Title: said.Title, URL: said.URL, Text: cut(said.Text, maxText), Elements: collect(tree.Tree, []action.RunInteractive{})}
	r.change(func(run *action.Run) { run.Content = content })
	return fmt.Sprintf("%d bytes of text, %d elements", len(content.Text), len(content.Elements)), nil
}

// collect adds the interactive elements of a tree.
func collect(n *action.Node, all []action.RunInteractive) []action.RunInteractive {
	if n == nil || len(all) >= maxElements {
		return all
	}
	if n.Ref != "" {
		all = append(all, action.RunInteractive{Ref: n.Ref, Role: n.Role, Name: n.Name, Value: n.Value})
	}
	for _, child := range n.Children {
		all = collect(child, all)
	}
	return all
}

func listed(hosts []string) string { return strings.Join(hosts, ", ") }
