package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/gloveboxhq/glovebox/internal/action"
	"github.com/gloveboxhq/glovebox/internal/demosite"
)

type arguments = map[string]any

// step is one call of the agent, with what is expected of its answer.
type step struct {
	title string
	tool  string
	args  arguments
	want  string // text that the answer must contain
	fails bool   // the answer must be an error
	lacks string // text that the answer must not contain
	show  int    // lines of the answer to show
	asks  bool   // a person is asked, and approves
}

func (s *stage) story(ctx context.Context) error {
	fmt.Printf("Northwind Invoices, a small web application, is at %s\n", s.site)
	fmt.Printf("An agent connects over MCP; its browser runs in a box without a network of its own.\n")
	steps := []step{
		{title: "The agent starts a session and opens the application", tool: "browser_navigate", args: arguments{"url": s.site}, want: "Sign in to Northwind", show: 18},
		{title: "It may not type a password: secrets are not an agent's business", tool: "browser_type", fails: true,
			args: arguments{"role": "textbox", "name": "Password", "text": "northwind-demo"}, want: "denied_by_policy", show: 4},
		{title: "It signs in as the demo user", tool: "browser_click", args: arguments{"role": "button", "name": "Continue as demo user"}, want: "/invoices", show: 12},
		{title: "It opens the form for a new invoice", tool: "browser_click", args: arguments{"role": "link", "name": "New invoice", "index": 0}, want: "Create invoice", show: 4},
		{title: "It fills the form", tool: "browser_fill_form", args: arguments{"fields": []arguments{
			{"role": "textbox", "name": "Customer", "value": "Ada Lovelace & Co"},
			{"role": "textbox", "name": "Billing e-mail", "value": "ada@lovelace.example"},
			{"role": "textbox", "name": "Amount", "value": "1250.00"},
			{"selector": "[name=currency]", "type": "combobox", "value": "GBP"},
		}}, want: "Ada Lovelace & Co", show: 6},
		{title: "It switches the reminder off", tool: "browser_click", args: arguments{"role": "checkbox", "name": "Remind the customer"}, want: "not checked", show: 2},
		{title: "It saves; the site is trusted, so this MEDIUM call runs unasked", tool: "browser_click",
			args: arguments{"role": "button", "name": "Create invoice"}, want: "Ada Lovelace & Co", lacks: "Ignore", show: 12},
		{title: "Text hidden in the page to mislead it does not reach it", tool: "browser_snapshot", args: arguments{}, want: "Message from the customer", lacks: demosite.Injection, show: 0},
		{title: "A link leads to a domain that is not allowed: blocked at once, and a person may add it", tool: "browser_navigate", fails: true,
			args: arguments{"url": demosite.ForbiddenURL}, want: "blocked_domain", show: 4},
		{title: "It wants to delete the invoice: a person is asked", tool: "browser_click", asks: true,
			args: arguments{"role": "button", "name": "Delete invoice"}, want: "/invoices", show: 8},
		{title: "It takes a screenshot", tool: "browser_take_screenshot", args: arguments{}, want: "file kept", show: 4},
		{title: "It archives the session; the box is destroyed", tool: "browser_session", args: arguments{"action": "archive"}, want: "archived", show: 4},
	}
	for _, st := range steps {
		if err := s.play(ctx, st); err != nil {
			return fmt.Errorf("%s: %w", st.title, err)
		}
	}
	return nil
}

func (s *stage) play(ctx context.Context, st step) error {
	s.n++
	fmt.Printf("\n%s\n", bold(fmt.Sprintf("%d. %s", s.n, st.title)))
	fmt.Printf("   %s %s\n", st.tool, dim(fmt.Sprint(st.args)))
	answered := make(chan error, 1)
	if st.asks {
		go func() { answered <- s.approve(ctx) }()
	} else {
		answered <- nil
	}
	result, err := s.agent.CallTool(ctx, &mcp.CallToolParams{Name: st.tool, Arguments: st.args})
	if err := errors.Join(err, <-answered); err != nil {
		return err
	}
	text, err := s.read(result)
	if err != nil {
		return err
	}
	for i, line := range strings.Split(strings.TrimRight(text, "\n"), "\n") {
		if i == st.show {
			fmt.Printf("   %s\n", dim("…"))
		}
		if i < st.show {
			fmt.Printf("   %s %s\n", dim("│"), line)
		}
	}
	switch {
	case result.IsError != st.fails:
		return fmt.Errorf("unexpected answer:\n%s", text)
	case !strings.Contains(text, st.want):
		return fmt.Errorf("the answer lacks %q:\n%s", st.want, text)
	case st.lacks != "" && strings.Contains(text, st.lacks):
		return fmt.Errorf("the answer holds %q:\n%s", st.lacks, text)
	}
	return nil
}

// read returns the text of an answer and saves its image.
func (s *stage) read(result *mcp.CallToolResult) (string, error) {
	var text strings.Builder
	for _, content := range result.Content {
		switch content := content.(type) {
		case *mcp.TextContent:
			text.WriteString(content.Text)
		case *mcp.ImageContent:
			path := filepath.Join(s.dir, "screenshot.png")
			if err := os.WriteFile(path, content.Data, 0o600); err != nil {
				return "", fmt.Errorf("cannot keep the screenshot: %w", err)
			}
		}
	}
	return text.String(), nil
}

// approve plays the person: it waits for the question, prints it and approves.
func (s *stage) approve(ctx context.Context) error {
	tick := time.NewTicker(100 * time.Millisecond)
	defer tick.Stop()
	for {
		select {
		case <-tick.C:
		case <-ctx.Done():
			return ctx.Err()
		}
		result, err := s.person.Call(ctx, action.Call{Verb: "approval.list", Args: &action.ApprovalList{}, Surface: "cli"})
		if err != nil {
			return err
		}
		listing, ok := result.Data.(*action.QuestionListing)
		if !ok {
			continue
		}
		at := slices.IndexFunc(listing.Questions, func(q action.Question) bool { return q.Element != nil }) // the blocked domain is left unanswered
		if at < 0 {
			continue
		}
		q := listing.Questions[at]
		fmt.Printf("   %s %s %s on %s\n", warn(q.Risk.String()), q.Verb, q.Element.Name, q.Page.URL)
		fmt.Printf("   %s\n", dim("why: "+q.Why))
		out, err := s.command(ctx, "approvals", "approve", q.ID, "--reason", "the customer asked for it")
		if err != nil {
			return err
		}
		fmt.Printf("   the operator: glovebox approvals approve %s → %s\n", q.ID, strings.Fields(out)[2])
		return nil
	}
}

// leave shows what the session left: the verified audit trail and the files.
func (s *stage) leave(ctx context.Context) error {
	fmt.Printf("\n%s\n", bold("What stays"))
	for _, args := range [][]string{{"audit", "tail", "-n", "12"}, {"audit", "verify"}, {"session", "list", "--archived"}} {
		out, err := s.command(ctx, args...)
		if err != nil {
			return err
		}
		fmt.Printf("   $ glovebox %s\n", strings.Join(args, " "))
		for line := range strings.SplitSeq(out, "\n") {
			fmt.Printf("   %s %s\n", dim("│"), line)
		}
	}
	fmt.Printf("   trail, artifacts and log: %s\n   screenshot: %s\n", s.dir, filepath.Join(s.dir, "screenshot.png"))
	return nil
}

func bold(text string) string { return paint("1", text) }
func dim(text string) string  { return paint("2", text) }
func warn(text string) string { return paint("33;1", text) }

func paint(code, text string) string {
	if _, refused := os.LookupEnv("NO_COLOR"); refused {
		return text
	}
	if info, err := os.Stdout.Stat(); err != nil || info.Mode()&os.ModeCharDevice == 0 {
		return text
	}
	return "\x1b[" + code + "m" + text + "\x1b[0m"
}
