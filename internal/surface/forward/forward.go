// Package forward serves the DevTools protocol of one session on this machine for
// clients such as Playwright. Clients need no token, and files that pages download
// are put where the client looks for them.
package forward

import (
	"context"
	"encoding/json"
	"errors"
	"log/slog"
	"net"
	"net/http"
	"strings"
	"time"

	"github.com/coder/websocket"

	"github.com/gloveboxhq/glovebox/internal/action"
	"github.com/gloveboxhq/glovebox/internal/fault"
	"github.com/gloveboxhq/glovebox/internal/randid"
)

// Gateway is what a forward needs of the gateway's client.
type Gateway interface {
	Protocol(ctx context.Context, session string) (*websocket.Conn, error)
	Call(ctx context.Context, call action.Call) (action.Result, error)
}

// Forward serves clients on one listener. Its zero value is not usable: see New.
type Forward struct {
	gateway  Gateway
	session  string // id
	listener net.Listener
	secret   string // part of the path, since other users of the machine reach the port too
	log      *slog.Logger
}

// New makes a forward of a session, by its id. Serve runs it.
func New(gateway Gateway, session string, listener net.Listener, log *slog.Logger) *Forward {
	return &Forward{gateway: gateway, session: session, listener: listener, secret: randid.Word(), log: log}
}

// Address is where clients connect, "http://127.0.0.1:9222/secret". The same
// with ws is the WebSocket's. Whoever knows it controls the browser.
func (f *Forward) Address() string { return "http://" + f.listener.Addr().String() + "/" + f.secret }

// Serve serves clients until ctx ends.
func (f *Forward) Serve(ctx context.Context) error {
	mux := http.NewServeMux()
	mux.HandleFunc("GET /"+f.secret, f.attach)
	mux.HandleFunc("GET /"+f.secret+"/json/version", f.version)
	mux.HandleFunc("GET /"+f.secret+"/json/version/", f.version)
	server := &http.Server{
		Handler: mux, ReadHeaderTimeout: 10 * time.Second, MaxHeaderBytes: 1 << 16,
		BaseContext: func(net.Listener) context.Context { return ctx },
	}
	stop := context.AfterFunc(ctx, func() { _ = server.Close() })
	defer stop()
	if err := server.Serve(f.listener); !errors.Is(err, http.ErrServerClosed) {
		return err
	}
	return nil
}

// version answers with the address of the WebSocket.
func (f *Forward) version(w http.ResponseWriter, _ *http.Request) {
	w.Header().Set("Content-Type", "application/json")
	_ = json.NewEncoder(w).Encode(map[string]string{
		"Browser": "Glovebox", "Protocol-Version": "1.3", "webSocketDebuggerUrl": strings.Replace(f.Address(), "http", "ws", 1),
	})
}

func (f *Forward) attach(w http.ResponseWriter, r *http.Request) {
	ctx, cancel := context.WithCancel(r.Context())
	defer cancel()
	browser, err := f.gateway.Protocol(ctx, f.session)
	if err != nil {
		refused := fault.From(err)
		f.log.Warn("the gateway refused a client", "error", refused.Message, "hint", refused.Hint)
		http.Error(w, refused.Message+"; "+refused.Hint, refused.Code.Info().Status)
		return
	}
	defer func() { _ = browser.CloseNow() }()
	client, err := websocket.Accept(w, r, &websocket.AcceptOptions{CompressionMode: websocket.CompressionDisabled})
	if err != nil { // it has answered, for example to a page of another origin
		return
	}
	defer func() { _ = client.CloseNow() }()
	client.SetReadLimit(maxMessage)
	s := &saver{gateway: f.gateway, session: f.session, log: f.log}
	ends := make(chan error, 2)
	go func() { ends <- pump(ctx, client, browser, s.fromClient) }()
	go func() { ends <- pump(ctx, browser, client, s.fromBrowser) }()
	why := <-ends
	said := websocket.CloseError{Code: websocket.StatusNormalClosure}
	errors.As(why, &said)
	if said.Code == websocket.StatusNoStatusRcvd || said.Code == websocket.StatusAbnormalClosure {
		said.Code = websocket.StatusNormalClosure
	}
	_ = browser.Close(said.Code, said.Reason)
	_ = client.Close(said.Code, said.Reason)
	cancel()
	<-ends
}

// maxMessage is the longest message that a client may send, in bytes.
const maxMessage = 64 << 20

// pump passes messages from one connection to another until one of them ends. It
// calls look with each message before.
func pump(ctx context.Context, from, to *websocket.Conn, look func(context.Context, []byte)) error {
	for {
		kind, message, err := from.Read(ctx)
		if err != nil {
			return err
		}
		look(ctx, message)
		if err := to.Write(ctx, kind, message); err != nil {
			return err
		}
	}
}
