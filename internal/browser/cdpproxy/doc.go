// Package cdpproxy lets clients of the DevTools protocol (Playwright, Puppeteer) use
// the browser of a session at the same time as the page engine. Each client has a
// browser session of its own on the engine's connection. Calls that act on the
// session only are passed on, others are refused.
package cdpproxy
