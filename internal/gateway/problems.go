package gateway

import (
	"fmt"
	"log/slog"
	"os"
	"strings"

	"github.com/gloveboxhq/glovebox/internal/auth"
	"github.com/gloveboxhq/glovebox/internal/config"
	"github.com/gloveboxhq/glovebox/internal/egress"
	"github.com/gloveboxhq/glovebox/internal/fault"
	"github.com/gloveboxhq/glovebox/internal/gate/webhook"
	"github.com/gloveboxhq/glovebox/internal/profile"
	"github.com/gloveboxhq/glovebox/internal/surface/rest"
)

// problems lists what a gateway would refuse in a configuration that can be
// parsed: in the policy, in the lists of the egress proxy, in files, and in the
// environment. It changes nothing.
func problems(c config.Config) []config.Problem {
	all := policyProblems(c)
	for _, wrong := range egress.Check(network(c.Security.Network)) {
		all = append(all, config.Problem{Path: "security.network." + wrong.Path, Message: wrong.Message})
	}
	all = append(all, reachProblems(c.Security.Network)...)
	if files := c.Server.TLS; files.Cert != "" && files.Key != "" {
		if _, err := rest.TLS(files.Cert, files.Key, slog.New(slog.DiscardHandler)); err != nil {
			all = append(all, config.Problem{Path: "server.tls", Message: fmt.Sprintf("the certificate cannot be used: %v", err)})
		}
	}
	if w := c.Security.HITL.Webhook; w.URL != "" {
		if err := webhookSecret(w); err != nil {
			all = append(all, problemOf("security.hitl.webhook.secret_env", err))
		}
	}
	if _, err := openSource(c); err != nil {
		all = append(all, problemOf("security.credentials.vault_backend", err))
	}
	if given := os.Getenv(profile.KeyEnv); given != "" {
		if _, err := profile.Key(given, c.Server.StateDir); err != nil {
			all = append(all, problemOf("", err))
		}
	}
	return append(all, append(tokenProblems(c), stateProblems(c)...)...)
}

// reachProblems lists problems of the certificates and of the upstream proxies.
// Its faults begin with their keys.
func reachProblems(c config.Network) (all []config.Problem) {
	_, files := authorities(c)
	_, proxy := upstream(c.Upstream, upstreamKey)
	_, named := upstreams(c)
	for _, err := range []error{files, proxy, named} {
		if err != nil {
			path, why, _ := strings.Cut(fault.From(err).Message, ": ")
			all = append(all, config.Problem{Path: path, Message: why + "; " + fault.From(err).Hint})
		}
	}
	_, wrong := egress.SelfSigned(c.SelfSigned)
	for _, w := range wrong {
		all = append(all, config.Problem{Path: "security.network." + w.Path, Message: w.Message})
	}
	return all
}

func webhookSecret(w config.Webhook) error {
	secret := os.Getenv(w.SecretEnv)
	if secret == "" {
		return noSecret(w)
	}
	return webhook.CheckSecret(secret)
}

// tokenProblems lists tokens that are invalid or conflict with each other.
func tokenProblems(c config.Config) (all []config.Problem) {
	entries, err := tokens(c)
	if err != nil {
		return nil // the configuration's own check reports it
	}
	for i := range entries {
		if err := auth.Check(entries[:i+1]...); err != nil {
			return []config.Problem{{Path: fmt.Sprintf("auth.tokens[%d]", i), Message: err.Error()}}
		}
	}
	return nil
}

// stateProblems lists folders that are files, or that cannot be written.
func stateProblems(c config.Config) (all []config.Problem) {
	for _, place := range []struct{ path, dir string }{
		{"server.state_dir", c.Server.StateDir}, {"audit.checkpoint_dir", c.Audit.CheckpointDir},
	} {
		info, err := os.Stat(place.dir)
		switch {
		case place.dir == "" || os.IsNotExist(err): // it will be created
		case err != nil:
			all = append(all, config.Problem{Path: place.path, Message: fmt.Sprintf("%s cannot be used: %v", place.dir, err)})
		case !info.IsDir():
			all = append(all, config.Problem{Path: place.path, Message: place.dir + " is no folder"})
		}
	}
	return all
}

// problemOf converts a fault to a problem of a key, with the message and the
// hint.
func problemOf(path string, err error) config.Problem {
	f := fault.From(err)
	message := f.Message
	if f.Hint != "" {
		message += "; " + f.Hint
	}
	return config.Problem{Path: path, Message: message}
}
