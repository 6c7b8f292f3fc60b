package workflow

import (
	"fmt"
	"net"
	"path/filepath"
	"strings"

	"github.com/gloveboxhq/glovebox/internal/action"
	"github.com/gloveboxhq/glovebox/internal/fault"
)

// validate refuses a run with an invalid part before anything starts. Faults:
// invalid_request, invalid_url.
func validate(run *action.RunStart) error {
	for i, pattern := range run.DomainAllowlist {
		if !isHost(pattern) {
			return invalidField(fmt.Sprintf("domain_allowlist.%d", i), "is no host", "give hosts such as example.com, or *.example.com for sub-domains")
		}
	}
	if err := checkURL("url", run.URL, run.DomainAllowlist); err != nil {
		return err
	}
	if dir := run.ScreenshotDir; dir != "" && !filepath.IsLocal(filepath.Clean(dir)) {
		return invalidField("screenshot_dir", "leads out of the current folder", "give a folder below it, such as ./test-results/screenshots/")
	}
	return checkActions(run.Actions, run.DomainAllowlist)
}

// checkActions refuses actions that open addresses which the list does not allow.
func checkActions(actions []action.RunAction, allowed []string) error {
	for i, a := range actions {
		if a.Type != "navigate" {
			continue
		}
		if err := checkURL(fmt.Sprintf("actions.%d.url", i), a.URL, allowed); err != nil {
			return err
		}
	}
	return nil
}

func checkURL(field, address string, allowed []string) error {
	u := canonical(address)
	if u == nil {
		return fault.New(fault.InvalidURL, "%s is no http or https URL", field).
			Hinted("write one like https://example.com/, without a user name").With("field", field)
	}
	name := host(address)
	for _, pattern := range allowed {
		if matchesHost(plainHost(pattern), name, u.Port()) {
			return nil
		}
	}
	return invalidField(field, "is on a host that domain_allowlist does not have", "add the host to domain_allowlist")
}

// matchesHost reports whether a pattern matches a host: the same host, with a
// port only this port, or with "*." its subdomains.
func matchesHost(pattern, name, port string) bool {
	if suffix, wild := strings.CutPrefix(pattern, "*"); wild {
		return strings.HasSuffix(name, suffix) && len(name) > len(suffix)
	}
	return pattern == name || pattern == net.JoinHostPort(name, port)
}

// isHost reports whether a pattern is a host, a "*." pattern or host:port.
func isHost(pattern string) bool {
	name := strings.TrimPrefix(plainHost(pattern), "*.")
	return name != "" && !strings.HasPrefix(name, ".") && !strings.ContainsAny(name, "*/@ \t\r\n?#\\") && canonical("http://"+name+"/") != nil
}

// plainHost returns a pattern with its host as the URL standard writes it.
func plainHost(pattern string) string {
	pattern = strings.TrimSuffix(strings.ToLower(strings.TrimSpace(pattern)), ".")
	name, wild := strings.CutPrefix(pattern, "*.")
	u := canonical("http://" + name + "/")
	switch {
	case u == nil || strings.Contains(name, ":"): // a port, also the scheme's own, is kept
		return pattern
	case wild:
		return "*." + u.Hostname()
	}
	return u.Hostname()
}

func invalidField(field, problem, hint string) error {
	return fault.New(fault.InvalidRequest, "%s %s", field, problem).Hinted("%s", hint).With("field", field)
}
