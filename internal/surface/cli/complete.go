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

// addCompletions sets what the shell completes: sessions, references of the page,
// clients, verbs and tools. It chooses by a command's usage line.
func (env *environment) addCompletions(c *cobra.Command) {
	for _, each := range c.Commands() {
		env.addCompletions(each)
	}
	switch _, arguments, _ := strings.Cut(c.Use, " "); {
	case c.ValidArgs != nil || c.ValidArgsFunction != nil:
	case strings.HasPrefix(arguments, "[<session>]"):
		c.ValidArgsFunction = env.completeFirst(sessionNames)
	case strings.HasPrefix(arguments, "[<element>]"), strings.HasPrefix(arguments, "[<ref>"):
		c.ValidArgsFunction = env.completeFirst(references)
	case strings.HasPrefix(arguments, "<from> <to>"):
		c.ValidArgsFunction = env.complete(references, 2)
	case strings.HasPrefix(arguments, "<verb>|<tool>"):
		c.ValidArgsFunction = env.completeFirst(verbsAndTools)
	case strings.Contains(arguments, "file"):
	default:
		c.ValidArgsFunction = cobra.NoFileCompletions
	}
	if c.Flags().Lookup("client") != nil {
		_ = c.RegisterFlagCompletionFunc("client", cobra.FixedCompletions(mcpconfig.Names(), cobra.ShellCompDirectiveNoFileComp))
	}
	if c.Flags().Lookup("ref") != nil {
		_ = c.RegisterFlagCompletionFunc("ref", env.complete(references, -1))
	}
}

// completeFirst completes the first argument only.
func (env *environment) completeFirst(words func(context.Context, *environment) []string) cobra.CompletionFunc {
	return env.complete(words, 1)
}

// complete completes the first most arguments, all where most is negative. Where the
// gateway does not answer it completes nothing.
func (env *environment) complete(words func(context.Context, *environment) []string, most int) cobra.CompletionFunc {
	return func(c *cobra.Command, args []string, toComplete string) ([]string, cobra.ShellCompDirective) {
		if most >= 0 && len(args) >= most {
			return nil, cobra.ShellCompDirectiveDefault
		}
		ctx, cancel := context.WithTimeout(c.Context(), completionTime)
		defer cancel()
		var fit []string
		for _, word := range words(ctx, env) {
			if strings.HasPrefix(word, toComplete) {
				fit = append(fit, word)
			}
		}
		return fit, cobra.ShellCompDirectiveNoFileComp
	}
}

// sessionNames returns the sessions by name, or by id where they have none.
func sessionNames(ctx context.Context, env *environment) []string {
	listing, ok := env.tryCall(ctx, action.Call{Verb: action.VerbSessionList.Name, Args: &action.SessionList{}}).(*action.SessionListing)
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

// references returns the references of the page's elements that can be acted on,
// with a description of each.
func references(ctx context.Context, env *environment) []string {
	args := &action.TakeSnapshot{Interactive: true}
	shot, ok := env.tryCall(ctx, action.Call{Verb: action.VerbPageSnapshot.Name, Session: env.target, Args: args}).(*action.Snapshot)
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

func verbsAndTools(context.Context, *environment) []string {
	var names []string
	for _, v := range action.Offered() {
		names = append(names, v.Name+"\t"+v.Summary)
		if v.Tool != "" {
			names = append(names, v.Tool+"\t"+v.Summary)
		}
	}
	return names
}
