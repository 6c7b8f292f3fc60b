package bench

import (
	"context"
	"encoding/base64"
	"fmt"
	"regexp"
	"strings"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/gloveboxhq/glovebox/bench/peer"
)

type object = map[string]any

// field is one of a form.
type field struct{ ref, name, value string }

// hand is what an agent does with a browser, in the way of one server. Each
// method is one tool call unless it says otherwise, and returns what the agent
// then reads. References are those that the server gives.
type hand interface {
	open(url string) (string, error)
	look() (string, error) // the page, with its texts and references
	click(ref string, loads bool) (string, error)
	fill(ref, text string) (string, error)
	choose(ref, option string) (string, error)
	press(key string) (string, error) // where the focus is
	hover(ref string) (string, error)
	form(fields []field) (string, error)
	evaluate(expression string) (string, error)
	await(text string) (string, error) // until the page shows it
	shoot() (size int, err error)      // a picture of the viewport; its bytes
	ref(text, role, name string) string
}

// served is a hand that calls tools.
type served struct {
	ctx context.Context
	*peer.Server
}

func (s served) use(tool string, args object) (string, error) { return s.Call(s.ctx, tool, args) }

// picture is the first picture of an answer.
func (s served) picture(tool string, args object) (int, error) {
	result, err := s.CallResult(s.ctx, tool, args)
	if err != nil {
		return 0, err
	}
	for _, content := range result.Content {
		if image, ok := content.(*mcp.ImageContent); ok {
			return len(image.Data), nil
		}
	}
	return 0, fmt.Errorf("%s answered without a picture: %s", tool, peer.Text(result))
}

// find is the first reference that a pattern with a role and a name finds.
func find(pattern, text, role, name string) string {
	pattern = strings.NewReplacer("ROLE", regexp.QuoteMeta(role), "NAME", regexp.QuoteMeta(name)).Replace(pattern)
	if m := regexp.MustCompile("(?m)" + pattern).FindStringSubmatch(text); m != nil {
		return m[1]
	}
	return ""
}

// handOf returns the hand of a server.
func handOf(ctx context.Context, s *peer.Server, operator func() *peer.Server) hand {
	own := served{ctx, s}
	switch s.Kind {
	case peer.Glovebox:
		return gloveboxHand{own, operator}
	case peer.AgentBrowser:
		return agentBrowserHand{own}
	case peer.DevTools:
		return devtoolsHand{own}
	}
	return playwrightHand{own}
}

// gloveboxHand: every answer of a write says what it changed.
type gloveboxHand struct {
	served
	operator func() *peer.Server
}

func (h gloveboxHand) open(url string) (string, error) {
	return h.use("browser_navigate", object{"url": url})
}
func (h gloveboxHand) look() (string, error) { return h.use("browser_snapshot", nil) }
func (h gloveboxHand) click(ref string, _ bool) (string, error) {
	return h.use("browser_click", object{"target": ref})
}
func (h gloveboxHand) fill(ref, text string) (string, error) {
	return h.use("browser_type", object{"target": ref, "text": text, "clear_first": true})
}
func (h gloveboxHand) choose(ref, option string) (string, error) {
	return h.use("browser_select_option", object{"target": ref, "values": []string{option}})
}
func (h gloveboxHand) press(key string) (string, error) {
	return h.use("browser_press_key", object{"key": key})
}
func (h gloveboxHand) hover(ref string) (string, error) {
	return h.use("browser_hover", object{"target": ref})
}
func (h gloveboxHand) form(fields []field) (string, error) {
	var all []object
	for _, f := range fields {
		all = append(all, object{"target": f.ref, "value": f.value})
	}
	return h.use("browser_fill_form", object{"fields": all})
}

// evaluate is an operator's: an agent would have to ask a person.
func (h gloveboxHand) evaluate(expression string) (string, error) {
	return h.operator().Call(h.ctx, "browser_evaluate", object{"function": "() => " + expression})
}
func (h gloveboxHand) await(text string) (string, error) {
	return h.use("browser_wait_for", object{"text": text})
}
func (h gloveboxHand) shoot() (int, error) { return h.picture("browser_take_screenshot", nil) }
func (h gloveboxHand) ref(text, role, name string) string {
	return find(`^[ +~]*(?:text .*)?ROLE "NAME".*?\[(e\d+)\]`, text, role, name)
}

// playwrightHand: an answer says where it wrote the snapshot; to read it, an
// agent asks for one.
type playwrightHand struct{ served }

func (h playwrightHand) open(url string) (string, error) {
	return h.use("browser_navigate", object{"url": url})
}
func (h playwrightHand) look() (string, error) { return h.use("browser_snapshot", nil) }
func (h playwrightHand) click(ref string, _ bool) (string, error) {
	return h.use("browser_click", object{"target": ref})
}
func (h playwrightHand) fill(ref, text string) (string, error) {
	return h.use("browser_type", object{"target": ref, "text": text})
}
func (h playwrightHand) choose(ref, option string) (string, error) {
	return h.use("browser_select_option", object{"target": ref, "values": []string{option}})
}
func (h playwrightHand) press(key string) (string, error) {
	return h.use("browser_press_key", object{"key": key})
}
func (h playwrightHand) hover(ref string) (string, error) {
	return h.use("browser_hover", object{"target": ref})
}
func (h playwrightHand) form(fields []field) (string, error) {
	var all []object
	for _, f := range fields {
		all = append(all, object{"target": f.ref, "name": f.name, "type": "textbox", "value": f.value})
	}
	return h.use("browser_fill_form", object{"fields": all})
}
func (h playwrightHand) evaluate(expression string) (string, error) {
	return h.use("browser_evaluate", object{"function": "() => " + expression})
}
func (h playwrightHand) await(text string) (string, error) {
	return h.use("browser_wait_for", object{"text": text})
}
func (h playwrightHand) shoot() (int, error) {
	return h.picture("browser_take_screenshot", object{"scale": "css"})
}
func (h playwrightHand) ref(text, role, name string) string {
	return find(`\bROLE "NAME".*?\[ref=((?:f\d+)?e\d+)\]`, text, role, name)
}

// agentBrowserHand: answers of writes say nothing of the page, and snapshots
// have the page's texts when they are asked for.
type agentBrowserHand struct{ served }

func (h agentBrowserHand) open(url string) (string, error) {
	return h.use("agent_browser_open", object{"url": url})
}
func (h agentBrowserHand) look() (string, error) {
	return h.use("agent_browser_snapshot", object{"interactive": false, "compact": true})
}
func (h agentBrowserHand) click(ref string, _ bool) (string, error) {
	return h.use("agent_browser_click", object{"selector": ref})
}
func (h agentBrowserHand) fill(ref, text string) (string, error) {
	return h.use("agent_browser_fill", object{"selector": ref, "text": text})
}
func (h agentBrowserHand) choose(ref, option string) (string, error) {
	return h.use("agent_browser_select", object{"selector": ref, "values": []string{option}})
}

func (h agentBrowserHand) press(key string) (string, error) {
	return h.use("agent_browser_press", object{"key": key})
}
func (h agentBrowserHand) hover(ref string) (string, error) {
	return h.use("agent_browser_hover", object{"selector": ref})
}

// form is a call for each field.
func (h agentBrowserHand) form(fields []field) (string, error) {
	var all []string
	for _, f := range fields {
		text, err := h.fill(f.ref, f.value)
		if err != nil {
			return "", err
		}
		all = append(all, text)
	}
	return strings.Join(all, "\n"), nil
}
func (h agentBrowserHand) evaluate(expression string) (string, error) {
	return h.use("agent_browser_eval", object{"script": expression})
}
func (h agentBrowserHand) await(text string) (string, error) {
	return h.use("agent_browser_wait_for_text", object{"text": text})
}
func (h agentBrowserHand) shoot() (int, error) { return h.picture("agent_browser_screenshot", nil) }
func (h agentBrowserHand) ref(text, role, name string) string {
	if ref := find(`\bROLE "NAME".*?\bref=(e\d+)\]`, text, role, name); ref != "" {
		return "@" + ref
	}
	return ""
}

// devtoolsHand: answers of writes have a snapshot when they are asked for it.
type devtoolsHand struct{ served }

func (h devtoolsHand) open(url string) (string, error) {
	return h.use("navigate_page", object{"url": url})
}
func (h devtoolsHand) look() (string, error) { return h.use("take_snapshot", nil) }
func (h devtoolsHand) click(ref string, _ bool) (string, error) {
	return h.use("click", object{"uid": ref, "includeSnapshot": true})
}
func (h devtoolsHand) fill(ref, text string) (string, error) {
	return h.use("fill", object{"uid": ref, "value": text, "includeSnapshot": true})
}
func (h devtoolsHand) choose(ref, option string) (string, error) { return h.fill(ref, option) }
func (h devtoolsHand) press(key string) (string, error) {
	return h.use("press_key", object{"key": key, "includeSnapshot": true})
}
func (h devtoolsHand) hover(ref string) (string, error) {
	return h.use("hover", object{"uid": ref, "includeSnapshot": true})
}
func (h devtoolsHand) form(fields []field) (string, error) {
	var all []object
	for _, f := range fields {
		all = append(all, object{"uid": f.ref, "value": f.value})
	}
	return h.use("fill_form", object{"elements": all, "includeSnapshot": true})
}
func (h devtoolsHand) evaluate(expression string) (string, error) {
	return h.use("evaluate_script", object{"function": "() => " + expression})
}
func (h devtoolsHand) await(text string) (string, error) {
	return h.use("wait_for", object{"text": []string{text}})
}
func (h devtoolsHand) shoot() (int, error) { return h.picture("take_screenshot", nil) }
func (h devtoolsHand) ref(text, role, name string) string {
	return find(`uid=(\S+) ROLE "NAME"`, text, role, name)
}

// decoded is the length of a picture in base64.
func decoded(text string) int { return base64.StdEncoding.DecodedLen(len(text)) }
