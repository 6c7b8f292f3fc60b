package mcp

import (
	"context"
	"fmt"
	"sync"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/gloveboxhq/glovebox/internal/action"
)

const (
	openingURLs = "2025-11-25" // first revision of the protocol whose clients can be asked to open an address
	wordLimit   = time.Second  // for the client to be told that a question is over
)

// informer informs the person at a client that a call waits for an answer, and
// where it is given. It uses the client's own dialog (elicitation, mode url).
// The client's response is ignored, because the client speaks for the agent and
// cannot approve anything.
type informer struct {
	session *mcp.ServerSession
	tool    string
	at      string // of the gateway
	ctx     context.Context
	end     context.CancelFunc
	open    sync.WaitGroup

	mu   sync.Mutex
	told []string // questions
}

// informs returns an informer for one call of a tool; nil if the client cannot
// open an address, or there is none to open.
func informs(ctx context.Context, req *mcp.CallToolRequest, tool string) *informer {
	c := from(ctx, req.Extra)
	if c == nil || c.address == "" || !opensURLs(req.Session) {
		return nil
	}
	ctx, end := context.WithCancel(ctx)
	return &informer{session: req.Session, tool: tool, at: c.address, ctx: ctx, end: end}
}

// opensURLs reports whether a client declared that it can open addresses for
// its user. In revisions without sessions a server cannot ask the client during
// a call.
func opensURLs(session *mcp.ServerSession) bool {
	p := session.InitializeParams()
	return p != nil && p.ProtocolVersion >= openingURLs && p.ProtocolVersion < stateless &&
		p.Capabilities != nil && p.Capabilities.Elicitation != nil && p.Capabilities.Elicitation.URL != nil
}

// asked informs the client of a question, and does not wait.
func (i *informer) asked(p action.Pending) {
	i.mu.Lock()
	defer i.mu.Unlock()
	i.told = append(i.told, p.Approval)
	i.open.Go(func() {
		_, _ = i.session.Elicit(i.ctx, &mcp.ElicitParams{
			Mode: "url", ElicitationID: p.Approval, URL: i.at + "/approvals/" + p.Approval,
			Message: fmt.Sprintf("%s waits for a person's answer until %s (risk %s, question %s). The page says where an operator gives it. What you choose here approves nothing.",
				i.tool, p.Expires.UTC().Format("15:04:05 MST"), p.Risk, p.Approval),
		})
	})
}

// close ends open requests to the client. If the call no longer waits, the
// client is told that its questions are over.
func (i *informer) close(waits bool) {
	if i == nil {
		return
	}
	i.mu.Lock()
	told := i.told
	i.mu.Unlock()
	ctx, cancel := context.WithTimeout(i.ctx, wordLimit)
	defer cancel()
	for _, id := range told {
		if !waits {
			_ = i.session.NotifyElicitationComplete(ctx, &mcp.ElicitationCompleteParams{ElicitationID: id}) // a client that is gone needs no notice
		}
	}
	i.end()
	i.open.Wait()
}

// telling returns a function that reports a question for which a call waits: as
// progress, and to the person at the client. It is nil if nobody would receive
// the report.
func telling(tell func(phase string), i *informer) func(action.Pending) {
	if tell == nil && i == nil {
		return nil
	}
	return func(p action.Pending) {
		if tell != nil {
			tell(fmt.Sprintf("a person is asked: question %s, risk %s, until %s; operators answer with glovebox approvals watch",
				p.Approval, p.Risk, p.Expires.UTC().Format("15:04:05 MST")))
		}
		if i != nil {
			i.asked(p)
		}
	}
}
