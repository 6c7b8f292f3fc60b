// Package cdpproxy lets clients of the DevTools protocol (Playwright, Puppeteer)
// use the browser of a session together with the page engine. Each client has its
// own browser session on the engine's connection. Calls that affect only the
// session are passed on, others are refused.
package cdpproxy
