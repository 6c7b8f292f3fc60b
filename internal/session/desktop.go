package session

import (
	"cmp"
	"context"
	"image"
	"strconv"

	"github.com/gloveboxhq/glovebox/internal/action"
	"github.com/gloveboxhq/glovebox/internal/fault"
	"github.com/gloveboxhq/glovebox/internal/sandbox"
)

// desktopVerbs carries out the verbs of the display: pictures, windows and clipboard.
type desktopVerbs struct{ sessions *directory }

// add names what does each of the verbs.
func (d *desktopVerbs) add(all map[string]handler) {
	handle(all, action.VerbDesktopScreenshot, d.screenshot)
	handle(all, action.VerbDesktopRegion, d.region)
	handleBare(all, action.VerbDesktopPointer, d.pointer)
	handleBare(all, action.VerbDesktopDisplay, d.display)
	handleBare(all, action.VerbDesktopWindows, d.windows)
	handleBare(all, action.VerbDesktopFocused, d.focused)
	handle(all, action.VerbDesktopFocus, d.focus)
	handle(all, action.VerbDesktopMove, d.move)
	handle(all, action.VerbDesktopResize, d.resize)
	handle(all, action.VerbDesktopClipboard, d.clipboard)
	handle(all, action.VerbDesktopCopy, d.setClipboard)
}

// noDisplay refuses the verbs of the display in a headless session. Faults:
// provider_not_supported.
func noDisplay(record action.Session) error {
	if !record.Headless {
		return nil
	}
	return fault.New(fault.ProviderNotSupported, "session %s is headless: it has no display", label(record)).
		Hinted("use the page verbs, or start a session that is not headless")
}

// on does something with the display of the session that a call means. Calls that
// change something take turns with the other acts in the session. Faults: those of
// session.show, session_paused, denied_by_policy, provider_not_supported.
func (d *desktopVerbs) on(ctx context.Context, call action.Call, use func(ctx context.Context, sess *openSession, box sandbox.Box) (any, error)) (action.Result, error) {
	sess, err := d.sessions.admit(ctx, call)
	if err != nil {
		return action.Result{}, err
	}
	result := action.Result{Session: sess.id}
	ctx, leave, err := sess.enter(ctx, call)
	if err != nil {
		return result, err
	}
	defer leave()
	if err := noDisplay(sess.now()); err != nil {
		return result, err
	}
	if verb, known := action.Lookup(call.Verb); known && verb.Class != action.Read {
		release, err := sess.takeTurn(ctx, call)
		if err != nil {
			return result, err
		}
		defer release()
	}
	if err := sess.checkBegin(call); err != nil {
		return result, err
	}
	data, err := use(ctx, sess, sess.stage().box)
	if put := context.Cause(ctx); fault.CodeOf(put) == fault.DeniedByPolicy { // credentials were injected meanwhile
		return result, put
	}
	if err == nil {
		result.Data = data
	}
	return result, err
}

func (d *desktopVerbs) screenshot(ctx context.Context, call action.Call, args *action.DesktopShot) (action.Result, error) {
	return d.picture(ctx, call, image.Rectangle{}, *args)
}

func (d *desktopVerbs) region(ctx context.Context, call action.Call, args *action.DesktopRegion) (action.Result, error) {
	return d.picture(ctx, call, image.Rect(args.X, args.Y, args.X+args.Width, args.Y+args.Height), args.DesktopShot)
}

func (d *desktopVerbs) picture(ctx context.Context, call action.Call, region image.Rectangle, shot action.DesktopShot) (action.Result, error) {
	return d.on(ctx, call, func(ctx context.Context, _ *openSession, box sandbox.Box) (any, error) {
		picture, err := box.Screenshot(ctx, region, shot)
		return &picture, err
	})
}

func (d *desktopVerbs) pointer(ctx context.Context, call action.Call) (action.Result, error) {
	return d.on(ctx, call, func(ctx context.Context, _ *openSession, box sandbox.Box) (any, error) {
		at, err := box.Pointer(ctx)
		return &at, err
	})
}

func (d *desktopVerbs) display(ctx context.Context, call action.Call) (action.Result, error) {
	return d.on(ctx, call, func(ctx context.Context, sess *openSession, box sandbox.Box) (any, error) {
		screen, err := box.Screen(ctx)
		screen.Resolution.DPI = sess.now().DPI
		return &screen, err
	})
}

func (d *desktopVerbs) windows(ctx context.Context, call action.Call) (action.Result, error) {
	return d.on(ctx, call, func(ctx context.Context, _ *openSession, box sandbox.Box) (any, error) {
		all, err := box.Windows(ctx)
		return &action.DesktopWindows{Windows: append([]action.DesktopWindow{}, all...)}, err
	})
}

// focused returns the window that has the focus. Faults: not_found if none has.
func (d *desktopVerbs) focused(ctx context.Context, call action.Call) (action.Result, error) {
	return d.on(ctx, call, func(ctx context.Context, _ *openSession, box sandbox.Box) (any, error) {
		all, err := box.Windows(ctx)
		if err != nil {
			return nil, err
		}
		for i := range all {
			if all[i].IsActive {
				return &all[i], nil
			}
		}
		return nil, fault.New(fault.NotFound, "no window has the focus").Hinted("focus one of the listed windows")
	})
}

func (d *desktopVerbs) focus(ctx context.Context, call action.Call, args *action.ByID) (action.Result, error) {
	return d.change(ctx, call, args.ID, action.WindowChange{What: action.WindowFocus})
}

func (d *desktopVerbs) move(ctx context.Context, call action.Call, args *action.MoveWindow) (action.Result, error) {
	return d.change(ctx, call, args.ID, action.WindowChange{What: action.WindowMove, X: args.X, Y: args.Y})
}

func (d *desktopVerbs) resize(ctx context.Context, call action.Call, args *action.ResizeWindow) (action.Result, error) {
	return d.change(ctx, call, args.ID, action.WindowChange{What: action.WindowResize, Width: args.Width, Height: args.Height})
}

// change changes a window. Faults: not_found, not_actionable.
func (d *desktopVerbs) change(ctx context.Context, call action.Call, id string, change action.WindowChange) (action.Result, error) {
	n, err := strconv.ParseUint(id, 10, 32)
	if err != nil {
		return action.Result{}, fault.New(fault.NotFound, "there is no window of that id").Hinted("list the windows: an id is a number")
	}
	change.ID = uint32(n)
	return d.on(ctx, call, func(ctx context.Context, _ *openSession, box sandbox.Box) (any, error) {
		return &action.Acted{OK: true}, box.ChangeWindow(ctx, change)
	})
}

func (d *desktopVerbs) clipboard(ctx context.Context, call action.Call, args *action.ReadClipboard) (action.Result, error) {
	selection := cmp.Or(args.Selection, action.SelectionClipboard)
	return d.on(ctx, call, func(ctx context.Context, sess *openSession, box sandbox.Box) (any, error) {
		if at := sess.snapshot(); at.pause.Taken && !sess.isHolder(call.Caller) {
			return nil, at.pausedFault("its clipboard is that of who took it over until it is handed back")
		}
		text, err := box.Clipboard(ctx, selection)
		return &action.ClipboardText{Text: text, Selection: selection}, err
	})
}

func (d *desktopVerbs) setClipboard(ctx context.Context, call action.Call, args *action.WriteClipboard) (action.Result, error) {
	selection := cmp.Or(args.Selection, action.SelectionClipboard)
	return d.on(ctx, call, func(ctx context.Context, sess *openSession, box sandbox.Box) (any, error) {
		if sess.isHolder(call.Caller) {
			return &action.Acted{OK: true}, sess.paste(ctx, selection, args.Text)
		}
		return &action.Acted{OK: true}, box.SetClipboard(ctx, selection, args.Text)
	})
}
