// Package xdisplay operates the X display of a box: it sends input to it, lists its
// windows, reads and writes its clipboard, and takes its picture. It runs in the box,
// as one more client of the display beside the browser.
//
// Everything that the display says may come from a hostile page or program: texts and
// sizes are bounded, and no wait is unbounded.
package xdisplay

import (
	"context"
	"errors"
	"fmt"
	"sync/atomic"
	"time"

	"github.com/gloveboxhq/glovebox/internal/fault"
	"github.com/gloveboxhq/glovebox/internal/sandbox/x11"
)

const replyLimit = 5 * time.Second // for the display to answer one request

// Opcodes of the core protocol's requests.
const (
	opCreateWindow           = 1
	opChangeWindowAttributes = 2
	opGetWindowAttributes    = 3
	opConfigureWindow        = 12
	opGetGeometry            = 14
	opQueryTree              = 15
	opChangeProperty         = 18
	opDeleteProperty         = 19
	opSetSelectionOwner      = 22
	opGetSelectionOwner      = 23
	opConvertSelection       = 24
	opSendEvent              = 25
	opQueryPointer           = 38
	opTranslateCoordinates   = 40
	opSetInputFocus          = 42
	opGetInputFocus          = 43
	opQueryKeymap            = 44
	opGetImage               = 73
	opChangeKeyboardMapping  = 100
	opGetKeyboardMapping     = 101
	opGetModifierMapping     = 119
)

// Kinds of events.
const (
	eventKeyPress         = 2
	eventKeyRelease       = 3
	eventButtonPress      = 4
	eventButtonRelease    = 5
	eventMotion           = 6
	eventConfigure        = 22
	eventProperty         = 28
	eventSelectionClear   = 29
	eventSelectionRequest = 30
	eventSelection        = 31
	eventClientMessage    = 33
	eventMapping          = 34

	sentByProgram = 0x80 // bit of the kind of an event that another program sent

	fixesQueryVersion = 0 // requests of XFixes
	fixesSelectCursor = 3
	fixesCursorImage  = 4
	fixesMajor        = 4 // version
	cursorEvents      = 1 // the cursor has changed

	fixesSelection = 0 // from the first event of XFixes
	fixesCursor    = 1
)

// Event masks, and the mask of window attributes that holds them.
const (
	attributeEventMask = 1 << 11
	maskStructure      = 1 << 17
	maskSubstructure   = 1 << 19
	maskRedirect       = 1 << 20
	maskPropertyChange = 1 << 22
	maskNone           = 0
	classInputOnly     = 2
	predefinedAtom     = 4  // ATOM
	predefinedInteger  = 19 // INTEGER
	predefinedString   = 31 // STRING
	predefinedPrimary  = 1  // PRIMARY
	predefinedWindow   = 33 // WINDOW
	predefinedWMName   = 39 // WM_NAME
	propertyReplace    = 0
	propertyAppend     = 2
	currentTime        = 0
)

// server is the connection with what was asked at its beginning. Its methods read
// from the server; they return the errors of the connection.
type server struct {
	conn   *x11.Conn
	setup  x11.Setup
	window uint32 // our own, for selections; never shown
	atoms  atoms
	pings  pings
}

// Display is a connection to a display. It is safe for concurrent use, and must be
// closed. Its methods return the faults not_active when the display has ended,
// browser_action_timeout when it does not answer, and those that they name.
type Display struct {
	*server
	name   string
	xtest  x11.Extension
	xfixes x11.Extension

	size          atomic.Uint64 // width<<32 | height of the screen
	clipboards    clipboards
	cursorChanged notice
	mapping       atomic.Bool   // the keyboard's mapping may have changed
	turn          chan struct{} // held by the one who sends input
	keys          keyboard      // used while turn is held
	ended         chan struct{} // closed when the loop of events has ended
}

// Open connects to a display. The name is one of DISPLAY (":0"), and the socket that
// of the server (/tmp/.X11-unix/X0; with an "@" before it, an abstract one). The
// cookie file is an Xauthority file, empty if the server needs none. Faults:
// start_failed.
func Open(ctx context.Context, name, socket, cookieFile string) (*Display, error) {
	conn, err := x11.Dial(ctx, socket, cookieFile)
	if err != nil {
		return nil, fault.New(fault.StartFailed, "cannot connect to the display").Because(err)
	}
	d := &Display{
		server: &server{conn: conn, setup: conn.Setup()}, name: name,
		turn: make(chan struct{}, 1), ended: make(chan struct{}),
	}
	d.keys.init()
	d.clipboards.init(d.server)
	d.setSize(d.setup.Width, d.setup.Height)
	ctx, cancel := context.WithTimeout(ctx, replyLimit)
	defer cancel()
	err = d.prepare(ctx)
	go d.dispatch()
	if err != nil {
		d.disconnect()
		return nil, fault.New(fault.StartFailed, "the display lacks what is needed").Because(err)
	}
	return d, nil
}

// prepare asks for the extensions and atoms, and for the events.
func (d *Display) prepare(ctx context.Context) error {
	var err error
	if d.xtest, err = d.conn.Extension(ctx, "XTEST"); err != nil {
		return err
	}
	if d.xfixes, err = d.conn.Extension(ctx, "XFIXES"); err != nil {
		return err
	}
	version := x11.NewRequest(d.xfixes.Opcode, fixesQueryVersion).U32(fixesMajor, 0)
	if _, err := d.conn.Call(ctx, version); err != nil { // the server refuses other requests before it
		return err
	}
	if err := d.atoms.intern(ctx, d.conn); err != nil {
		return err
	}
	d.window = d.conn.NewID()
	create := x11.NewRequest(opCreateWindow, 0).U32(d.window, d.setup.Root).I16(0, 0).
		U16(1, 1, 0, classInputOnly).U32(0, attributeEventMask, maskPropertyChange)
	if err := d.conn.Do(ctx, create); err != nil {
		return err
	}
	root := x11.NewRequest(opChangeWindowAttributes, 0).U32(d.setup.Root, attributeEventMask, maskStructure|maskSubstructure)
	if err := d.conn.Do(ctx, root); err != nil {
		return err
	}
	if err := d.clipboards.prepare(ctx, d.xfixes); err != nil {
		return err
	}
	cursor := x11.NewRequest(d.xfixes.Opcode, fixesSelectCursor).U32(d.setup.Root, cursorEvents)
	if err := d.conn.Do(ctx, cursor); err != nil {
		return err
	}
	return d.readKeyboard(ctx)
}

// Done returns a channel that is closed when the display has ended, or Close was
// called.
func (d *Display) Done() <-chan struct{} { return d.conn.Done() }

// Close releases all keys and buttons, frees the keys that were added to the
// keyboard, and disconnects.
func (d *Display) Close() {
	ctx, cancel := context.WithTimeout(context.Background(), replyLimit)
	defer cancel()
	_ = d.ReleaseAll(ctx)
	d.freeSpares(ctx)
	d.disconnect()
}

func (d *Display) disconnect() {
	d.conn.Close()
	<-d.ended
}

// Info describes a display.
type Info struct {
	Name   string // as in DISPLAY
	Width  int    // of the screen, in pixels
	Height int
}

// Info returns the display's name and resolution.
func (d *Display) Info() Info {
	width, height := d.resolution()
	return Info{Name: d.name, Width: width, Height: height}
}

func (d *Display) setSize(width, height int) { d.size.Store(uint64(width)<<32 | uint64(height)) }

func (d *Display) resolution() (width, height int) {
	size := d.size.Load()
	return int(size >> 32), int(uint32(size))
}

// dispatch handles the display's events until it ends. What it calls never waits.
func (d *Display) dispatch() {
	defer close(d.ended)
	for event := range d.conn.Events() {
		switch event.Kind() {
		case eventMapping:
			d.mapping.Store(true)
		case eventConfigure:
			d.configured(&event)
		case eventProperty, eventSelection, eventSelectionClear, eventSelectionRequest:
			d.clipboards.handle(&event)
		case d.xfixes.FirstEvent + fixesSelection:
			d.clipboards.changed.announce()
		case d.xfixes.FirstEvent + fixesCursor:
			d.cursorChanged.announce()
		case eventClientMessage:
			d.pings.received(&event, d.atoms.ping)
		}
	}
}

// configured follows the size of the screen.
func (d *Display) configured(event *x11.Event) {
	r := event.Read(4)
	parent, window := r.U32(), r.U32()
	r.Skip(4 + 4) // sibling, position
	if width, height := r.U16(), r.U16(); parent == d.setup.Root && window == d.setup.Root && event[0] < sentByProgram {
		d.setSize(int(width), int(height))
	}
}

// toFault converts an error of the connection.
func (s *server) toFault(err error) error {
	var f *fault.Fault
	switch {
	case err == nil:
		return nil
	case errors.As(err, &f):
		return err
	case errors.Is(err, context.DeadlineExceeded), errors.Is(err, context.Canceled):
		return fault.New(fault.ActionTimeout, "the display did not answer in time").Because(err)
	}
	select {
	case <-s.conn.Done():
		return fault.New(fault.NotActive, "the display has ended").Because(err)
	default:
		return fault.New(fault.Internal, "the display refused a request").Because(err)
	}
}

// atoms are the names that are used in requests.
type atoms struct {
	protocols, ping, utf8, windowName, clientList, activeWindow, supporting uint32
	clipboard, targets, timestamp, text, plain, plainUTF8, incremental      uint32
	stamp, wmState                                                          uint32
}

func (a *atoms) intern(ctx context.Context, conn *x11.Conn) error {
	for name, atom := range map[string]*uint32{
		"WM_PROTOCOLS": &a.protocols, "_NET_WM_PING": &a.ping, "UTF8_STRING": &a.utf8,
		"_NET_WM_NAME": &a.windowName, "_NET_CLIENT_LIST": &a.clientList,
		"_NET_ACTIVE_WINDOW": &a.activeWindow, "_NET_SUPPORTING_WM_CHECK": &a.supporting,
		"CLIPBOARD": &a.clipboard, "TARGETS": &a.targets, "TIMESTAMP": &a.timestamp,
		"TEXT": &a.text, "text/plain": &a.plain, "text/plain;charset=utf-8": &a.plainUTF8,
		"INCR": &a.incremental, "_GLOVEBOX_TIME": &a.stamp, "WM_STATE": &a.wmState,
	} {
		var err error
		if *atom, err = conn.Atom(ctx, name); err != nil {
			return fmt.Errorf("cannot name %s: %w", name, err)
		}
	}
	return nil
}
