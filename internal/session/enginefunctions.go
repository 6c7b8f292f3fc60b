package session

import (
	"context"

	"github.com/gloveboxhq/glovebox/internal/action"
	"github.com/gloveboxhq/glovebox/internal/browser/engine"
)

// setEngineFunctions sets the functions that a page engine asks before a page loads, sends or
// stores anything.
func (p *pages) setEngineFunctions(o *engine.Options, box string) {
	o.Guard = func(rawURL string) error {
		if d := p.networks.egress.Judge(box, rawURL); !d.Allowed {
			return blockedFault(d)
		}
		return nil
	}
	o.Unreached = func(ctx context.Context, rawURL string) string { return p.networks.egress.Unreached(ctx, box, rawURL) }
	o.Owns = func(host string) error { return p.networks.mayHaveCookies(box, host) }
	if p.creds.vault != nil {
		o.Prepare = func(ctx context.Context, rawURL string) error { return p.creds.prepare(ctx, box, rawURL) }
		o.Authenticated = func(domain, origin, scheme string) { p.creds.authenticated(box, domain, origin, scheme) }
	}
	o.Files = &boxFiles{files: p.files, box: box}
	o.Refused = func(refusal action.Refusal) { p.refusals.add(box, refusal) }
	o.Credentialed, o.Secrets = p.creds.secretsOfBox(box)
	if p.outgoing != nil {
		o.Outgoing = func(ctx context.Context, request action.Request) (action.Ruling, error) {
			return p.judgeOutgoing(ctx, box, request)
		}
		o.Receipt = func(e action.Effect) {
			if sess := p.sessions.byBox(box); sess != nil {
				p.outgoing.Receipt(sess.now(), e)
			}
		}
	}
}
