package cli

import (
	"context"
	"regexp"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/gloveboxhq/glovebox/internal/action"
	"github.com/gloveboxhq/glovebox/internal/mcpconfig"
)

// completionTime bounds what a shell waits for when a person presses Tab.
const completionTime = 3 * time.Second

// completing has the shell complete what stands where: sessions, references of
// the page, clients, verbs and tools. Commands are found by their usage line.
func (r *root) completing(c *cobra.Command) {
	for _, each := range c.Commands() {
		r.completing(each)
	}
	switch _, arguments, _ := strings.Cut(c.Use, " "); {
	case c.ValidArgs != nil || c.ValidArgsFunction != nil:
	case strings.HasPrefix(arguments, "[<session>]"):
		c.ValidArgsFunction = r.firstly(sessionNames)
	case strings.HasPrefix(arguments, "[<element>]"), strings.HasPrefix(arguments, "[<ref>"):
		c.ValidArgsFunction = r.firstly(references)
	case strings.HasPrefix(arguments, "<from> <to>"):
		c.ValidArgsFunction = r.offered(references, 2)
	case strings.HasPrefix(arguments, "<verb>|<tool>"):
		c.ValidArgsFunction = r.firstly(verbsAndTools)
	case strings.Contains(arguments, "file"):
	default:
		c.ValidArgsFunction = cobra.NoFileCompletions
	}
	if c.Flags().Lookup("client") != nil {
		_ = c.RegisterFlagCompletionFunc("client", cobra.FixedCompletions(mcpconfig.Names(), cobra.ShellCompDirectiveNoFileComp))
	}
	if c.Flags().Lookup("ref") != nil {
		_ = c.RegisterFlagCompletionFunc("ref", r.offered(references, -1))
	}
}

// firstly offers words for the first argument, and none for others.
func (r *root) firstly(words func(context.Context, *root) []string) cobra.CompletionFunc {
	return r.offered(words, 1)
}

// offered offers words for the first of the arguments; for all where most is
// negative. A gateway that does not answer completes nothing.
func (r *root) offered(words func(context.Context, *root) []string, most int) cobra.CompletionFunc {
	return func(c *cobra.Command, args []string, toComplete string) ([]string, cobra.ShellCompDirective) {
		if most >= 0 && len(args) >= most {
			return nil, cobra.ShellCompDirectiveDefault
		}
		ctx, cancel := context.WithTimeout(c.Context(), completionTime)
		defer cancel()
		var fit []string
		for _, word := range words(ctx, r) {
			if strings.HasPrefix(word, toComplete) {
				fit = append(fit, word)
			}
		}
		return fit, cobra.ShellCompDirectiveNoFileComp
	}
}

// quietly makes a call for a completion, and says nothing of what goes wrong.
func (r *root) quietly(ctx context.Context, call action.Call) any {
	door, err := r.door(operatorToken)
	if err != nil {
		return nil
	}
	result, err := r.send(ctx, door, call)
	if err != nil {
		return nil
	}
	return result.Data
}

// sessionNames are the sessions there are: by name, or by id where they have
// none.
func sessionNames(ctx context.Context, r *root) []string {
	listing, ok := r.quietly(ctx, action.Call{Verb: "session.list", Args: &action.SessionList{}}).(*action.SessionListing)
	if !ok {
		return nil
	}
	var names []string
	for _, s := range listing.Sessions {
		about := s.State
		if s.Page != nil {
			about += ", " + s.Page.URL
		}
		names = append(names, first(short(s.Name, 64), short(s.ID, 64))+"\t"+short(about, 60))
	}
	return names
}

var referenceLine = regexp.MustCompile(`^\s*(.*?) ?\[(e\d+)\]`)

// references are those of the page that can be acted on, and what they are of.
func references(ctx context.Context, r *root) []string {
	args := &action.TakeSnapshot{Interactive: true}
	shot, ok := r.quietly(ctx, action.Call{Verb: "page.snapshot", Session: r.target, Args: args}).(*action.Snapshot)
	if !ok {
		return nil
	}
	var refs []string
	for line := range strings.Lines(shot.Text) {
		if found := referenceLine.FindStringSubmatch(line); found != nil {
			refs = append(refs, found[2]+"\t"+short(found[1], 60))
		}
	}
	return refs
}

func verbsAndTools(context.Context, *root) []string {
	var names []string
	for _, v := range action.Offered() {
		names = append(names, v.Name+"\t"+v.Summary)
		if v.Tool != "" {
			names = append(names, v.Tool+"\t"+v.Summary)
		}
	}
	return names
}
