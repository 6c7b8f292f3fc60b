package engine

import (
	"context"
	"log/slog"
	"time"

	"github.com/gloveboxhq/glovebox/internal/action"
	"github.com/gloveboxhq/glovebox/internal/browser/download"
)

// Options say how a browser is set up and what it may load. The zero Guard
// refuses every document.
type Options struct {
	Width, Height int              // viewport in CSS pixels; 1280 and 720 when 0
	DPI           int              // 96 when 0: device pixels per 96th of an inch of CSS
	Headless      bool             // there is no display
	Emulate       action.Emulation // valid: see Emulation.Check
	Timeout       time.Duration    // of a call that says none; 30 s when 0
	Keeps         bool             // tabs are in the browser's own profile, not off the record

	// Life is how often references were given before this engine had the browser, by
	// an earlier gateway, or in an earlier browser of the same agent: what
	// they gave references to is not what ours stand for.
	Life int

	// Guard is asked before each document is requested: main frames, child
	// frames, popups and every hop of a redirect. An error refuses the
	// request; page.goto returns it. It must not block.
	Guard func(url string) error
	// Prepare is called for each document that a tab is to show, hidden tabs,
	// popups and every hop of a redirect included, once Guard has let it through
	// and before it is requested. It may block; ctx ends after 15 s, or when the
	// navigation is given up. An error refuses the request, and is what page.goto
	// faults with. nil: nothing is prepared.
	Prepare func(ctx context.Context, url string) error
	// Owns is asked before a cookie is set for a host. An error refuses it, and
	// is what the call faults with. nil refuses every host.
	Owns func(host string) error
	// Outgoing judges each request that may change something outside of the
	// browser, before it leaves, and each document. It may block until a person
	// has answered; ctx ends with the browser. An error refuses the request: the
	// page sees a network error. nil lets all of them out.
	Outgoing func(ctx context.Context, r action.Request) (action.Ruling, error)
	// Receipt is told of each effect when its server has answered, or when the
	// connection to it failed. May be nil; must not block.
	Receipt func(action.Effect)
	// Unreached is asked why a server cannot be reached by TLS, of which the
	// browser learns nothing. It may block; "" where it is not known. May be nil.
	Unreached func(ctx context.Context, url string) string
	// Authenticated is told when a stored user name and password were first given
	// to the server of an origin that asked for them by HTTP authentication
	// (Basic, Digest). May be nil.
	Authenticated func(domain, origin, scheme string)
	// SelfSigned are the hosts whose own pages may come with a certificate of an
	// unknown authority.
	SelfSigned action.SelfSigned
	// Refused is told of each document that Guard refused. May be nil; must
	// not block.
	Refused func(action.Refusal)

	// Downloads is the folder, as the browser sees it, where what pages download
	// is kept apart. Empty refuses every download.
	Downloads    string
	MostDownload int64 // bytes of one download; 32 MiB when 0
	// Uploads is the folder, as the browser sees it, where Files puts what is
	// uploaded, and the only one whose files clients of the protocol may give to
	// pages. Empty: none.
	Uploads string
	// Files carries files in and out. nil refuses uploads, and leaves downloads
	// where they are.
	Files Files

	// Credentialed reports whether credentials were put into the browser: what
	// agents look for is narrow then, see Trusted. nil: none were.
	Credentialed func() bool
	// Secrets returns where the session's known secrets are in a text, as ranges
	// of bytes in its order. nil: none are known.
	Secrets func(text string) [][2]int

	MaxDepth              int  // deepest level of a JSON tree; 10 when 0
	MaxTokens             int  // of one snapshot, where a call does not say; 6,000 when 0
	ExcludePasswordFields bool // leave password fields out of snapshots wholly
	IncludeHidden         bool // show text that a person could not see

	Log           *slog.Logger  // nil discards
	DialogTimeout time.Duration // an unanswered dialog is dismissed after it; 60 s when 0
}

func (o Options) filled() Options {
	if o.Width <= 0 {
		o.Width = 1280 // SPEC section 5
	}
	if o.Height <= 0 {
		o.Height = 720
	}
	if o.DPI <= 0 {
		o.DPI = 96
	}
	if o.MaxDepth <= 0 {
		o.MaxDepth = 10 // SPEC section 7
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
		o.DialogTimeout = 60 * time.Second // SPEC section 6.1
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
