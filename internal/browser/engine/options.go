package engine

import (
	"context"
	"log/slog"
	"time"

	"github.com/gloveboxhq/glovebox/internal/action"
	"github.com/gloveboxhq/glovebox/internal/browser/download"
)

// Options say how a browser is set up and what it may load. A nil Guard refuses
// every document.
type Options struct {
	Width, Height int              // viewport in CSS pixels; 1280 and 720 when 0
	DPI           int              // 96 when 0: device pixels per 96th of an inch of CSS
	Headless      bool             // there is no display
	Emulate       action.Emulation // valid: see Emulation.Check
	Timeout       time.Duration    // of a call that says none; 30 s when 0
	Keeps         bool             // tabs are in the browser's own profile, not off the record

	// Life counts how often references were begun anew before: by an earlier gateway
	// process, or in an earlier browser of the same agent. Their references are not
	// valid for this engine.
	Life int

	// Guard is asked before each document is requested: main frames, child
	// frames, popups and every hop of a redirect. An error refuses the
	// request; page.goto returns it. It must not block.
	Guard func(url string) error
	// Prepare is called for each main document, in hidden tabs and popups, too, and
	// for every hop of a redirect, after Guard has allowed it and before it is
	// requested. It may block; ctx ends after 15 s, or when the navigation is given
	// up. An error refuses the request; page.goto returns it. nil prepares nothing.
	Prepare func(ctx context.Context, url string) error
	// Owns is asked before a cookie is set for a host. An error refuses it; the call
	// returns it. nil refuses every host.
	Owns func(host string) error
	// Outgoing judges each document, and each request that may change something
	// outside of the browser, before it leaves. It may block until a person has
	// answered; ctx ends with the browser. An error refuses the request: the page
	// gets a network error. nil allows all of them.
	Outgoing func(ctx context.Context, r action.Request) (action.Ruling, error)
	// Receipt is called with each effect when its server has answered, or the
	// connection has failed. May be nil; must not block.
	Receipt func(action.Effect)
	// Unreached returns why a server cannot be reached by TLS, which the browser does
	// not learn; "" if it is not known. It may block. May be nil.
	Unreached func(ctx context.Context, url string) string
	// Authenticated is called when a stored user name and password were first sent to
	// an origin that asked for them by HTTP authentication (Basic, Digest). May be
	// nil.
	Authenticated func(domain, origin, scheme string)
	// SelfSigned are the hosts whose own pages may come with a certificate of an
	// unknown authority.
	SelfSigned action.SelfSigned
	// Refused is called with each document that Guard refused. May be nil; must not
	// block.
	Refused func(action.Refusal)

	// Downloads is the folder for downloads, as the browser sees it. Empty refuses
	// every download.
	Downloads    string
	MostDownload int64 // bytes of one download; 32 MiB when 0
	// Uploads is the folder, as the browser sees it, where Files puts the files of
	// uploads. Clients of the protocol may give pages files of this folder only.
	// Empty: none.
	Uploads string
	// Files moves files into the box and out of it. nil refuses uploads, and leaves
	// downloads where they are.
	Files Files

	// Credentialed reports whether credentials were put into the browser, which
	// limits the look-ups of agents: see Trusted. nil: none were.
	Credentialed func() bool
	// Secrets returns where the session's known secrets are in a text, as ranges
	// of bytes in its order. nil: none are known.
	Secrets func(text string) [][2]int

	MaxDepth              int  // deepest level of a JSON tree; 10 when 0
	MaxTokens             int  // of one snapshot, if a call names no number; 6,000 when 0
	ExcludePasswordFields bool // leave password fields out of snapshots
	IncludeHidden         bool // show text that a person could not see

	Log           *slog.Logger  // nil discards
	DialogTimeout time.Duration // an unanswered dialog is dismissed after it; 60 s when 0

	requestLimit time.Duration // the constant of that name, except in tests
	patience     time.Duration // what waits for the effects of an act are multiplied by: 1, except in tests
}

func (o Options) filled() Options {
	if o.Width <= 0 {
		o.Width = 1280
	}
	if o.Height <= 0 {
		o.Height = 720
	}
	if o.DPI <= 0 {
		o.DPI = 96
	}
	if o.MaxDepth <= 0 {
		o.MaxDepth = 10
	}
	if o.MaxTokens <= 0 {
		o.MaxTokens = 6000 // a page that does not fit is paged: docs/snapshot.md
	}
	if o.MostDownload <= 0 {
		o.MostDownload = download.DefaultMost
	}
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	if o.DialogTimeout <= 0 {
		o.DialogTimeout = 60 * time.Second
	}
	if o.requestLimit <= 0 {
		o.requestLimit = requestLimit
	}
	if o.patience <= 0 {
		o.patience = 1
	}
	return o
}

type metrics struct {
	Width  int     `json:"width"`
	Height int     `json:"height"`
	Scale  float64 `json:"deviceScaleFactor"`
	Mobile bool    `json:"mobile"`
}

func (o Options) metrics() metrics {
	return metrics{Width: o.Width, Height: o.Height, Scale: float64(o.DPI) / 96, Mobile: o.mobile()}
}
