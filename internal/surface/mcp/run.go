package mcp

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/gloveboxhq/glovebox/internal/action"
	"github.com/gloveboxhq/glovebox/internal/untrusted"
)

type runIn struct {
	URL     string             `json:"url,omitempty" maxLength:"8192"`
	Actions []action.RunAction `json:"actions,omitempty" maxItems:"100"`
	Domains []string           `json:"domain_allowlist,omitempty" maxItems:"50"`
	Effects string             `json:"effects,omitempty" enum:"none"`
	Timeout int                `json:"timeout,omitempty" minimum:"0" maximum:"120000" doc:"ms in all, default 30000"`
	Run     string             `json:"run,omitempty" maxLength:"64" doc:"Instead: id of a run to see"`
}

// runActionSchema is short: a sentence says which fields belong to which type.
// The gateway checks it fully.
func runActionSchema() action.Schema {
	var names []string
	for _, k := range action.RunKinds {
		names = append(names, k.Type)
	}
	return action.Schema{
		"type": "object", "properties": map[string]any{"type": map[string]any{"enum": names}}, "required": []string{"type"},
		"description": "navigate: url; form_input: element, value or options; left_click: element; scroll: amount; search_text: text; wait: ms, selector or text; screenshot: name. Element: ref, selector, role+name or text",
	}
}

// run starts a run, or looks at one, and waits for its end as long as a tool
// call may wait.
func run(ctx context.Context, t *turn, in *runIn) error {
	t.run = &action.RunWatch{Step: func(e action.RunEntry) {
		if t.tell != nil {
			t.tell(runLine(e))
		}
	}}
	verb, args := in.call(time.Until(t.until))
	result, err := t.call(ctx, verb, args)
	if err != nil {
		return err
	}
	if got, ok := result.Data.(*action.Run); ok {
		t.tellRun(got)
	}
	return nil
}

// Sound refuses arguments that start a run together with the id of an existing
// run.
func (in *runIn) Sound() error {
	if in.Run == "" {
		return nil
	}
	return action.Without(in, "run, which is seen", "url", "actions", "domain_allowlist", "effects", "timeout")
}

func (in *runIn) call(wait time.Duration) (verb string, args any) {
	if in.Run != "" {
		return action.VerbRunShow.Name, &action.RunShow{ID: in.Run, Wait: max(0, int(wait.Seconds()))}
	}
	start := &action.RunStart{URL: in.URL, Actions: in.Actions, DomainAllowlist: in.Domains, Effects: in.Effects}
	if in.Timeout > 0 {
		start.Timeout = &in.Timeout
	}
	return action.VerbRunStart.Name, start
}

func runLine(e action.RunEntry) string {
	mark := "ok"
	if !e.Success {
		mark = "failed"
	}
	return fmt.Sprintf("%s %s: %s", untrusted.ToolLine(e.Action, 40), mark, untrusted.ToolLine(e.Details, 200))
}

// tellRun adds a run to the reply. Text of the page is between marks.
func (t *turn) tellRun(run *action.Run) {
	r := &t.reply
	for _, e := range run.Log {
		r.did = append(r.did, "- "+runLine(e))
	}
	why := ""
	if run.Reason != nil {
		why = ": " + untrusted.ToolLine(run.Reason.Code+", "+run.Reason.Message, 300)
	}
	if run.State == action.RunEnded {
		r.did = append(r.did, fmt.Sprintf("Run %s ended, %s%s", untrusted.ToolLine(run.ID, 64), untrusted.ToolLine(run.FinalStatus, 40), why))
	} else {
		next := "Call browser_run with run " + untrusted.ToolLine(run.ID, 64) + " to see how it ends."
		if run.WaitsFor != "" || run.State == action.RunPaused {
			next = "A person must answer first. " + next
		}
		r.did = append(r.did, fmt.Sprintf("Run %s is %s%s. %s", untrusted.ToolLine(run.ID, 64), untrusted.ToolLine(run.State, 40), why, next))
	}
	for _, s := range run.Screenshots {
		r.notes = append(r.notes, "screenshot "+untrusted.ToolQuoted(s.Name)+" kept: "+untrusted.ToolLine(strings.TrimPrefix(s.Path, "/v1/artifacts/"), 64))
	}
	if run.Content.URL != "" {
		r.page = &action.Page{URL: run.Content.URL, Title: run.Content.Title}
		r.heading, r.text = "Content", marked(run.Content.Text, run.Content.URL, actSnapshot-4000)
	}
	short := *run
	short.Content = action.RunContent{Elements: []action.RunInteractive{}} // it is between marks
	r.data = &short
}
