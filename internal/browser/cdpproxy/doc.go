// Package cdpproxy lets clients of the DevTools protocol (Playwright, Puppeteer)
// use a session's browser beside the page engine: each on a browser session of
// its own over the engine's one connection. It passes on what stays within the
// session and refuses the rest.
package cdpproxy
