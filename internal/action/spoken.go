package action

import (
	"encoding/json"
	"regexp"
	"strings"
)

var (
	spokenVerb = regexp.MustCompile(`\b[a-z]+\.[a-z_]+\b`)
	spokenLook = regexp.MustCompile(`\btake (?:a|a new|another) (snapshot|screenshot)\b`)
	spokenTool = regexp.MustCompile(`\bbrowser_[a-z_]+\b`)
	command    = regexp.MustCompile(`\bglovebox [a-z]+|\b(?:sudo|docker|systemctl|chmod|export) \S`)
	someone    = regexp.MustCompile(`(?i)\b(?:person|people|operator|user)\b`)
)

// commandsOf maps verbs and tools to commands that the table does not contain.
var commandsOf = map[string]string{
	VerbApprovalStatus.Name:      "approvals show",
	"browser_approval_status":    "approvals show",
	VerbArtifactGet.Name:         "artifacts get",
	VerbSessionRequestHuman.Name: "session take",
	"browser_request_human":      "session take",
	"browser_session":            "session",
}

// ForAgents returns a hint for agents: verbs are named as their tools, and
// commands for a terminal are marked as something that a person must do.
func ForAgents(hint string) string {
	hint = spokenLook.ReplaceAllStringFunc(hint, func(found string) string {
		if strings.HasSuffix(found, "screenshot") {
			return "call browser_take_screenshot"
		}
		return "call browser_snapshot"
	})
	hint = NamingTools(hint)
	if command.MatchString(hint) && !someone.MatchString(hint) {
		return "tell your user that a person has to do this: " + hint
	}
	return hint
}

// NamingTools returns a text in which verbs are named as their tools.
func NamingTools(text string) string {
	return spokenVerb.ReplaceAllStringFunc(text, func(name string) string {
		if v, known := Lookup(name); known && v.Tool != "" {
			return v.Tool
		}
		return name
	})
}

// ForPeople returns a hint for people at the command line: verbs and tools are
// named as commands.
func ForPeople(hint string) string {
	hint = spokenLook.ReplaceAllString(hint, "run glovebox $1")
	hint = spokenVerb.ReplaceAllStringFunc(hint, func(name string) string {
		v, known := Lookup(name)
		return commandOf(name, v, known)
	})
	return spokenTool.ReplaceAllStringFunc(hint, func(name string) string {
		v, known := OfTool(name)
		return commandOf(name, v, known)
	})
}

// commandOf returns the command of a verb or tool, or name if there is none.
func commandOf(name string, v *Verb, known bool) string {
	switch own := commandsOf[name]; {
	case own != "":
		return "glovebox " + own
	case known && v.Command != "":
		return "glovebox " + v.Command
	}
	return name
}

// OfTool returns the verb that a tool calls, the first one if it calls several.
// browser_click and click are the same tool.
func OfTool(name string) (*Verb, bool) {
	name = "browser_" + strings.TrimPrefix(name, "browser_")
	if verb, other := toolVerbs[name]; other {
		return Lookup(verb)
	}
	for _, v := range Verbs {
		if v.Tool == name {
			return v, true
		}
	}
	return nil, false
}

// toolVerbs maps tools to verbs that the table does not connect, because it has
// one tool for each verb.
var toolVerbs = map[string]string{
	"browser_fill_form":  VerbPageType.Name,
	"browser_screenshot": VerbPageScreenshot.Name,
	"browser_read":       VerbPageExtract.Name,
}

var toolRef = regexp.MustCompile(`^(@|ref=)?e\d+$`)

// OfToolArgs converts the arguments of a tool to those of its verb: target
// becomes a reference or a selector, and arguments that only describe the call
// are removed. Anything but a JSON object is returned unchanged.
func OfToolArgs(args json.RawMessage) json.RawMessage {
	var object map[string]any
	if json.Unmarshal(args, &object) != nil || object == nil {
		return args
	}
	if target, is := object["target"].(string); is {
		place := "selector"
		if toolRef.MatchString(target) {
			place = "ref"
		}
		object[place] = target
	}
	if clear, given := object["clear_first"]; given {
		object["clear"] = clear
	}
	for _, name := range []string{"target", "clear_first", "element", "session"} {
		delete(object, name)
	}
	out, err := json.Marshal(object)
	if err != nil {
		return args
	}
	return out
}
