package injected

import "context"

// SnapshotOptions says what a snapshot contains.
type SnapshotOptions struct {
	Root             int  `json:"root,omitempty"`   // only what is below this element
	Depth            int  `json:"depth,omitempty"`  // deepest level of elements; 0 is the walker's own bound (1000)
	NoURLs           bool `json:"noUrls,omitempty"` // do not say where links lead
	IncludeHidden    bool `json:"includeHidden,omitempty"`
	ExcludePasswords bool `json:"excludePasswords,omitempty"` // leave password fields out completely
	Fold             bool `json:"fold,omitempty"`             // read only the first ten of a run of similar siblings, and count the others: Node.More. Runs directly below Root are read completely
	Viewport         bool `json:"viewport,omitempty"`         // only the visible part of the frame; see Tree.Outside
	Shown            bool `json:"shown,omitempty"`            // the tree is shown to a caller: see FactsShown
	Sight            int  `json:"sight,omitempty"`            // the number of this reading, greater than those of earlier readings; 0 if it is not compared with others
	Since            int  `json:"since,omitempty"`            // the reading with which this one is to be compared: see Node.Late
	News             bool `json:"news,omitempty"`             // with Fold and Sight: also read those elements of runs that other readings read, that changed since Since, and the first ten new ones
	Hosts            int  `json:"hosts,omitempty"`            // maximum length of Tree.Hosts
}

// Tree is one frame as a person sees it.
type Tree struct {
	Gone      bool    `json:"gone,omitempty"` // Root is no longer in the document
	URL       string  `json:"url"`            // token-like parameters masked
	Title     string  `json:"title"`
	Type      string  `json:"type,omitempty"`    // media type of the document, where it is not HTML
	Hidden    int     `json:"hidden,omitempty"`  // pieces of text left out because a person could not see them
	Outside   int     `json:"outside,omitempty"` // with SnapshotOptions.Viewport, pieces of text and elements left out because they are not in view
	Cut       bool    `json:"cut,omitempty"`     // the page has more than the walker's bounds (100,000 nodes)
	Container int     `json:"k,omitempty"`       // identity of the root, when it has 4 children or more, or a run below it was folded
	Partial   bool    `json:"partial,omitempty"` // with Sight: something was counted that another walk read, so that no walk can be compared with this one
	Blocked   bool    `json:"blocked,omitempty"` // a modal dialog blocks what is outside of it
	Nodes     []*Node `json:"nodes"`
	Hosts     []int   `json:"hosts,omitempty"` // elements that may have a closed shadow root, each named once in the life of a document: for PierceHosts
}

// Node is an element, or a piece of text when Text is set.
type Node struct {
	Text      string  `json:"t,omitempty"`
	Role      string  `json:"r,omitempty"`
	Name      string  `json:"n,omitempty"`
	Derived   string  `json:"d,omitempty"` // of a control without a name: its icon, id or address, or the text before a field; the gate judges it by that
	Number    int     `json:"i,omitempty"` // identity inside the document, for iframes and elements that can be acted on
	Value     string  `json:"v,omitempty"`
	Protected bool    `json:"p,omitempty"` // the value stays in the page
	Level     int     `json:"l,omitempty"` // of a heading or tree item
	States    *States `json:"s,omitempty"`
	URL       string  `json:"u,omitempty"` // of a link; token-like parameters masked
	Frame     bool    `json:"f,omitempty"` // an iframe: Number is that of its element
	Container int     `json:"k,omitempty"` // identity of a landmark, of an element with 4 children or more, or of one with a folded run, for snapshots of a part
	Joined    bool    `json:"j,omitempty"` // a text or link in the same line of running text as the node before
	More      int     `json:"m,omitempty"` // number of similar elements directly after this node that were not read; the parent node has a Container
	Fresh     int     `json:"w,omitempty"` // how many of More were added since Since
	Mixed     bool    `json:"x,omitempty"` // with More: the order of the run changed since Since
	Late      int     `json:"o,omitempty"` // the element was only counted in the walk Since, as this many rows; -1 for further nodes of the same element
	Still     bool    `json:"q,omitempty"` // with Late: read only because it is acted on, and nothing in it changed since Since
	Fills     bool    `json:"y,omitempty"` // with Late: read only because there are fewer of its kind now, and nothing in it changed since Since
	Children  []*Node `json:"c,omitempty"`
}

// States are the states of an element by ARIA and HTML. Empty and false mean
// that nothing is stated.
type States struct {
	Checked     string `json:"checked,omitempty"` // true, false, mixed
	Pressed     string `json:"pressed,omitempty"`
	Selected    string `json:"selected,omitempty"`
	Expanded    string `json:"expanded,omitempty"`
	Current     string `json:"current,omitempty"` // true, page, step, location, date, time
	Popup       string `json:"popup,omitempty"`   // menu, listbox, tree, grid, dialog
	Disabled    bool   `json:"disabled,omitempty"`
	Required    bool   `json:"required,omitempty"`
	Invalid     bool   `json:"invalid,omitempty"`
	ReadOnly    bool   `json:"readonly,omitempty"`
	Focused     bool   `json:"focused,omitempty"`
	Busy        bool   `json:"busy,omitempty"`
	Modal       bool   `json:"modal,omitempty"`
	Multiline   bool   `json:"multiline,omitempty"`
	Partial     bool   `json:"partial,omitempty"` // a code editor that draws only some of its lines
	Min         string `json:"min,omitempty"`     // of a field with bounds: as its author wrote it
	Max         string `json:"max,omitempty"`
	Step        string `json:"step,omitempty"`
	Format      string `json:"format,omitempty"` // of the value of a date or time, as YYYY-MM-DD
	Description string `json:"description,omitempty"`
}

type revealing struct {
	Node  int `json:"node"`
	Since int `json:"since"`
}

// Reveal reports whether the reading with a given number only counted an
// element. Later readings with News then read it.
func (f Frame) Reveal(ctx context.Context, node, since int) (bool, error) {
	var unread bool
	err := f.call(ctx, "reveal", revealing{node, since}, &unread)
	return unread, err
}
