package engine

import (
	"context"
	"mime"
	"path"
	"strings"
	"time"

	"github.com/gloveboxhq/glovebox/internal/action"
	"github.com/gloveboxhq/glovebox/internal/browser/injected"
	"github.com/gloveboxhq/glovebox/internal/browser/input"
	"github.com/gloveboxhq/glovebox/internal/browser/pagetext"
	"github.com/gloveboxhq/glovebox/internal/fault"
	"github.com/gloveboxhq/glovebox/internal/guarded"
	"github.com/gloveboxhq/glovebox/internal/untrusted"
)

const chooserLimit = 3 * time.Second // for a click to open a file chooser

// chooser is a file chooser that a page opened. The browser does not show it but
// reports it to the engine (Page.setInterceptFileChooserDialog).
type chooser struct {
	Frame   string `json:"frameId"`
	Backend int64  `json:"backendNodeId"` // of the input; 0 for showOpenFilePicker and showSaveFilePicker, which the browser does not tell apart
}

var chooserEvents = map[string]eventHandler{
	"Page.fileChooserOpened": inTab(func(b *Browser, s *state, t *tab, _ *target, p chooser) {
		t.choosers++
		t.chooser = p
		switch {
		case t.awaitsChooser:
		case p.Backend == 0:
			b.notes.add("the page wants to open or save a file of this machine itself, which is not available here; it was told that none was chosen. " +
				"To give it a file, look for another control of the page that takes one; to get what it saves, look for a download or an export")
		default:
			b.notes.add("the page asks for a file: give it one with page.upload, on the element that was clicked")
		}
	}),
}

// upload gives files to a file input, or to the file chooser that the element
// opens. Faults: invalid_request, page_changed, not_actionable, not_found,
// limit_reached.
func (in *actor) upload(ctx context.Context, t *tab, a *action.Upload, pin action.Pin) (any, error) {
	files := in.options().Files
	if files == nil {
		return nil, fault.New(fault.ProviderNotSupported, "this browser takes no files").Hinted("use a session of provider sandbox")
	}
	p, node, err := in.elements.pinned(t, pin)
	if err != nil {
		return nil, err
	}
	facts, err := p.world.Facts(ctx, node)
	if err != nil {
		return nil, err
	}
	if facts.Gone || facts.Print != pin.Print {
		return nil, errChanged
	}
	at := actionTarget{place: p, node: node, facts: &facts}
	to, err := in.inputFor(ctx, t, a, &at, pin)
	if err != nil {
		return nil, err
	}
	return in.setFiles(ctx, t, a, pin, at, to, files)
}

// fileInput is an input that takes files.
type fileInput struct {
	place   place
	backend int64
	is      injected.FileInput
}

// inputFor returns the file input of an upload: the element itself, or the input
// whose file chooser a click on the element opens.
func (in *actor) inputFor(ctx context.Context, t *tab, a *action.Upload, at *actionTarget, pin action.Pin) (fileInput, error) {
	backend, err := at.place.world.Backend(ctx, at.node)
	if err != nil {
		return fileInput{}, err
	}
	to, err := in.fileInputAt(ctx, at.place, backend)
	if err != nil {
		return fileInput{}, err
	}
	if !to.is.Is {
		if a.Clear {
			return fileInput{}, fault.New(fault.InvalidRequest, "the element is no file input: there is nothing to clear").Hinted("name the file input itself")
		}
		if to, err = in.openChooser(ctx, t, a, at, pin); err != nil {
			return fileInput{}, err
		}
	}
	return to, fits(a, to.is)
}

func (in *actor) fileInputAt(ctx context.Context, p place, backend int64) (fileInput, error) {
	if backend == 0 {
		return fileInput{}, errChanged
	}
	is, err := p.world.FileInput(ctx, backend)
	return fileInput{place: p, backend: backend, is: is}, err
}

// fits returns the fault of an upload that the input does not take.
func fits(a *action.Upload, is injected.FileInput) error {
	switch {
	case is.Directory:
		return fault.New(fault.InvalidRequest, "the input wants a whole folder").Hinted("folders cannot be uploaded: ask the page for single files")
	case is.Disabled:
		return fault.New(fault.NotActionable, "the input is disabled").With("reason", "disabled").Hinted("fill in what the page asks for first")
	case a.Count() > 1 && !is.Multiple:
		return fault.New(fault.InvalidRequest, "the input takes one file only").Hinted("give one file").With("field", "files")
	}
	return nil
}

// openChooser clicks the element and returns the input whose file chooser opens.
func (in *actor) openChooser(ctx context.Context, t *tab, a *action.Upload, at *actionTarget, pin action.Pin) (fileInput, error) {
	ready, err := in.ready(ctx, t, pin, a.Locator, injected.ForClick, a.Timing)
	if err != nil {
		return fileInput{}, err
	}
	before := guarded.Get(in.state, func(*state) int {
		t.awaitsChooser = true
		return t.choosers
	})
	defer in.state.Do(func(*state) { t.awaitsChooser = false })
	if err := in.send(ctx, t, input.Click(ready.x, ready.y, "left", 1, 0)); err != nil {
		return fileInput{}, err
	}
	bounded, stop := context.WithTimeoutCause(ctx, chooserLimit, errNoChooser)
	defer stop()
	if err := in.await(bounded, func(*state) bool { return t.choosers > before }); err != nil {
		return fileInput{}, err
	}
	var p place
	var asked chooser
	ok := guarded.Get(in.state, func(*state) (ok bool) {
		asked = t.chooser
		if f := t.frames[asked.Frame]; f != nil {
			p, ok = f.place()
		}
		return ok
	})
	switch {
	case !ok:
		return fileInput{}, errNoChooser
	case asked.Backend == 0:
		return fileInput{}, errPicker
	}
	if p.frame != ready.place.frame {
		return fileInput{}, errElsewhere
	}
	*at = ready
	return in.fileInputAt(ctx, p, asked.Backend)
}

var errNoChooser = fault.New(fault.NotActionable, "a click on the element opens no file chooser that takes files").
	Hinted("name the file input itself; a snapshot or a selector such as input[type=file] finds it").With("reason", "no file chooser")

// errPicker refuses the pickers of files that pages read and write themselves: the browser
// has no way to answer them.
var errPicker = fault.New(fault.NotActionable, "the page wants to open or save a file of this machine itself, which is not available").
	Hinted("look for another control of the page that takes a file, such as a file input").With("reason", "file picker")

// errElsewhere refuses a file chooser of another frame: only the element that was
// clicked was judged.
var errElsewhere = fault.New(fault.NotActionable, "the file chooser that opened belongs to another frame").
	Hinted("name the file input in that frame itself").With("reason", "chooser of another frame")

// setFiles puts the files into the input and waits for what that sets off.
func (in *actor) setFiles(ctx context.Context, t *tab, a *action.Upload, pin action.Pin, at actionTarget, to fileInput, files Files) (any, error) {
	var sent []action.SentFile
	if !a.Clear {
		var err error
		if sent, err = files.Stage(ctx, a); err != nil {
			return nil, err
		}
	}
	before := in.effects.mark(t)
	if err := to.fill(ctx, sent); err != nil {
		return nil, err
	}
	in.unaccepted(to.is.Accept, sent)
	out := &action.Uploaded{Acted: *in.acted(at, pin), Files: sent}
	if sent == nil {
		out.Files = []action.SentFile{}
	}
	var err error
	out.NewPage, err = in.effects.waitForNavigation(ctx, t, &to.place, before)
	return out, err
}

// fill sets the input's files.
func (s fileInput) fill(ctx context.Context, sent []action.SentFile) error {
	if len(sent) == 0 {
		return s.place.world.ClearFiles(ctx, s.backend)
	}
	paths := make([]string, len(sent))
	for i, f := range sent {
		paths[i] = f.Path
	}
	params := map[string]any{"files": paths, "backendNodeId": s.backend}
	return s.place.world.Session.Call(ctx, "DOM.setFileInputFiles", params, nil)
}

// unaccepted notes files of types that the input does not name. That is advice
// only: people may choose other files, too (HTML, "File Upload state").
func (in *actor) unaccepted(accept string, sent []action.SentFile) {
	for _, f := range sent {
		if accept != "" && !accepts(accept, f.Name) {
			in.notes.add("the input asks for %q, which %q is not", pagetext.Cut(untrusted.Title(accept)), untrusted.Shorten(f.Name, mostQuote))
		}
	}
}

func accepts(accept, name string) bool {
	extension := strings.ToLower(path.Ext(name))
	kind, _, _ := mime.ParseMediaType(mime.TypeByExtension(extension))
	for part := range strings.SplitSeq(strings.ToLower(accept), ",") {
		part = strings.TrimSpace(part)
		major, all := strings.CutSuffix(part, "/*")
		if part == extension && part != "" || part == kind && kind != "" || all && (major == "*" || strings.HasPrefix(kind, major+"/")) {
			return true
		}
	}
	return false
}
