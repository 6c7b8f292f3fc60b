package cli

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/gloveboxhq/glovebox/internal/action"
	"github.com/gloveboxhq/glovebox/internal/fault"
)

// approvalCommands show questions and answer them.
type approvalCommands struct{ *environment }

const watchEvery = 500 * time.Millisecond // between two looks at the list; a person does not notice half a second

func (cmd approvalCommands) commands() []*cobra.Command {
	group := &cobra.Command{Use: "approvals", Short: "See and answer what agents must ask a person", Args: between(0, 0), RunE: help}
	group.AddCommand(cmd.list(), cmd.show(), cmd.answer("approve", true), cmd.answer("deny", false), cmd.watchCommand())
	group.AddCommand(cmd.grants()...)
	return []*cobra.Command{group}
}

func (cmd approvalCommands) list() *cobra.Command {
	var call action.ApprovalList
	c := verb(action.VerbApprovalList.Name, "list", "glovebox approvals list --state all")
	c.Args = between(0, 0)
	c.Flags().StringVar(&call.State, "state", "", "pending, approved, denied, expired, used or all (default pending)")
	c.RunE = func(c *cobra.Command, _ []string) error {
		return cmd.call(c.Context(), action.VerbApprovalList.Name, &call, func(result action.Result) {
			if got, ok := result.Data.(*action.QuestionListing); ok {
				table(cmd.environment, "no questions", "APPROVAL\tRISK\tSTATE\tVERB\tELEMENT\tPAGE\tLEFT", got.Questions, func(q action.Question) []any {
					return []any{q.ID, q.Risk, q.State, q.Verb, short(element(q.Element), 40), short(q.Page.URL, 40), timeLeft(q)}
				})
			}
		})
	}
	return c
}

func element(e *action.Element) string {
	if e == nil {
		return ""
	}
	return fmt.Sprintf("%s %q", e.Role, first(e.Name, e.Label))
}

func timeLeft(q action.Question) string {
	if q.State != "pending" {
		return ""
	}
	return max(0, time.Until(q.Expires)).Round(time.Second).String()
}

func (cmd approvalCommands) show() *cobra.Command {
	var file string
	c := verb(action.VerbApprovalShow.Name, "show <approval>", "glovebox approvals show 7c1e… --screenshot question.jpeg")
	c.Args = between(1, 1)
	c.Flags().StringVar(&file, "screenshot", "", "write the picture of the page, with the element outlined, to this new file")
	c.RunE = func(c *cobra.Command, args []string) error {
		gateway, err := cmd.client(operatorToken)
		if err != nil {
			return err
		}
		result, err := cmd.send(c.Context(), gateway, action.Call{Verb: action.VerbApprovalShow.Name, Session: cmd.target, Args: &action.ByID{ID: args[0]}})
		if err != nil {
			return err
		}
		if q, ok := result.Data.(*action.Question); ok && file != "" {
			if q.Screenshot == "" {
				return fault.New(fault.NotFound, "there is no picture of this question").Hinted("leave --screenshot out")
			}
			if _, err := cmd.savePicture(c.Context(), gateway, q.Screenshot, file); err != nil {
				return err
			}
		}
		return cmd.print(result, cmd.showQuestion)
	}
	return c
}

func (cmd approvalCommands) showQuestion(result action.Result) {
	if q, ok := result.Data.(*action.Question); ok {
		cmd.question(*q)
	}
}

func (cmd approvalCommands) question(q action.Question) {
	risk := cmd.style.warn(q.Risk.String())
	if q.Risk >= action.High {
		risk = cmd.style.bad(q.Risk.String())
	}
	cmd.printf("%s  %s  %s\n", cmd.style.bold(q.ID), risk, q.State)
	row := func(name, value string) {
		if value != "" {
			cmd.printf("  %-8s %s\n", name, clean(value))
		}
	}
	row("verb", q.Verb)
	row("element", element(q.Element))
	row("in", q.Within)
	row("types", q.Input)
	for _, line := range requestRows(q) {
		row(line.label, line.value)
	}
	row("page", strings.TrimSpace(q.Page.Title+" "+q.Page.URL))
	row("why", q.Why)
	row("asked by", q.Actor)
	row("session", q.Session)
	row("watch", watchCommand(q))
	row("picture", q.Screenshot)
	row("left", timeLeft(q))
	row("answer", strings.TrimSpace(q.AnsweredBy+" "+q.Reason))
}

// watchCommand prints the address at which the session of a question is watched.
func watchCommand(q action.Question) string {
	if q.Session == "" {
		return ""
	}
	return "glovebox session watch " + q.Session
}

// labelledLine is a line of a question with its label.
type labelledLine struct{ label, value string }

// requestRows are the lines of a question about requests: what would leave the
// browser, what each holds, and what caused them.
func requestRows(q action.Question) []labelledLine {
	if q.Request == nil {
		return nil
	}
	all := q.Requests
	if len(all) == 0 {
		all = []action.Held{*q.Request}
	}
	var lines []labelledLine
	for i, h := range all {
		label := "sends"
		if len(all) > 1 {
			label = fmt.Sprintf("sends %d", i+1) // the number for --only
		}
		lines = append(lines, labelledLine{label, h.Method + " " + h.URL}, labelledLine{"with", sentFields(h)})
	}
	return append(lines, labelledLine{"because", q.Request.Cause})
}

// sentFields are the fields of a request on one line.
func sentFields(h action.Held) string {
	var all []string
	for _, f := range h.Fields {
		if f.Name == "" {
			all = append(all, f.Value)
			continue
		}
		all = append(all, f.Name+"="+f.Value)
	}
	if h.More {
		all = append(all, "and more")
	}
	return strings.Join(all, ", ")
}

func (cmd approvalCommands) answer(name string, approve bool) *cobra.Command {
	var call action.Answer
	c := verb(action.VerbApprovalAnswer.Name, name+" <approval>", "glovebox approvals "+name+" 7c1e… --reason 'asked for by Ada'")
	c.Short = strings.ToUpper(name[:1]) + name[1:] + " a question"
	c.Args = between(1, 1)
	c.Flags().StringVar(&call.Reason, "reason", "", "why; CRITICAL wants one")
	if approve {
		c.Flags().BoolVar(&call.ForSession, "for-session", false, "cover later calls of this kind in the session (MEDIUM, or typing a site's secrets)")
		c.Flags().IntSliceVar(&call.Only, "only", nil, "approve the requests with these numbers, and deny the others of the question")
	}
	c.RunE = func(c *cobra.Command, args []string) error {
		call.ID, call.Approve = args[0], approve
		return cmd.call(c.Context(), action.VerbApprovalAnswer.Name, &call, cmd.showQuestion)
	}
	return c
}

func (cmd approvalCommands) watchCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "watch",
		Short: "Wait for questions and answer them here",
		Long: "Shows what waits, rings the bell for what is new, and takes answers by keys: a approves (HIGH is\n" +
			"confirmed, CRITICAL wants a reason), s approves for the session (MEDIUM only), d denies, p fetches the\n" +
			"picture, q ends. Without a terminal each question is printed as it comes, and its answer read as a line:\n" +
			"  a [reason]  approve\n  s [reason]  approve for the session (MEDIUM only)\n  d [reason]  deny\n  an empty line leaves it to somebody else",
		Example: "  glovebox approvals watch",
		Args:    between(0, 0),
		RunE: func(c *cobra.Command, _ []string) error {
			gateway, err := cmd.client(operatorToken)
			if err != nil {
				return err
			}
			if fd, is := cmd.terminal(); is {
				return (&screen{env: cmd.environment, gateway: gateway, fd: fd}).run(c.Context())
			}
			if !cmd.json {
				cmd.printf("%s\n", cmd.style.dim("waiting for questions; Ctrl-C ends"))
			}
			return cmd.watch(c.Context(), gateway)
		},
	}
}

func (cmd approvalCommands) watch(ctx context.Context, gateway caller) error {
	lines := make(chan string)
	go func() { // ends with the process: a read of a terminal cannot be interrupted
		defer close(lines)
		for scanner := bufio.NewScanner(cmd.io.In); scanner.Scan(); {
			select {
			case lines <- scanner.Text():
			case <-ctx.Done():
				return
			}
		}
	}()
	shown := map[string]bool{}
	tick := time.NewTicker(watchEvery)
	defer tick.Stop()
	for {
		result, err := cmd.send(ctx, gateway, action.Call{Verb: action.VerbApprovalList.Name, Args: &action.ApprovalList{}})
		if ctx.Err() != nil {
			return nil
		}
		if err != nil {
			return err
		}
		for _, q := range result.Data.(*action.QuestionListing).Questions {
			if shown[q.ID] {
				continue
			}
			shown[q.ID] = true
			if err := cmd.ask(ctx, gateway, q, lines); err != nil {
				return err
			}
		}
		select {
		case <-tick.C:
		case <-ctx.Done():
			return nil
		}
	}
}

// ask shows one question and sends its answer, until it expires.
func (cmd approvalCommands) ask(ctx context.Context, gateway caller, q action.Question, lines <-chan string) error {
	if cmd.json {
		return cmd.print(action.Result{Data: q}, nil)
	}
	if cmd.io.Terminal {
		cmd.printf("\a")
	}
	cmd.question(q)
	countdown := time.NewTicker(time.Second)
	defer countdown.Stop()
	cmd.prompt(q)
	for {
		select {
		case line, open := <-lines:
			if !open {
				return errors.New("standard input has ended")
			}
			if cmd.reply(ctx, gateway, q, line) {
				return nil
			}
			cmd.prompt(q)
		case <-countdown.C:
			if time.Now().After(q.Expires) {
				cmd.printf("\n%s\n", cmd.style.dim("expired: denied"))
				return nil
			}
			if cmd.io.Terminal { // the time left runs down in place
				cmd.printf("\r")
				cmd.prompt(q)
			}
		case <-ctx.Done():
			cmd.printf("\n")
			return nil
		}
	}
}

func (cmd approvalCommands) prompt(q action.Question) {
	cmd.printf("  %s, %4s left > ", choices(q), timeLeft(q))
}

// choices says how a question can be answered.
func choices(q action.Question) string {
	switch q.Risk {
	case action.Medium:
		return "[a]pprove [s]ession [d]eny"
	case action.High:
		return "[a]pprove [d]eny"
	default:
		return "[a]pprove <reason> [d]eny"
	}
}

// reply sends the answer that a person typed as a line. It reports whether the
// question is done: after a mistake the person is asked again.
func (cmd approvalCommands) reply(ctx context.Context, gateway caller, q action.Question, line string) bool {
	word, reason, _ := strings.Cut(strings.TrimSpace(line), " ")
	call := &action.Answer{ID: q.ID, Reason: strings.TrimSpace(reason)}
	switch word {
	case "a", "approve":
		call.Approve = true
	case "s", "session":
		call.Approve, call.ForSession = true, true
	case "d", "deny":
	case "":
		cmd.printf("%s\n", cmd.style.dim("left alone"))
		return true
	default:
		cmd.printf("%s\n", cmd.style.dim("answer a, s or d, with a reason after it; an empty line leaves it alone"))
		return false
	}
	result, err := cmd.send(ctx, gateway, action.Call{Verb: action.VerbApprovalAnswer.Name, Args: call})
	if err != nil {
		f := fault.From(err)
		cmd.printf("%s %s\n", cmd.style.bad("error:"), clean(f.Message))
		return f.Code != fault.InvalidRequest // for other faults somebody else has answered, or the question has expired
	}
	cmd.showQuestion(result)
	return true
}

func (cmd approvalCommands) grants() []*cobra.Command {
	list := verb(action.VerbGrantList.Name, "grants", "glovebox approvals grants -s invoices")
	list.Args = between(0, 0)
	list.RunE = func(c *cobra.Command, _ []string) error {
		return cmd.call(c.Context(), action.VerbGrantList.Name, &action.None{}, func(result action.Result) {
			if got, ok := result.Data.(*action.GrantListing); ok {
				table(cmd.environment, "no grants", "APPROVAL\tVERB\tHOST\tBY\tSINCE\tREASON", got.Grants, func(g action.Grant) []any {
					return []any{g.ID, g.Verb, short(g.Host, 40), short(g.GrantedBy, 20), g.Granted.Local().Format("15:04:05"), short(g.Reason, 40)}
				})
			}
		})
	}
	revoke := verb(action.VerbGrantRevoke.Name, "revoke <approval>", "glovebox approvals revoke 7c1e… -s invoices")
	revoke.Args = between(1, 1)
	revoke.RunE = func(c *cobra.Command, args []string) error {
		return cmd.call(c.Context(), action.VerbGrantRevoke.Name, &action.ByID{ID: args[0]}, func(action.Result) {
			cmd.printf("%s\n", cmd.style.good("revoked: such calls ask again"))
		})
	}
	return []*cobra.Command{list, revoke}
}
