package cdpproxy

// grant implements sessionView: a client may use the session's own context and
// those that it made.
type grant Client

func (g *grant) home() string { return g.host.Home() }

func (g *grant) judge(address string) error { return g.host.Judge(address) }

func (g *grant) downloads() map[string]any { return g.host.Downloads() }

func (g *grant) uploads() string { return g.host.Uploads() }

func (g *grant) world() string { return g.host.World() }

func (g *grant) keeps(session string) bool { return (*Client)(g).keeps(session) }

func (g *grant) made(context string) bool {
	g.mu.Lock()
	defer g.mu.Unlock()
	_, ours := g.contexts[context]
	return ours
}

func (g *grant) spread() bool {
	g.mu.Lock()
	defer g.mu.Unlock()
	return len(g.browsers) >= maxBrowserSessions
}

func (g *grant) full() bool {
	g.mu.Lock()
	defer g.mu.Unlock()
	return len(g.contexts) >= maxContexts
}

func (g *grant) holds(context string) bool {
	return context != "" && (context == g.host.Home() || g.made(context))
}

func (g *grant) reads(stream string) bool {
	g.mu.Lock()
	defer g.mu.Unlock()
	_, may := g.streams[stream]
	return may
}

// sees reports whether a client may see a target: one in a context that it may
// use, and neither the browser itself nor a window of its interface.
func (g *grant) sees(i info) bool {
	return i.Type != "browser" && i.Type != "browser_ui" && g.holds(i.Context)
}
