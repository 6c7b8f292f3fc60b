package cli

import (
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/gloveboxhq/glovebox/internal/action"
)

// policyCommands show the policy and explain its decisions.
type policyCommands struct{ *environment }

func (cmd policyCommands) commands() []*cobra.Command {
	group := &cobra.Command{Use: "policy", Short: "Show the policy, and say what it would do with a call", Args: between(0, 0), RunE: help}
	group.AddCommand(cmd.show(), cmd.explain())
	return []*cobra.Command{group}
}

func (cmd policyCommands) show() *cobra.Command {
	c := verb(action.VerbPolicyShow.Name, "show", "glovebox policy show --json")
	c.Args = between(0, 0)
	c.RunE = func(c *cobra.Command, _ []string) error {
		return cmd.call(c.Context(), action.VerbPolicyShow.Name, &action.None{}, func(result action.Result) {
			if view, ok := result.Data.(*action.PolicyView); ok {
				cmd.showPolicy(view)
			}
		})
	}
	return c
}

func (cmd policyCommands) showPolicy(v *action.PolicyView) {
	asks := "people are asked"
	if !v.Asking {
		asks = "nobody is asked: what a person should decide is denied"
	}
	cmd.printf("%s\n", cmd.style.bold("policy "+v.Policy))
	cmd.printf("  file       %s\n", strings.TrimSpace(first(v.File, "none")+"  "+v.SHA256))
	cmd.printf("  questions  %s; they wait %gs at MEDIUM, %gs at HIGH, %gs at CRITICAL\n", asks, v.Timeouts.Medium, v.Timeouts.High, v.Timeouts.Critical)
	for _, role := range v.Roles {
		cmd.printf("  %-9s  %s\n", role.Role, strings.Join(append(role.Classes, role.Granted...), ", "))
	}
	for _, list := range []struct {
		name  string
		hosts []string
	}{{"allowed", v.Allowed}, {"trusted", v.Trusted}, {"sensitive", v.Sensitive}} {
		cmd.printf("  %-9s  %s\n", list.name, first(strings.Join(list.hosts, ", "), "none"))
	}
	for _, rule := range v.Rules {
		words := slices.DeleteFunc([]string{rule.Action, rule.Risk, strings.Join(rule.Tools, ","), strings.Join(rule.Roles, ","),
			strings.Join(rule.Hosts, ","), strings.Join(rule.Conditions, " and "), cmd.style.dim(rule.Description)}, func(s string) bool { return s == "" })
		cmd.printf("  rule %-4d  %s\n", rule.Number, strings.Join(words, "  "))
	}
}

func (cmd policyCommands) explain() *cobra.Command {
	var q action.PolicyQuery
	var role, host, url string
	var offline bool
	c := verb(action.VerbPolicyExplain.Name, "explain <verb>|<tool> [<argument>=<value>…]",
		"glovebox policy explain page.click --element-role button --element-name Delete --host app.example.com\n"+
			"glovebox policy explain page.goto --url https://bank.example/ --offline\n"+
			"glovebox policy explain browser_click target=e12 --session invoices\n"+
			"glovebox policy explain page.click ref=e12 --session invoices")
	c.Long = "Says what would become of a call, by which rule, and why each rule before it did not match. Nothing is done.\n" +
		"With --session the page is looked at as the call would; otherwise what the flags say counts. --offline judges by the\n" +
		"configuration file, without a gateway."
	c.Args = between(1, -1)
	f := c.Flags()
	f.StringVar(&role, "role", "agent", "of the caller: agent, viewer or operator")
	f.BoolVar(&offline, "offline", false, "judge by the configuration file, without a gateway")
	f.StringVar(&url, "url", "", "where the call would lead: the same as url=… (the gateway's address is --gateway)")
	f.StringVar(&host, "host", "", "host the page is on, instead of --page")
	f.BoolVar(&q.Credentialed, "credentialed", false, "credentials were put into the session")
	f.StringVar(&q.PageURL, "page", "", "address of the page")
	f.StringSliceVar(&q.Options, "option", nil, "labels of what would be chosen in a list")
	f.StringVar(&q.Dialog, "dialog", "", "what the open dialog says")
	elementFlags(c, "element", "the element's", &q.Element)
	elementFlags(c, "onto", "what it is dropped on: its", &q.Onto)
	c.RunE = func(c *cobra.Command, args []string) error {
		q.Verb, q.Role, q.Session = args[0], action.Role(role), cmd.target
		if q.PageURL == "" && host != "" {
			q.PageURL = "https://" + host + "/"
		}
		var err error
		words := args[1:]
		if url != "" {
			words = append(words, "url="+url)
		}
		if q.Args, err = argumentsOf(q.Verb, words); err != nil {
			return err
		}
		if offline {
			return cmd.explainOffline(q)
		}
		cmd.target = "" // of the question, not of this call
		return cmd.call(c.Context(), action.VerbPolicyExplain.Name, &q, cmd.showExplanation)
	}
	return c
}

// elementFlags adds the flags that describe an element: one for each text,
// --<prefix>-name, and one for its properties.
func elementFlags(c *cobra.Command, prefix, whose string, e *action.PolicyElement) {
	v := reflect.ValueOf(e).Elem()
	for _, field := range action.Fields(v.Type()) {
		at, name := v.FieldByIndex(field.Index), prefix+"-"+dashed(field.Name)
		about := whose + " " + field.Name
		switch at.Kind() {
		case reflect.Bool:
			c.Flags().BoolVar(at.Addr().Interface().(*bool), name, false, about)
		case reflect.String:
			c.Flags().StringVar(at.Addr().Interface().(*string), name, "", about)
		}
	}
}

// dashed returns a name as flags are written: form-action for formAction.
func dashed(name string) string {
	var b strings.Builder
	for _, r := range name {
		if r >= 'A' && r <= 'Z' {
			b.WriteByte('-')
			r += 'a' - 'A'
		}
		b.WriteRune(r)
	}
	return b.String()
}

// argumentsOf makes a verb's arguments from words name=value, or from one JSON
// object.
func argumentsOf(verb string, words []string) (json.RawMessage, error) {
	if len(words) == 0 {
		return nil, nil
	}
	if len(words) == 1 && strings.HasPrefix(words[0], "{") {
		if !json.Valid([]byte(words[0])) {
			return nil, usage(errors.New("the arguments are no valid JSON"))
		}
		return json.RawMessage(words[0]), nil
	}
	var fields []action.Field
	row, known := action.Lookup(verb)
	if !known {
		row, known = action.OfTool(verb)
	}
	if known {
		fields = action.Fields(reflect.TypeOf(row.NewArgs()))
	}
	object := map[string]any{}
	for _, word := range words {
		name, value, found := strings.Cut(word, "=")
		if !found || name == "" {
			return nil, usage(fmt.Errorf("want <argument>=<value>, not %q", word))
		}
		object[name] = valueOf(fields, name, value)
	}
	return json.Marshal(object)
}

// valueOf encodes a value by the type of the argument: a text, a list of texts
// separated by commas, or else JSON.
func valueOf(fields []action.Field, name, value string) any {
	for _, f := range fields {
		kind := f.Type
		if kind.Kind() == reflect.Pointer {
			kind = kind.Elem()
		}
		switch {
		case f.Name != name || kind.Kind() == reflect.String:
		case kind == reflect.TypeFor[[]string]():
			return strings.Split(value, ",")
		case json.Valid([]byte(value)):
			return json.RawMessage(value)
		}
	}
	return value
}

func (cmd policyCommands) explainOffline(q action.PolicyQuery) error {
	if q.Session != "" {
		return usage(errors.New("--offline looks at no session"))
	}
	conf, err := setupCommands(cmd).examine(cmd.config)
	if err != nil {
		return err
	}
	out, err := cmd.deps.Explain(conf, q)
	if err != nil {
		return err
	}
	return cmd.print(action.Result{Data: &out}, cmd.showExplanation)
}

func (cmd policyCommands) showExplanation(result action.Result) {
	e, ok := result.Data.(*action.PolicyExplanation)
	if !ok {
		return
	}
	show := map[string]func(string) string{"allow": cmd.style.good, "ask": cmd.style.warn, "deny": cmd.style.bad}[e.Decision]
	if show == nil {
		show = cmd.style.bold
	}
	cmd.printf("%s  %s  by %s: %s\n", show(e.Decision), e.Risk, cmd.style.bold(e.Rule), clean(e.Why))
	if e.Hint != "" {
		cmd.printf("  hint: %s\n", clean(e.Hint))
	}
	cmd.printf("  without rules: %s  %s  by %s: %s\n", e.Builtin.Decision, e.Builtin.Risk, e.Builtin.Rule, clean(e.Builtin.Why))
	for _, rule := range e.Rules {
		mark := " "
		if rule.Matched {
			mark = cmd.style.good("→")
		}
		cmd.printf("%s rule %-3d %s %s\n", mark, rule.Number, clean(rule.Why), cmd.style.dim(clean(rule.Description)))
	}
	for _, assumed := range e.Assumed {
		cmd.printf("%s %s\n", cmd.style.dim("note:"), assumed)
	}
}
