package config

import (
	"errors"
	"fmt"
	"net/netip"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/docker/go-units"
)

var (
	hashPattern   = regexp.MustCompile(`^[0-9a-f]{64}$`)
	prefixPattern = regexp.MustCompile(`^[a-z0-9][a-z0-9-]{0,19}$`)
)

// Bytes returns a size of the configuration ("512m") in bytes.
func Bytes(size string) (int64, error) {
	n, err := units.RAMInBytes(size)
	if err != nil {
		return 0, fmt.Errorf("%q is no size; write one like 512m", size)
	}
	return n, nil
}

// Check reports what is wrong with c, as Problems.
func (c *Config) Check() error {
	if problems := c.problems(); len(problems) > 0 {
		return problems
	}
	return nil
}

// problems lists what is wrong with c. The text of each error begins with the
// key.
func (c *Config) problems() (problems Problems) {
	s := &c.Security
	checks := []error{c.Server.listen(), c.Server.names(), c.Auth.JWT.check(), c.Auth.Rate.check()}
	checks = append(checks, c.Browser.checks()...)
	checks = append(checks,
		between("server.live.max_viewers", c.Server.Live.Viewers, 1, 10_000),
		limit("security.session_timeout", s.IdleTimeout),
		limit("security.max_actions_per_session", s.MaxActions),
		limit("security.max_failures", s.MaxFailures),
		limit("security.max_repeated_failures", s.MaxRepeated),
		limit("security.max_concurrent_sessions", s.MaxConcurrent),
		limit("security.max_sessions", s.MaxSessions),
		oneOf("security.network.subresources", s.Network.Subresources, "same-site", "listed", "any-public"),
		s.Network.check(),
		oneOf("security.credentials.scan_input", s.Credentials.Scan, "halt", "deny", "ask"),
		s.Credentials.check(),
		between("security.snapshot.max_depth", s.Snapshot.MaxDepth, 1, 200),
		between("security.snapshot.max_tokens", s.Snapshot.MaxTokens, 500, 24_000),
		oneOf("security.hitl.ask_at", s.HITL.AskAt, "wire", "act"),
		oneOf("security.effects.default", s.Effects.Default, "asked", "none", "free"),
		between("security.hitl.timeouts.medium", s.HITL.Timeouts.Medium, 1, 3600),
		between("security.hitl.timeouts.high", s.HITL.Timeouts.High, 1, 3600),
		between("security.hitl.timeouts.critical", s.HITL.Timeouts.Critical, 1, 3600),
		limit("audit.retention_days", c.Audit.RetentionDays),
		c.Audit.check(),
		c.Browser.Downloads.check(),
		s.HITL.Webhook.check(),
		c.container(),
	)
	for i, token := range c.Auth.Tokens {
		checks = append(checks, token.validate(fmt.Sprintf("auth.tokens[%d]", i)))
	}
	for i, value := range s.Credentials.Test {
		checks = append(checks, between(fmt.Sprintf("security.credentials.test_values[%d] (its length)", i), len(value), 4, 10_000))
	}
	for _, port := range s.Network.Ports {
		checks = append(checks, between("security.network.ports", port, 1, 65535))
	}
	for _, err := range checks {
		if err != nil {
			problems = append(problems, problemOf(err))
		}
	}
	return problems
}

func (b *Browser) checks() []error {
	return []error{
		oneOf("browser.provider", b.Provider, "sandbox"),
		between("browser.timeout_seconds", b.Timeout, 1, 120),
		limit("browser.max_session_minutes", b.MaxMinutes),
		between("browser.start_queue_seconds", b.StartQueue, 0, 600),
		atLeast("browser.freeze_after_seconds", b.FreezeAfter, 5),
		limit("browser.artifacts_retention_days", b.RetentionDays),
		between("browser.viewport.width", b.Viewport.Width, 200, 3840),
		between("browser.viewport.height", b.Viewport.Height, 200, 2160),
		between("browser.viewport.dpi", b.Viewport.DPI, 48, 384),
		oneOf("browser.sandbox.driver", b.Sandbox.Driver, "docker", "local"),
		match("browser.sandbox.container_name_prefix", b.Sandbox.NamePrefix, prefixPattern, "begin with a small letter or a digit, and have small letters, digits and - alone, 20 at most"),
		between("browser.sandbox.warm_pool", b.Sandbox.WarmPool, 0, 20),
		between("browser.sandbox.runtime_restart_attempts", b.Sandbox.Restarts, 0, 10),
		between("browser.sandbox.lease_seconds", b.Sandbox.Lease, 5, 600),
		between("browser.sandbox.container.pids_limit", int(b.Sandbox.Container.PIDs), 256, 1<<15),
	}
}

// maxDownload is the limit of all downloads of a box together, and of one
// artifact.
const maxDownload = 64 << 20

func (d Downloads) check() error {
	size, err := Bytes(d.MaxSize)
	if err != nil {
		return fmt.Errorf("browser.downloads.max_size: %w", err)
	}
	if size < 1 || size > maxDownload {
		return fmt.Errorf("browser.downloads.max_size: %s is not between 1 byte and 64m, which a box has room for", d.MaxSize)
	}
	return nil
}

// check validates the limits of the egress proxy. Chromium alone opens 32
// connections to a proxy.
func (n Network) check() error {
	if _, err := n.Bytes(); err != nil {
		return fmt.Errorf("security.network.max_bytes_per_session: %w", err)
	}
	if _, err := netip.ParseAddrPort(n.Resolver); err != nil && n.Resolver != "" {
		return fmt.Errorf("security.network.resolver: %q is not ip:port", n.Resolver)
	}
	if name := n.Upstream.SecretEnv; name != "" && (n.Upstream.URL == "" || !envPattern.MatchString(name)) {
		return errors.New("security.network.upstream_proxy.secret_env: want the name of an environment variable, beside upstream_proxy.url")
	}
	return errors.Join(
		n.checkProxies(),
		limit("security.network.requests_per_second", n.Pace),
		between("security.network.max_connections", n.Connections, 32, 4096),
		limit("security.network.max_connection_minutes", n.MaxMinutes),
	)
}

// proxyName matches the valid names of upstream proxies. See
// action.SessionStart.Proxy.
var proxyName = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$`)

// checkProxies refuses proxies that sessions could not choose by name.
func (n Network) checkProxies() error {
	known := map[string]bool{"default": true, "direct": true}
	for i, p := range n.Upstreams {
		at := fmt.Sprintf("security.network.upstream_proxies[%d]", i)
		switch {
		case !proxyName.MatchString(p.Name):
			return fmt.Errorf("%s.name: want 1 to 64 letters, digits, dots, _ and -", at)
		case known[p.Name]:
			return fmt.Errorf("%s.name: %q is taken", at, p.Name)
		case p.URL == "":
			return fmt.Errorf("%s.url: want http://host:port or socks5://host:port", at)
		case p.SecretEnv != "" && !envPattern.MatchString(p.SecretEnv):
			return fmt.Errorf("%s.secret_env: want the name of an environment variable", at)
		case slices.Contains(p.Scopes, ""):
			return fmt.Errorf("%s.scopes: want names of scopes", at)
		}
		known[p.Name] = true
	}
	return nil
}

// Bytes returns how many bytes a session may move; 0 is no limit.
func (n Network) Bytes() (int64, error) {
	if n.MaxBytes == "-1" {
		return 0, nil
	}
	size, err := Bytes(n.MaxBytes)
	if err == nil && size < 1<<20 {
		err = fmt.Errorf("%s is less than one page takes; 1m is the least, and -1 is no limit", n.MaxBytes)
	}
	return size, err
}

func (a Audit) check() error {
	if a.OTLP == "" {
		return nil
	}
	u, err := url.Parse(a.OTLP)
	if err != nil || (u.Scheme != "http" && u.Scheme != "https") || u.Host == "" || u.User != nil {
		return errors.New("audit.otlp_endpoint: want an address like http://127.0.0.1:4318/v1/traces") // the value may hold a password
	}
	return nil
}

func (c *Config) container() error {
	box := c.Browser.Sandbox.Container
	memory, err := Bytes(box.Memory)
	if err != nil {
		return fmt.Errorf("browser.sandbox.container.memory_limit: %w", err)
	}
	if memory < 256<<20 { // less is not enough for Chromium with one page (docs/benchmarks.md)
		return fmt.Errorf("browser.sandbox.container.memory_limit: %s is too little for a browser; 256m is the least", box.Memory)
	}
	if _, err := Bytes(box.Shm); err != nil {
		return fmt.Errorf("browser.sandbox.container.shm_size: %w", err)
	}
	if box.CPUs <= 0 || box.CPUs > 256 {
		return fmt.Errorf("browser.sandbox.container.cpus: %g is not above 0", box.CPUs)
	}
	return nil
}

func (t Token) validate(at string) error {
	if t.Name == "" || t.Scope == "" {
		return fmt.Errorf("%s: name and scope must not be empty", at)
	}
	if err := oneOf(at+".role", t.Role, "agent", "viewer", "operator"); err != nil {
		return err
	}
	if !hashPattern.MatchString(t.SHA256) {
		return fmt.Errorf("%s.sha256: want 64 hex digits", at) // the value may be a token: it is not shown
	}
	if t.Expires == "" {
		return nil
	}
	if _, err := time.Parse(time.RFC3339, t.Expires); err != nil {
		return fmt.Errorf("%s.expires: want a time like 2027-01-31T00:00:00Z", at)
	}
	return nil
}

func between(path string, value, low, high int) error {
	if value < low || value > high {
		return fmt.Errorf("%s: %d is not between %d and %d", path, value, low, high)
	}
	return nil
}

func limit(path string, value int) error {
	if value == -1 || value > 0 {
		return nil
	}
	return fmt.Errorf("%s: %d is neither above 0 nor -1, which disables the limit", path, value)
}

func atLeast(path string, value, low int) error {
	if value == -1 || value >= low {
		return nil
	}
	return fmt.Errorf("%s: %d is neither %d or more nor -1, which switches it off", path, value, low)
}

func oneOf(path, value string, allowed ...string) error {
	if slices.Contains(allowed, value) {
		return nil
	}
	return fmt.Errorf("%s: %q is not one of %s", path, value, strings.Join(allowed, ", "))
}

// match refuses a value that does not match a pattern. words describe the
// pattern.
func match(path, value string, pattern *regexp.Regexp, words string) error {
	if pattern.MatchString(value) {
		return nil
	}
	return fmt.Errorf("%s: %q must %s", path, value, words)
}
