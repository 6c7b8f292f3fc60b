package gateway

import (
	"fmt"
	"time"

	"github.com/gloveboxhq/glovebox/internal/action"
	"github.com/gloveboxhq/glovebox/internal/auth"
	"github.com/gloveboxhq/glovebox/internal/browser/engine"
	"github.com/gloveboxhq/glovebox/internal/config"
	"github.com/gloveboxhq/glovebox/internal/egress"
	"github.com/gloveboxhq/glovebox/internal/fault"
	"github.com/gloveboxhq/glovebox/internal/session"
)

// duration converts a number of the configuration to a duration. -1, which
// disables a limit, stays -1.
func duration(n int, unit time.Duration) time.Duration {
	if n < 0 {
		return -1
	}
	return time.Duration(n) * unit
}

func network(c config.Network) action.Network {
	return action.Network{
		Navigation: c.Navigation, Subresources: c.Subresources, Listed: c.Listed, AllowPrivate: c.AllowPrivate, Ports: c.Ports,
	}
}

func proxies(c config.Network) (all []session.Proxy) {
	for _, p := range c.Upstreams {
		all = append(all, session.Proxy{Name: p.Name, Scopes: p.Scopes})
	}
	return all
}

func sessionConfig(c config.Config) session.Config {
	return session.Config{
		Enabled:       c.Browser.Enabled,
		Provider:      c.Browser.Provider,
		Width:         c.Browser.Viewport.Width,
		Height:        c.Browser.Viewport.Height,
		DPI:           c.Browser.Viewport.DPI,
		Network:       network(c.Security.Network),
		Proxies:       proxies(c.Security.Network),
		WarmPool:      c.Browser.Sandbox.WarmPool,
		ColdStart:     !c.Browser.Sandbox.Warmup,
		AllowWeak:     c.Browser.Sandbox.AllowWeak,
		KeepBoxes:     c.Browser.Sandbox.KeepOnClose,
		IdleTimeout:   duration(c.Security.IdleTimeout, time.Second),
		HolderGone:    time.Minute,
		FreezeAfter:   duration(c.Browser.FreezeAfter, time.Second),
		StartQueue:    time.Duration(c.Browser.StartQueue) * time.Second,
		MaxAge:        duration(c.Browser.MaxMinutes, time.Minute),
		MaxActions:    c.Security.MaxActions,
		MaxFailures:   c.Security.MaxFailures,
		MaxRepeated:   c.Security.MaxRepeated,
		Sending:       action.Sending(c.Security.Effects.Default),
		AutoInject:    c.Security.Credentials.AutoInject,
		MaxConcurrent: c.Security.MaxConcurrent,
		MaxSessions:   c.Security.MaxSessions,
		Retention:     duration(c.Browser.RetentionDays, 24*time.Hour),
	}
}

func pageOptions(c config.Config) (engine.Options, error) {
	most, err := config.Bytes(c.Browser.Downloads.MaxSize)
	if err != nil {
		return engine.Options{}, err
	}
	selfSigned, wrong := egress.SelfSigned(c.Security.Network.SelfSigned)
	if len(wrong) > 0 {
		return engine.Options{}, fault.New(fault.InvalidRequest, "security.network.%s: %s", wrong[0].Path, wrong[0].Message).
			Hinted("glovebox config check names every mistake")
	}
	return engine.Options{
		SelfSigned:            selfSigned,
		MostDownload:          most,
		Timeout:               time.Duration(c.Browser.Timeout) * time.Second,
		MaxDepth:              c.Security.Snapshot.MaxDepth,
		MaxTokens:             c.Security.Snapshot.MaxTokens,
		ExcludePasswordFields: c.Security.Snapshot.ExcludePasswords,
		IncludeHidden:         !c.Security.Snapshot.ExcludeHidden,
	}, nil
}

func tokens(c config.Config) ([]auth.Entry, error) {
	entries := make([]auth.Entry, 0, len(c.Auth.Tokens))
	for _, t := range c.Auth.Tokens {
		entry := auth.Entry{Name: t.Name, Role: action.Role(t.Role), Scope: t.Scope, SHA256: t.SHA256}
		if t.Expires != "" {
			expires, err := time.Parse(time.RFC3339, t.Expires)
			if err != nil {
				return nil, fmt.Errorf("token %s: %w", t.Name, err)
			}
			entry.Expires = expires
		}
		entries = append(entries, entry)
	}
	return entries, nil
}
