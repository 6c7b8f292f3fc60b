package injected

import "context"

// SnapshotOptions says what a snapshot contains.
type SnapshotOptions struct {
	Root             int  `json:"root,omitempty"`   // only what is below this element
	Depth            int  `json:"depth,omitempty"`  // deepest level of elements; 0 is the walker's own bound (1000)
	NoURLs           bool `json:"noUrls,omitempty"` // do not say where links lead
	IncludeHidden    bool `json:"includeHidden,omitempty"`
	ExcludePasswords bool `json:"excludePasswords,omitempty"` // leave password fields out wholly
	Fold             bool `json:"fold,omitempty"`             // of a run of alike siblings read the first ten only and count the others: Node.More. Runs right below Root are read whole
	Viewport         bool `json:"viewport,omitempty"`         // only what lies in the visible part of the frame; see Tree.Outside
	Shown            bool `json:"shown,omitempty"`            // a caller is shown what is read: see FactsShown
	Sight            int  `json:"sight,omitempty"`            // the number of this reading, greater than those of earlier readings; 0 if it is not compared with others
	Since            int  `json:"since,omitempty"`            // the reading with which this one is to be compared: see Node.Late
	News             bool `json:"news,omitempty"`             // with Fold and Sight: of runs, read what other readings read, what has changed since Since, and the first ten that are new
	Hosts            int  `json:"hosts,omitempty"`            // as many elements that may have a closed shadow root are asked for at most; see Tree.Hosts
}

// Tree is one frame as a person sees it.
type Tree struct {
	Gone      bool    `json:"gone,omitempty"` // Root is not in the document any more
	URL       string  `json:"url"`            // token-like parameters masked
	Title     string  `json:"title"`
	Type      string  `json:"type,omitempty"`    // media type of the document, where it is not HTML
	Hidden    int     `json:"hidden,omitempty"`  // pieces of text left out because a person could not see them
	Outside   int     `json:"outside,omitempty"` // with SnapshotOptions.Viewport, pieces of text and elements left out because they are not in view
	Cut       bool    `json:"cut,omitempty"`     // the page has more than the walker's bounds (100,000 nodes)
	Container int     `json:"k,omitempty"`       // identity of the root, when it has 4 children or more, or a run below it was folded
	Partial   bool    `json:"partial,omitempty"` // with Sight: something was counted that another walk read, so that no walk can be compared with this one
	Blocked   bool    `json:"blocked,omitempty"` // a dialog that says it is modal keeps what is outside of it from being acted on
	Nodes     []*Node `json:"nodes"`
	Hosts     []int   `json:"hosts,omitempty"` // elements that may have a closed shadow root, each named once in the life of a document: for PierceHosts
}

// Node is an element, or a piece of text when Text is set.
type Node struct {
	Text      string  `json:"t,omitempty"`
	Role      string  `json:"r,omitempty"`
	Name      string  `json:"n,omitempty"`
	Derived   string  `json:"d,omitempty"` // of a control without a name: its icon, id or address, as the gate judges it by
	Number    int     `json:"i,omitempty"` // identity inside the document, for what can be acted on and for iframes
	Value     string  `json:"v,omitempty"`
	Protected bool    `json:"p,omitempty"` // the value stays in the page
	Level     int     `json:"l,omitempty"` // of a heading or tree item
	States    *States `json:"s,omitempty"`
	URL       string  `json:"u,omitempty"` // of a link; token-like parameters masked
	Frame     bool    `json:"f,omitempty"` // an iframe: Number is that of its element
	Container int     `json:"k,omitempty"` // identity of a landmark, of an element with 4 children or more, or of which a run was folded, to narrow to
	Joined    bool    `json:"j,omitempty"` // a text or link in the line of running text that the node before is in
	More      int     `json:"m,omitempty"` // as many elements like those before stand right after this node and were not read; the node around has a Container
	Fresh     int     `json:"w,omitempty"` // of More, those that have come since Since
	Mixed     bool    `json:"x,omitempty"` // with More: elements of the run changed places since Since
	Late      int     `json:"o,omitempty"` // read now, and in the walk Since only counted, as so many; -1 for what else is of the same element as the node before
	Still     bool    `json:"q,omitempty"` // with Late: read only because it is acted on, and nothing in it changed since Since
	Fills     bool    `json:"y,omitempty"` // with Late: read only because fewer of its kind are there to be read, and nothing in it changed since Since
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
	Partial     bool   `json:"partial,omitempty"` // a code editor that draws some of its lines only
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
