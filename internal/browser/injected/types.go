package injected

import (
	"time"

	"github.com/gloveboxhq/glovebox/internal/fault"
)

// Query says which elements to find: by number, selector, role (with name) or
// text; the first given wins.
type Query struct {
	Node     int    `json:"node,omitempty"`
	Selector string `json:"selector,omitempty"` // CSS; pierces open shadow roots
	Role     string `json:"role,omitempty"`
	Name     string `json:"name,omitempty"` // with role: equal, or else contained
	Text     string `json:"text,omitempty"` // visible text: equal, or else contained
	Index    *int   `json:"index,omitempty"`
	Visible  bool   `json:"visible,omitempty"` // only a visible element ends the wait
	Seen     bool   `json:"seen,omitempty"`    // only visible elements, by their visible text
	Strict   bool   `json:"strict,omitempty"`  // set Found.Distinct
	Wait     int    `json:"wait,omitempty"`    // milliseconds; 0 looks once
}

// Idleness says how long a document has not changed.
type Idleness struct {
	Scripts bool `json:"scripts"` // it has scripts: without one nothing changes
	Since   int  `json:"since"`   // milliseconds since the last change of its tree
}

// For is Since as a duration.
func (s Idleness) For() time.Duration { return time.Duration(s.Since) * time.Millisecond }

// TextQuery asks for the texts by which elements are found: their names, or
// their visible texts.
type TextQuery struct {
	Nodes []int `json:"nodes"`
	Names bool  `json:"names,omitempty"`
}

// Found is what matched. Node is 0 when nothing did, or when Index is beyond
// the matches.
type Found struct {
	Error   string `json:"error,omitempty"` // "invalid_selector"
	Message string `json:"message,omitempty"`
	Matches int    `json:"matches"` // all of them
	Visible int    `json:"visible"` // the visible ones among the first 100
	Nodes   []int  `json:"nodes"`   // the first 20, in document order
	Node    int    `json:"node"`    // the one meant: by Index, else the first visible, else the first
	Facts   *Facts `json:"facts"`   // of Node

	// Distinct is set with Query.Strict and without an index: those of Nodes
	// that are visible and act as different elements, or all if none is
	// visible.
	Distinct []int `json:"distinct,omitempty"`
}

// Fault returns the fault for an invalid selector, nil otherwise.
func (f Found) Fault() error {
	if f.Error == "" {
		return nil
	}
	return fault.New(fault.InvalidSelector, "%s", f.Message).
		Hinted("give a CSS selector, or find the element by ref, by role and name, or by text")
}

type byNode struct {
	Node   int     `json:"node"`
	Shown  bool    `json:"shown,omitempty"`
	Choice *Choice `json:"choice,omitempty"`
}

// Was is how an element was shown to a caller: its name, and the first words of the
// entry of a list or table that it is in. Name is empty if the caller has acted on
// it since.
type Was struct {
	Name string `json:"name"`
	Item string `json:"item"`
}

// Element has the fields of action.Element in the same order, so that one
// converts to the other. The page engine sets Ref and FrameURL.
type Element struct {
	Role         string `json:"role"`
	Name         string `json:"name"`
	Tag          string `json:"tag"`
	Type         string `json:"type,omitempty"`
	Autocomplete string `json:"autocomplete,omitempty"`
	Ref          string `json:"ref,omitempty"`
	Label        string `json:"label,omitempty"`
	Within       string `json:"within,omitempty"`
	Login        bool   `json:"login,omitempty"`
	FieldName    string `json:"fieldName,omitempty"`
	Placeholder  string `json:"placeholder,omitempty"`
	FrameURL     string `json:"frameUrl,omitempty"`
	LinkURL      string `json:"linkUrl,omitempty"`
	FormAction   string `json:"formAction,omitempty"`
	FormMethod   string `json:"formMethod,omitempty"`
	Submits      bool   `json:"submits,omitempty"`
	SubmitName   string `json:"submitName,omitempty"`

	FormFields [][2]string `json:"formFields,omitempty"`
	FormRead   bool        `json:"formRead,omitempty"`

	Editable  bool   `json:"editable,omitempty"`
	Code      bool   `json:"code,omitempty"`
	Protected bool   `json:"protected,omitempty"`
	Toggle    bool   `json:"toggle,omitempty"`
	Also      string `json:"also,omitempty"`
	Orders    string `json:"orders,omitempty"`
	Dialog    string `json:"dialog,omitempty"`
	Beside    string `json:"beside,omitempty"`
	Item      string `json:"item,omitempty"`
	Scripted  bool   `json:"scripted,omitempty"`
	Blank     bool   `json:"blank,omitempty"`
	Emptied   bool   `json:"emptied,omitempty"`
	Icons     string `json:"icons,omitempty"`
	On        bool   `json:"on,omitempty"`
	Chosen    string `json:"chosen,omitempty"`
}

// Facts are the facts about an element, and its fingerprint.
type Facts struct {
	Gone bool `json:"gone,omitempty"` // no longer in the document; no other field is set
	Element
	Was   *Was   `json:"was,omitempty"` // how it was shown before, if that was different: FactsShown only
	Print string `json:"print"`         // role, names without generated content, type, link, form, orders, dialog, how often it was redrawn
	Frame bool   `json:"frame"`         // an iframe: its content belongs to another Frame
	Rect  Rect   `json:"rect"`
	Row   string `json:"row"` // the first text of a row that is made of plain boxes; only shown, not judged

	Options []string `json:"options,omitempty"` // see FactsShown

	Editor bool `json:"editor,omitempty"` // the field of a code editor, which draws its text elsewhere: see Frame.Insert
}

// Rect is a box in the frame's viewport, in CSS pixels.
type Rect struct {
	X      float64 `json:"x"`
	Y      float64 `json:"y"`
	Width  float64 `json:"width"`
	Height float64 `json:"height"`
}

// Kind says for what kind of act an element must be ready.
type Kind string

// The kinds of acts.
const (
	ForClick  Kind = "click"
	ForHover  Kind = "hover"
	ForType   Kind = "type"
	ForSelect Kind = "select"
	ForScroll Kind = "scroll"
	ForFocus  Kind = "focus" // for a key press: attached, visible and enabled
	ForDrag   Kind = "drag"  // to be pressed and dragged
	ForDrop   Kind = "drop"  // for something to be dropped on it; it may be disabled
)

// Pinned names the element for which a verdict was given.
type Pinned struct {
	Node  int    `json:"node"`
	Print string `json:"print,omitempty"` // empty does not check
	Kind  Kind   `json:"kind"`
	Rect  *Rect  `json:"rect,omitempty"`  // its place at the last look: if it is elsewhere now, it moves
	Wait  int    `json:"wait,omitempty"`  // milliseconds; 0 looks once
	Focus *Focus `json:"focus,omitempty"` // give it the focus as soon as it is ready; with ForFocus only if it does not have it

	Choose *Choice `json:"choose,omitempty"` // select these options as soon as it is ready

	Checked bool `json:"checked,omitempty"` // return whether it is checked
	Watch   bool `json:"watch,omitempty"`   // begin to record changes as effects of an act on it, as Frame.WatchAct

	Point  *Point `json:"point,omitempty"`  // use this point only; do not scroll
	Offset *Point `json:"offset,omitempty"` // use only this point, from its left and top edge
}

// Point is a point of the frame's viewport, in CSS pixels.
type Point struct {
	X float64 `json:"x"`
	Y float64 `json:"y"`
}

// Receiver is the element that receives a point. Node is 0 if there is none.
// Inner is set if it is a frame: the point in that frame's viewport. Pierce is
// an element that may have a closed shadow root: call PierceAt, then ask again.
type Receiver struct {
	Node   int    `json:"node"`
	Pierce int    `json:"pierce,omitempty"`
	Facts  *Facts `json:"facts,omitempty"`
	Inner  *Point `json:"inner,omitempty"`
}

// Readiness is the point to act on, or the reason why there is none. One of OK,
// Gone, Changed, Pierce and Wait is set.
type Readiness struct {
	OK      bool    `json:"ok,omitempty"`
	Gone    bool    `json:"gone,omitempty"`
	Changed bool    `json:"changed,omitempty"` // the fingerprint differs
	Wait    string  `json:"wait,omitempty"`    // "not visible", "disabled", "not editable", "not a select", "an option", "a frame", "moving", "covered", "out of reach"
	Pierce  int     `json:"pierce,omitempty"`  // an element that may have a closed shadow root: PierceAt, then ask again
	Reached bool    `json:"reached,omitempty"` // X and Y reach it
	By      string  `json:"by,omitempty"`      // what covers it: `div.modal "Cookie consent"`
	X       float64 `json:"x"`                 // in the frame's viewport, CSS pixels
	Y       float64 `json:"y"`
	Rect    Rect    `json:"rect"`
	Focused bool    `json:"focused,omitempty"` // it has the focus already
	Facts   *Facts  `json:"facts,omitempty"`

	Took  *Focused `json:"took,omitempty"`  // result of Pinned.Focus, if it was tried
	Chose *Chosen  `json:"chose,omitempty"` // result of Pinned.Choose

	Checked string `json:"checked,omitempty"` // with Pinned.Checked: true, false or mixed; empty if it cannot be checked
	Keys    bool   `json:"keys,omitempty"`    // with ForType: text must come key by key, as far as listeners are known
	Box     bool   `json:"box,omitempty"`     // with ForType: it takes one character, as do others beside it
}

// Focus asks to give an element the focus.
type Focus struct {
	Node int  `json:"node"`
	All  bool `json:"all,omitempty"` // select all of its text; otherwise the caret goes to the end, unless text is selected
}

// Focused says whether the element now has the focus.
type Focused struct {
	OK     bool `json:"ok"`
	Gone   bool `json:"gone,omitempty"`
	Secret bool `json:"secret,omitempty"` // its value is protected now
}

// Delivery says how much of the input of an act arrived.
type Delivery struct {
	Refused  string `json:"refused,omitempty"`  // why a part was refused: "press", "keys", "effect"
	Presses  int    `json:"presses"`            // presses of the pointer's button that reached the element
	Keys     int    `json:"keys"`               // likewise
	Typed    int    `json:"typed"`              // characters and Enter
	Withheld bool   `json:"withheld,omitempty"` // an effect of the input was for another element, and was stopped

	Value *string `json:"value,omitempty"` // what the field that was typed into holds, unless it is protected
}

// Active is the element that receives keys; the root element when nothing has
// the focus. Node is 0 if a frame or an enclosing document has it. Pierce is an
// element that may have a closed shadow root: call PierceAt, then ask again.
type Active struct {
	Node   int    `json:"node"`
	Pierce int    `json:"pierce,omitempty"`
	Facts  *Facts `json:"facts,omitempty"`
}

// DragWatch is the element of a drag that is watched.
type DragWatch struct {
	Node    int  `json:"node"`
	Unknown bool `json:"unknown,omitempty"` // the page's listeners are not known
}

// DragSigns are what a page shows of a drag. Began is set if it began a drag and drop of
// the browser and did not prevent it, Shown if it may have changed.
type DragSigns struct {
	Began bool `json:"began"`
	Shown bool `json:"shown"`
}

// Choice asks for options of a select element by value or label.
type Choice struct {
	Node   int      `json:"node"`
	Values []string `json:"values"`
	Print  string   `json:"print,omitempty"` // of the judged list: Choose
}

// Chosen lists what is now selected. If a value matches nothing, nothing was
// changed: Missing is the value, and Options lists the existing options. If a
// value means options of several groups, Options lists these with their groups, and
// Selected their values.
type Chosen struct {
	OK       bool     `json:"ok,omitempty"`
	Gone     bool     `json:"gone,omitempty"`
	Error    string   `json:"error,omitempty"` // "not a select", "single", "missing", "ambiguous", "disabled"; "late" if other options than the judged ones came with the focus
	Missing  string   `json:"missing,omitempty"`
	Options  []string `json:"options,omitempty"`  // labels, at most 50
	Selected []string `json:"selected,omitempty"` // values
	Labels   []string `json:"labels,omitempty"`   // of those
}

// Assignment is the whole value of a field with a format of its own: date,
// time, month, week, datetime-local, range or color (HTML standard, 4.10.5.1).
type Assignment struct {
	Node  int    `json:"node"`
	Value string `json:"value"`
}

// Assigned says whether the field accepted the value. If it did not, nothing
// was changed, and Takes describes valid values.
type Assigned struct {
	OK    bool   `json:"ok,omitempty"`
	Gone  bool   `json:"gone,omitempty"`
	Error string `json:"error,omitempty"` // "not editable", "format"
	Takes string `json:"takes,omitempty"`
}

// Insertion is text for an element, with line breaks or tabs.
type Insertion struct {
	Node  int    `json:"node"`
	Print string `json:"print"` // the fingerprint of what was judged
	Text  string `json:"text"`
	Keyed bool   `json:"keyed,omitempty"` // insert it only as a paste that the page handles
	Boxes bool   `json:"boxes,omitempty"` // Node is a box of one character, which was typed: wait until the page passes the focus on, or else give the boxes Text, if any, as a paste
}

// Inserted says whether the element has the text. If not, the text is typed.
type Inserted struct {
	OK    bool   `json:"ok,omitempty"`
	Gone  bool   `json:"gone,omitempty"`
	Error string `json:"error,omitempty"` // "changed"

	Passed bool `json:"passed,omitempty"` // with Boxes: the page passed the focus on
}

// FillQuery is a secret for a field.
type FillQuery struct {
	Node   int    `json:"node"`
	Print  string `json:"print"`  // the fingerprint of what was judged
	Origin string `json:"origin"` // the required origin of this document and of all its ancestors
	Value  string `json:"value"`
}

// Filled says whether the field contains the secret. If not, nothing is left in
// the field.
type Filled struct {
	OK    bool   `json:"ok,omitempty"`
	Gone  bool   `json:"gone,omitempty"`
	Error string `json:"error,omitempty"` // "changed", "origin", "form", "shown"
}

// Scroll asks to scroll by a distance, or, with a node and no distance, to
// scroll the node into view. Without a node the document scrolls.
type Scroll struct {
	Node int     `json:"node,omitempty"`
	X    float64 `json:"x,omitempty"`
	Y    float64 `json:"y,omitempty"`
}

// Scrolled is the position of what was scrolled, in CSS pixels.
type Scrolled struct {
	Gone bool    `json:"gone,omitempty"`
	X    float64 `json:"x"`
	Y    float64 `json:"y"`
	MaxX float64 `json:"maxX"`
	MaxY float64 `json:"maxY"`

	Wheel bool `json:"wheel,omitempty"` // the page took the wheel itself; nothing was scrolled
}

// Text is the visible text of a frame.
type Text struct {
	Title string `json:"title"`
	Type  string `json:"type,omitempty"` // media type of the document, where it is not HTML
	Text  string `json:"text"`
	Cut   bool   `json:"cut,omitempty"` // there was more than 1 MiB
}

// Conditions are the conditions that Wait waits for. All that are given must
// hold.
type Conditions struct {
	Query           // an element that has State
	State    string `json:"state,omitempty"` // attached, detached, visible, hidden; attached when empty
	TextGone string `json:"textGone,omitempty"`
	URL      string `json:"url,omitempty"` // contained in the frame's URL
}

// Waited says whether the conditions were met.
type Waited struct {
	Error   string `json:"error,omitempty"`
	Message string `json:"message,omitempty"`
	Found   bool   `json:"found"`
}

// Embedded asks for the position of an iframe; X and Y are a point of its
// viewport.
type Embedded struct {
	Node   int     `json:"node"`
	X      float64 `json:"x"`
	Y      float64 `json:"y"`
	Scroll bool    `json:"scroll,omitempty"` // bring the point into view first
}

// Embedding is that point in the parent's viewport.
type Embedding struct {
	Gone   bool    `json:"gone,omitempty"`
	X      float64 `json:"x"`
	Y      float64 `json:"y"`
	By     string  `json:"by,omitempty"` // what covers the iframe there; empty when nothing does
	Left   float64 `json:"left"`         // content box of the iframe
	Top    float64 `json:"top"`
	ScaleX float64 `json:"scaleX"` // of a transformed iframe; 1 otherwise
	ScaleY float64 `json:"scaleY"`
}
