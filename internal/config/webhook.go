package config

import (
	"fmt"
	"net/netip"
	"net/url"
	"regexp"
)

var envPattern = regexp.MustCompile(`^[A-Za-z_][A-Za-z0-9_]*$`)

// check refuses addresses that would send questions unencrypted, or that contain
// a user name or a fragment. No message contains the address, since it may
// contain a secret.
func (w Webhook) check() error {
	const at = "security.hitl.webhook"
	if w.URL == "" {
		return nil
	}
	u, err := url.Parse(w.URL)
	switch {
	case err != nil || u.Hostname() == "" || u.Opaque != "" || u.User != nil || u.Fragment != "":
		return fmt.Errorf("%s.url: want an address like https://hooks.example.com/glovebox, without user name and fragment", at)
	case u.Scheme != "https" && (u.Scheme != "http" || !onLoopback(u.Hostname())):
		return fmt.Errorf("%s.url: want https; http is for this machine only", at)
	case !envPattern.MatchString(w.SecretEnv):
		return fmt.Errorf("%s.secret_env: want the name of the environment variable that holds the secret", at)
	}
	return nil
}

func onLoopback(host string) bool {
	address, err := netip.ParseAddr(host)
	return host == "localhost" || err == nil && address.IsLoopback()
}
