package injected

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
)

// ErrNoMessages is the error of a call that the browser does not pass to a page whose
// next document is requested, and that no relay can pass either.
var ErrNoMessages = errors.New("the browser passes no messages to the page while its next document is requested")

// Relay is the Caller of a document to which the browser passes no messages of the
// protocol. It calls the functions of our script by other means. It has no objects of
// the page, so that closed shadow roots that were not found before are not read.
type Relay struct {
	// Run calls a function of the world with an argument, and returns its result; all
	// are JSON text.
	Run func(ctx context.Context, function, arg string) (string, error)
}

// Call calls a function of the world. Any other method fails with ErrNoMessages.
func (r *Relay) Call(ctx context.Context, method string, params, result any) error {
	p, calls := params.(callParams)
	if !calls || p.Declaration != runDeclaration {
		return fmt.Errorf("%s: %w", method, ErrNoMessages)
	}
	function, _ := p.Arguments[0].Value.(string)
	arg, _ := p.Arguments[1].Value.(string)
	value, err := r.Run(ctx, function, arg)
	if err != nil {
		return err
	}
	if a, is := result.(*Answer); is {
		a.Result.Value = value
	}
	return nil
}

// Post does nothing: what is called without waiting for an answer is not needed to
// read a page.
func (r *Relay) Post(string, any) {}

// HostLimit returns in how many hosts a reading of a frame looks for closed shadow roots:
// none if a relay calls the frame.
func HostLimit(f Frame) int {
	if _, relayed := f.Session.(*Relay); relayed {
		return 0
	}
	return ClosedPerCall
}

// RelayScript returns the script that lets a world serve a relay by a channel. It runs
// after Source.
func RelayScript(channel string) string {
	name, _ := json.Marshal(channel) // text can always be encoded
	arg, _ := json.Marshal(string(name))
	return fmt.Sprintf("\n__glovebox.run('serveRelay', %s)", arg)
}

// RelayFunction calls a function of the world that serves a channel. It runs in another
// document of the origin, with the name of the channel, a name for the call, the
// function, and its argument as JSON text. Its result is a RelayAnswer as JSON text.
const RelayFunction = `(channel, call, name, arg) => new Promise(done => {
  const c = new BroadcastChannel(channel);
  c.addEventListener('message', ({data}) => {
    if (data.answer !== call) return;
    c.close();
    done(JSON.stringify(data));
  });
  c.postMessage({call, name, arg});
})`

// RelayAnswer is the result of RelayFunction.
type RelayAnswer struct {
	Value string `json:"value"` // JSON text
	Error string `json:"error"` // an exception in the world
}
