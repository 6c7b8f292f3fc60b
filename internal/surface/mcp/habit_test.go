package mcp_test

import (
	"context"
	"encoding/json"
	"reflect"
	"slices"
	"strings"
	"testing"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/gloveboxhq/glovebox/internal/action"
	"github.com/gloveboxhq/glovebox/internal/fault"
	"github.com/gloveboxhq/glovebox/internal/surface/mcp"
)

// Arguments that models often write differently are accepted if they have only
// one meaning.
func TestHabitsOfModelsAreForgiven(t *testing.T) {
	ref := action.Locator{Ref: "e12"}
	for _, c := range []struct {
		tool, args string
		want       any
	}{
		{"browser_click", `{"target":"[ref=e12]"}`, &action.Click{Locator: ref}},
		{"browser_click", `{"ref":"[e12]","element":"the button"}`, &action.Click{Locator: ref}},
		{"browser_click", `{"target":"aria-ref=e12"}`, &action.Click{Locator: ref}},
		{"browser_click", `{"selector":" e12 "}`, &action.Click{Locator: ref}},
		{"browser_click", `{"ref":"#save"}`, &action.Click{Locator: action.Locator{Selector: "#save"}}},
		{"browser_click", `{"target":"text=Save"}`, &action.Click{Locator: action.Locator{Text: "Save", Strict: true}}},
		{"browser_click", `{"target":"getByText('Save all')"}`, &action.Click{Locator: action.Locator{Text: "Save all", Strict: true}}},
		{"browser_click", `{"target":"page.getByRole('button', { name: 'Save' })"}`, &action.Click{Locator: action.Locator{Role: "button", Name: "Save", Strict: true}}},
		{"browser_click", `{"target":"Email"}`, &action.Click{Locator: action.Locator{Text: "Email", Strict: true}}},
		{"browser_click", `{"target":"sign in"}`, &action.Click{Locator: action.Locator{Text: "sign in", Strict: true}}},
		{"browser_click", `{"element":"Sign in button"}`, &action.Click{Locator: action.Locator{Role: "button", Name: "Sign in", Strict: true}}},
		{"browser_click", `{"target":"e12","element":"Sign in button"}`, &action.Click{Locator: ref}},
		{"browser_click", `{"x":3,"y":4,"element":"Sign in button"}`, &action.Click{Locator: action.Locator{X: new(3.0), Y: new(4.0)}}},
		{"browser_click", `{"target":"button"}`, &action.Click{Locator: action.Locator{Selector: "button"}}},
		{"browser_click", `{"target":"form > button"}`, &action.Click{Locator: action.Locator{Selector: "form > button"}}},
		{"browser_click", `{"target":"my-app button"}`, &action.Click{Locator: action.Locator{Selector: "my-app button"}}},
		{"browser_click", `{"name":"Save"}`, &action.Click{Locator: action.Locator{Role: "control", Name: "Save", Strict: true}}},
		{"browser_check", `{"name":"Newsletter"}`, &action.SetChecked{Locator: action.Locator{Role: "control", Name: "Newsletter", Strict: true}}},
		{"browser_scroll", `{"name":"Map","y":100}`, &action.Scroll{Locator: action.Locator{Role: "control", Name: "Map", Strict: true}, Y: 100}},
		{"browser_type", `{"target":"Email","text":"a@b.example"}`, &action.Type{Locator: action.Locator{Role: "field", Name: "Email", Strict: true}, Input: "a@b.example", Clear: true}},
		{"browser_type", `{"name":"Email","text":"a@b.example"}`, &action.Type{Locator: action.Locator{Role: "field", Name: "Email", Strict: true}, Input: "a@b.example", Clear: true}},
		{"browser_type", `{"element":"Email input field","text":"a"}`, &action.Type{Locator: action.Locator{Role: "field", Name: "Email", Strict: true}, Input: "a", Clear: true}},
		{"browser_select_option", `{"name":"Size","values":["M"]}`, &action.Select{Locator: action.Locator{Role: "field", Name: "Size", Strict: true}, Values: []string{"M"}}},
		{"browser_fill_form", `{"fields":[{"name":"Age","value":"7"}]}`,
			&action.Batch{Steps: []action.Step{{Verb: "page.type", Args: &action.Type{Locator: action.Locator{Role: "field", Name: "Age", Strict: true}, Input: "7", Clear: true}}}}},
		{"browser_press_key", `{"element":"Sign in button","key":"Enter"}`, &action.Press{Key: "Enter"}},
		{"browser_click", `{"target":"role=button[name=\"Save\"]"}`, &action.Click{Locator: action.Locator{Role: "button", Name: "Save", Strict: true}}},
		{"browser_click", `{"target":"e12","double_click":"true","modifiers":"Shift","button":null,"filename":"x.md"}`,
			&action.Click{Locator: ref, ClickCount: 2, Modifiers: []string{"Shift"}}},
		{"browser_click", `{"role":"button","name":"Save","index":"1","description":"second"}`, &action.Click{Locator: action.Locator{Role: "button", Name: "Save", Index: new(1)}}},
		{"browser_type", `{"target":"e12","value":42,"clear":true}`, &action.Type{Locator: ref, Input: "42", Clear: true}},
		{"browser_select_option", `{"target":"e12","values":"Green"}`, &action.Select{Locator: ref, Values: []string{"Green"}}},
		{"browser_select_option", `{"target":"e12","value":2026}`, &action.Select{Locator: ref, Values: []string{"2026"}}},
		{"browser_select_option", `{"target":"e12","values":"[\"Red\",\"Green\"]"}`, &action.Select{Locator: ref, Values: []string{"Red", "Green"}}},
		{"browser_navigate", `{"uri":"https://a.example/","waitUntil":"load"}`, &action.Goto{URL: "https://a.example/", WaitUntil: "load"}},
		{"browser_scroll", `{"deltaY":"600"}`, &action.Scroll{Y: 600}},
		{"browser_fill_form", `{"fields":"[{\"ref\":\"e12\",\"text\":\"Ada\",\"element\":\"Name\"}]"}`,
			&action.Batch{Steps: []action.Step{{Verb: "page.type", Args: &action.Type{Locator: ref, Input: "Ada", Clear: true}}}}},
		{"browser_fill_form", `{"fields":{"target":"e12","type":"checkbox","value":true}}`,
			&action.Batch{Steps: []action.Step{{Verb: "page.click", Args: &action.Click{Locator: ref, Checked: new(true)}}}}},
		{"browser_batch", `{"steps":[{"name":"browser_click","args":{"ref":"e12","intent":"save"}}]}`,
			&action.Batch{Steps: []action.Step{{Verb: "page.click", Args: &action.Click{Locator: ref}}}}},
	} {
		d := site()
		session := connect(t, surface(t, d), nil)
		result, err := session.CallTool(t.Context(), &sdk.CallToolParams{Name: c.tool, Arguments: json.RawMessage(c.args)})
		if err != nil || len(d.calls) == 0 {
			t.Errorf("%s %s: %v, refused %+v", c.tool, c.args, err, d.refused)
			continue
		}
		if got := d.call(t, 0).Args; !reflect.DeepEqual(got, c.want) {
			t.Errorf("%s %s became %+v, want %+v (%s)", c.tool, c.args, got, c.want, text(t, result))
		}
	}
}

// Arguments that could mean something else, or that the tool would ignore, are
// refused.
func TestWhatIsNoHabitIsRefused(t *testing.T) {
	for tool, args := range map[string]string{
		"browser_click":         `{"target":"e12","force":true}`,
		"browser_navigate":      `{"url":{"to":"https://a.example/"}}`,
		"browser_hover":         `{"target":"e12","value":"Save"}`,
		"browser_type":          `{"target":"e12","text":"a","value":"b"}`,
		"browser_select_option": `{"target":"e12","values":["a"],"values":["b"]}`,
		"browser_press_key":     `{"key":["a",{"b":1}]}`,
	} {
		d := site()
		session := connect(t, surface(t, d), nil)
		_, _ = session.CallTool(t.Context(), &sdk.CallToolParams{Name: tool, Arguments: json.RawMessage(args)})
		if d.verbs() != "" || len(d.refused) != 1 || d.refused[0].why.Code != fault.InvalidRequest {
			t.Errorf("%s %s: called %q, refused %+v", tool, args, d.verbs(), d.refused)
		}
	}
}

// elsewhere are the tools of Playwright's MCP server (@playwright/mcp 0.0.7x, all
// capabilities) and of its earlier versions.
const elsewhere = `browser_annotate browser_check browser_click browser_close browser_console_clear browser_console_messages
browser_cookie_clear browser_cookie_delete browser_cookie_get browser_cookie_list browser_cookie_set browser_drag browser_drop
browser_emulate_media browser_evaluate browser_file_upload browser_fill_form browser_find browser_generate_locator browser_get_config
browser_handle_dialog browser_hide_highlight browser_highlight browser_hover browser_install browser_keydown browser_keyup
browser_localstorage_clear browser_localstorage_delete browser_localstorage_get browser_localstorage_list browser_localstorage_set
browser_mouse_click_xy browser_mouse_down browser_mouse_drag_xy browser_mouse_move_xy browser_mouse_up browser_mouse_wheel
browser_navigate browser_navigate_back browser_navigate_forward browser_network_clear browser_network_request
browser_network_requests browser_network_state_set browser_pdf_save browser_press_key browser_press_sequentially browser_reload
browser_resize browser_resume browser_route browser_route_list browser_run_code browser_run_code_unsafe browser_select_option
browser_sessionstorage_clear browser_sessionstorage_delete browser_sessionstorage_get browser_sessionstorage_list
browser_sessionstorage_set browser_set_storage_state browser_snapshot browser_start_recording browser_start_tracing
browser_start_video browser_stop_recording browser_stop_tracing browser_stop_video browser_storage_state browser_tab_close
browser_tab_list browser_tab_new browser_tab_select browser_tabs browser_take_screenshot browser_type browser_uncheck browser_unroute
browser_verify_element_visible browser_verify_list_visible browser_verify_text_visible browser_verify_value browser_video_chapter
browser_video_hide_actions browser_video_show_actions browser_wait_for browser_webmcp_call browser_webmcp_list`

func TestToolsOfPlaywrightNameTheirReplacement(t *testing.T) {
	session := connect(t, surface(t, site(), func(o *mcp.Options) { o.Tools = []string{"all"} }), nil)
	list, err := session.ListTools(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	ours := names(list.Tools)
	for _, name := range strings.Fields(elsewhere) {
		if slices.Contains(ours, name) {
			continue
		}
		result, err := session.CallTool(t.Context(), &sdk.CallToolParams{Name: name})
		if err != nil || !result.IsError {
			t.Errorf("%s: %v", name, err)
			continue
		}
		said := text(t, result)
		_, step, _ := strings.Cut(said, "\nNext: ")
		for _, tool := range toolNames.FindAllString(step, -1) {
			if !slices.Contains(ours, tool) {
				t.Errorf("%s leads to %s, which is none", name, tool)
			}
		}
		if !strings.Contains(said, "unknown_action: ") || len(strings.Fields(step)) < 4 || strings.Contains(said, "glovebox ") {
			t.Errorf("%s: %s", name, said)
		}
	}
}

func TestAToolThatIsNotOfferedSaysHowItIs(t *testing.T) {
	d := site()
	session := connect(t, surface(t, d, func(o *mcp.Options) { o.Tools = nil }), nil)
	_, err := session.CallTool(t.Context(), &sdk.CallToolParams{Name: "browser_evaluate", Arguments: map[string]any{"function": "1"}})
	if err == nil || !strings.Contains(err.Error(), "--tools +debug") || len(d.refused) != 1 || d.verbs() != "" {
		t.Errorf("%v, %+v", err, d.refused)
	}
}

func TestAgentsAreToldToRunNoCommand(t *testing.T) {
	d := &fakeGate{answer: func(context.Context, action.Call) (action.Result, error) {
		return action.Result{}, fault.New(fault.SandboxRuntimeRequired, "no engine").Hinted("run glovebox doctor")
	}}
	said := text(t, use(t, connect(t, surface(t, d), nil), "browser_click", map[string]any{"target": "e1"}))
	if !strings.Contains(said, "Next: tell your user that a person has to do this: run glovebox doctor") {
		t.Errorf("it says %s", said)
	}
}
