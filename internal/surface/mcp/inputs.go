package mcp

import (
	"cmp"
	"reflect"

	"github.com/gloveboxhq/glovebox/internal/action"
)

// The arguments of the tools. They have the names that Playwright's MCP server
// uses, so that agents know them. Tags are read by action.Check and by schema.
// A field that is not listed is another name for a listed one, and is accepted.

// in names the session that a tool acts on.
type in struct {
	Session string `json:"session,omitempty" maxLength:"64" pattern:"^[A-Za-z0-9][A-Za-z0-9._-]*$"`
}

// sessionOf returns the session that a tool's arguments name; "" if they name
// none.
func sessionOf(args any) string {
	if named := reflect.ValueOf(args).Elem().FieldByName("Session"); named.IsValid() && named.Kind() == reflect.String {
		return named.String()
	}
	return ""
}

// element names an element.
type element struct {
	Target   string `json:"target,omitempty" maxLength:"4096" doc:"Ref (e12) or CSS selector"`
	Ref      string `json:"ref,omitempty" maxLength:"32" listed:"no"`
	Selector string `json:"selector,omitempty" maxLength:"4096" listed:"no"`
	Role     string `json:"role,omitempty" maxLength:"64" doc:"ARIA role"`
	Name     string `json:"name,omitempty" maxLength:"1024"`
	Index    *int   `json:"index,omitempty" minimum:"0" doc:"From 0"`
	Element  string `json:"element,omitempty" maxLength:"1024" doc:"For people"`
}

// point names an element by its position.
type point struct {
	X *float64 `json:"x,omitempty" minimum:"0" maximum:"16384" doc:"Viewport point"`
	Y *float64 `json:"y,omitempty" minimum:"0" maximum:"16384"`
}

func (p point) of(l action.Locator) action.Locator {
	l.X, l.Y = p.X, p.Y
	return l
}

type navigateIn struct {
	URL     string `json:"url" minLength:"1" maxLength:"8192" example:"https://example.com/"`
	WaitFor string `json:"wait_for,omitempty" enum:"load,domcontentloaded,networkidle"`
	Domain  string `json:"domain_hint,omitempty" maxLength:"253" doc:"Whose stored credentials to use"`
	in
}

type noneIn struct{ in }

type snapshotIn struct {
	Target string `json:"target,omitempty" maxLength:"32" doc:"Ref: only what is below it"`
	Ref    string `json:"ref,omitempty" maxLength:"32" listed:"no"`
	Depth  int    `json:"depth,omitempty" minimum:"0" maximum:"200"`
	URLs   bool   `json:"urls,omitempty" doc:"Show where links lead"`
	Format string `json:"format,omitempty" enum:"text,markdown"`

	MaxTokens   int  `json:"max_tokens,omitempty" minimum:"0" maximum:"24000" doc:"Default 6000"`
	Offset      int  `json:"offset,omitempty" minimum:"0" maximum:"10000000" doc:"To go on, as the answer says"`
	Interactive bool `json:"interactive,omitempty" doc:"Only what can be acted on"`
	Viewport    bool `json:"viewport,omitempty" doc:"Only what is in view"`
	in
}

type clickIn struct {
	element
	point
	Text        string   `json:"text,omitempty" maxLength:"1024" doc:"Visible text of it"`
	DoubleClick bool     `json:"doubleClick,omitempty"`
	Button      string   `json:"button,omitempty" enum:"left,right,middle"`
	Modifiers   []string `json:"modifiers,omitempty" maxItems:"4" doc:"Alt, Control, Meta, Shift"`
	in
}

type typeIn struct {
	element
	point
	Text   string `json:"text" maxLength:"100000" controls:"any"`
	Submit bool   `json:"submit,omitempty" doc:"Press Enter after"`
	Slowly bool   `json:"slowly,omitempty" doc:"Key by key"`
	Clear  *bool  `json:"clear_first,omitempty" doc:"Default true; false appends"`
	in
}

type fillSecretIn struct {
	Secret string `json:"secret" minLength:"1" maxLength:"64" doc:"username, password, totp"`
	Domain string `json:"domain,omitempty" maxLength:"253" doc:"Default: the page's"`
	Target string `json:"target" minLength:"1" maxLength:"4096" doc:"Ref (e12) or CSS selector"`
	in
}

type fillIn struct {
	Fields []fieldIn `json:"fields" minItems:"1" maxItems:"50"`
	in
}

type fieldIn struct {
	element
	Type  string `json:"type,omitempty" enum:"textbox,slider,combobox,checkbox,radio" doc:"Default textbox"`
	Value string `json:"value" maxLength:"100000" controls:"any" doc:"Text, option or true/false"`
}

type selectIn struct {
	element
	Values []string `json:"values" minItems:"1" maxItems:"1000" doc:"Values or labels"`
	in
}

type pressIn struct {
	Key string `json:"key" minLength:"1" maxLength:"64" doc:"Enter, ArrowLeft, a, Control+a"`
	element
	in
}

type uploadIn struct {
	Paths []string `json:"paths,omitempty" maxItems:"20" doc:"Artifact ids, or paths of a former upload; none clears"`
	Files []fileIn `json:"files,omitempty" maxItems:"20"`
	element
	in
}

type fileIn struct {
	Name  string `json:"name" minLength:"1" maxLength:"255"`
	Text  string `json:"text,omitempty" maxLength:"500000" controls:"any"`
	Bytes []byte `json:"base64,omitempty" doc:"Instead of text"`
}

// Sound refuses both contents of a file at once.
func (f *fileIn) Sound() error {
	if len(f.Bytes) > 0 {
		return action.Without(f, "base64", "text")
	}
	return nil
}

type scrollIn struct {
	X float64 `json:"x,omitempty" doc:"CSS pixels right"`
	Y float64 `json:"y,omitempty" doc:"CSS pixels down"`
	element
	in
}

type waitIn struct {
	Time     float64 `json:"time,omitempty" minimum:"0" maximum:"50" doc:"Seconds to let pass"`
	Text     string  `json:"text,omitempty" maxLength:"1024" doc:"Until it shows"`
	TextGone string  `json:"textGone,omitempty" maxLength:"1024"`
	URL      string  `json:"url,omitempty" maxLength:"8192" doc:"Until the URL contains it"`
	State    string  `json:"state,omitempty" enum:"attached,detached,visible,hidden" doc:"Of the element"`
	Timeout  float64 `json:"timeout,omitempty" minimum:"0" maximum:"50" doc:"Seconds; 5 when absent"`
	element
	in
}

type tabsIn struct {
	Action string `json:"action" minLength:"1" enum:"list,new,select,close"`
	Index  *int   `json:"index,omitempty" minimum:"0" doc:"Place in the list"`
	ID     string `json:"id,omitempty" maxLength:"64"`
	URL    string `json:"url,omitempty" maxLength:"8192" doc:"new: go there"`
	in
}

// Sound refuses arguments that the action would ignore.
func (in *tabsIn) Sound() error {
	ignored := map[string][]string{"list": {"index", "id", "url"}, "new": {"index", "id"}, "select": {"url"}, "close": {"url"}}[in.Action]
	if in.ID != "" {
		ignored = append(ignored, "index")
		return action.Without(in, "id and action "+in.Action, ignored...)
	}
	return action.Without(in, "action "+in.Action, ignored...)
}

type consoleIn struct {
	Level string `json:"level,omitempty" enum:"error,warning,info,debug" doc:"And worse; default info"`
	in
}

type networkIn struct {
	Filter string `json:"filter,omitempty" maxLength:"512" doc:"Regexp for the URL"`
	in
}

type dialogIn struct {
	Accept bool   `json:"accept"`
	Prompt string `json:"promptText,omitempty" maxLength:"10000"`
	in
}

type screenshotIn struct {
	Format   string `json:"type,omitempty" enum:"png,jpeg,webp"`
	FullPage bool   `json:"full_page,omitempty" listed:"no"`
	Full     bool   `json:"fullPage,omitempty"`
	Labels   bool   `json:"labels,omitempty" doc:"Draw refs on it"`
	element
	in
}

type findIn struct {
	Text  string `json:"text,omitempty" maxLength:"1024" doc:"Contained, any case"`
	Regex string `json:"regex,omitempty" maxLength:"512"`
	Role  string `json:"role,omitempty" maxLength:"64"`
	Name  string `json:"name,omitempty" maxLength:"1024"`
	Limit int    `json:"limit,omitempty" minimum:"0" maximum:"100"`
	in
}

type readIn struct {
	Format string `json:"format,omitempty" enum:"text,markdown,title,tree" doc:"Default text; tree is JSON"`
	paging
	in
}

// paging asks for a part of a text.
type paging struct {
	MaxTokens int `json:"max_tokens,omitempty" minimum:"0" maximum:"24000"`
	Offset    int `json:"offset,omitempty" minimum:"0" maximum:"10000000"`
}

// usualText is how many tokens of a page's text an answer contains if the call
// gives no limit.
const usualText = 6000

func (p paging) args() action.Paging {
	return action.Paging{MaxTokens: cmp.Or(p.MaxTokens, usualText), Offset: p.Offset}
}

// Sound refuses paging for a kind of content that is always returned whole.
func (in *readIn) Sound() error {
	if in.Format == "title" || in.Format == "tree" {
		return action.Without(in, "format "+in.Format, "max_tokens", "offset")
	}
	return nil
}

type downloadsIn struct {
	Action    string `json:"action,omitempty" enum:"list,read,get" doc:"Default list"`
	ID        string `json:"id,omitempty" maxLength:"64" doc:"read, get: of the list"`
	MaxTokens int    `json:"max_tokens,omitempty" minimum:"0" maximum:"24000"`
	Offset    int    `json:"offset,omitempty" minimum:"0"`
	in
}

// Sound refuses arguments that the action would ignore.
func (in *downloadsIn) Sound() error {
	switch in.Action {
	case "read":
		return nil
	case "get":
		return action.Without(in, "action get", "max_tokens", "offset")
	}
	return action.Without(in, "action list", "id", "max_tokens", "offset")
}

type markdownIn struct {
	Full bool `json:"full,omitempty" doc:"Navigation and footer too"`
	paging
	in
}

type sessionIn struct {
	Action   string   `json:"action" minLength:"1" enum:"start,list,close,archive"`
	Name     string   `json:"name,omitempty" maxLength:"64" doc:"start: its name"`
	URL      string   `json:"url,omitempty" maxLength:"8192" doc:"start: go there"`
	Width    int      `json:"width,omitempty" minimum:"0" maximum:"3840"`
	Height   int      `json:"height,omitempty" minimum:"0" maximum:"2160"`
	Headless bool     `json:"headless,omitempty"`
	Allow    []string `json:"allow,omitempty" maxItems:"200" doc:"start: hosts to narrow it to"`
	Effects  string   `json:"effects,omitempty" enum:"asked,none" doc:"start: none only reads"`
	Device   string   `json:"device,omitempty" enum:"desktop,phone,tablet" doc:"start: emulate it"`
	Locale   string   `json:"locale,omitempty" maxLength:"35" doc:"start: as de-DE"`
	Timezone string   `json:"timezone,omitempty" maxLength:"64" doc:"start: as Europe/Berlin"`
	Proxy    string   `json:"proxy,omitempty" maxLength:"64" doc:"start: by name"`
	Archived bool     `json:"include_archived,omitempty" doc:"list: these too"`
	in
}

// Sound refuses arguments that the action would ignore: with a name beside
// close, another session than the intended one would be closed.
func (in *sessionIn) Sound() error {
	var ignored []string
	if in.Action != "start" {
		ignored = []string{"name", "url", "width", "height", "headless", "allow", "effects", "device", "locale", "timezone", "proxy"}
	}
	if in.Action != "list" {
		ignored = append(ignored, "include_archived")
	}
	if in.Action == "start" {
		ignored = append(ignored, "session")
	}
	return action.Without(in, "action "+in.Action, ignored...)
}

type approvalIn struct {
	ID string `json:"approval_id" minLength:"1" maxLength:"64"`
}
