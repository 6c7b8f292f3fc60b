// Playwright's connectOverCDP, by WebSocket and by HTTP, two clients at once.
import { chromium } from "playwright-core";
import { BASE, SITE, assert, headers, refused, socket, verb } from "./journey.mjs";

const browser = await chromium.connectOverCDP(socket, { headers });
const context = browser.contexts()[0];
const page = context.pages()[0];
assert.ok(page, "the session's page is there");

// The session's own page.
await page.goto(`${SITE}/lab/controls`);
assert.equal(await page.title(), "Controls");
await page.getByRole("button", { name: "Show 0" }).click();
await page.getByRole("button", { name: "Show 1" }).waitFor();
await page.getByLabel("Search").fill("Größe 🧤");
assert.equal(await page.getByLabel("Search").inputValue(), "Größe 🧤");
await page.getByLabel("Colour").selectOption("Green");
const seen = await verb("page.snapshot");
assert.match(JSON.stringify(seen.data), /Show 1/, "the verbs see what the client did");
assert.ok((await page.screenshot()).length > 1000);
const pdf = await page.pdf().catch((err) => assert.match(err.message, /headless|PrintToPDF/i)); // Chromium with a display may refuse
if (pdf) assert.equal(pdf.subarray(0, 4).toString(), "%PDF");

// Pages and contexts of its own.
const second = await context.newPage();
await second.goto(`${SITE}/lab/escape`);
assert.equal(context.pages().length, 2);
await second.close();
const own = await browser.newContext();
await own.addCookies([{ name: "mine", value: "1", url: SITE }]);
const apart = await own.newPage();
await apart.goto(`${SITE}/lab/controls`);
assert.equal((await own.cookies()).length, 1);
assert.equal((await context.cookies()).filter((c) => c.name === "mine").length, 0, "contexts keep their cookies");
await apart.route("**/*", (route) => route.continue());
await apart.goto(`${SITE}/lab/escape`);

// A popup, and dialogs that the client answers.
const [popup] = await Promise.all([
  own.waitForEvent("page"),
  apart.evaluate((url) => void window.open(url), `${SITE}/lab/controls`),
]);
await popup.waitForLoadState();
assert.equal(await popup.title(), "Controls");
apart.once("dialog", (dialog) => dialog.accept("Ann"));
assert.equal(await apart.evaluate(() => prompt("name?")), "Ann");

// The other form, and a second client beside the first.
const other = await chromium.connectOverCDP(`${BASE}/v1/browser/cdp`, { headers });
assert.equal(other.contexts()[0].pages()[0].url(), page.url());
assert.ok(!other.contexts()[0].pages().some((p) => p.url() === popup.url() && p !== page) || popup.url() === page.url());
assert.equal(await other.contexts()[0].pages()[0].title(), "Controls");
await other.close();

// What is refused, with the connection going on.
await refused(page.goto("file:///etc/passwd"), /glovebox: Page.navigate/);
await refused(page.goto("chrome://version"), /glovebox: Page.navigate/);
await refused(page.goto("http://169.254.169.254/"), /glovebox: Page.navigate/);
await refused(browser.newContext({ proxy: { server: "http://127.0.0.1:1" } }), /egress proxy/);
const root = await browser.newBrowserCDPSession();
await refused(root.send("Browser.crash"), /glovebox: Browser.crash/);
await root.send("Storage.getCookies");
const cdp = await context.newCDPSession(page);
await refused(cdp.send("SystemInfo.getInfo"), /SystemInfo/);
await refused(cdp.send("Browser.crash"), /glovebox: Browser.crash/);
await apart.goto(`${SITE}/lab/controls`);
const fetched = await apart.evaluate(() => fetch("https://example.net/").then(String, (e) => `refused ${e}`));
assert.match(fetched, /refused/, "the egress proxy holds");

// A request that is sent on to where it may not go ends at once.
await apart.unroute("**/*");
await apart.route("**/never", (route) => route.continue({ url: "http://169.254.169.254/" }).catch(() => {}));
const began = Date.now();
const sentOn = await apart.evaluate(() => fetch("/never").then(String, (e) => `refused ${e}`));
assert.match(sentOn, /refused/, "a refused address is refused");
assert.ok(Date.now() - began < 5000, "and at once");
await own.close();

// The address of the gateway alone, and an address with a token of its own.
for (const [at, options] of [[BASE, { headers }], [process.env.TICKET, {}], [process.env.TICKET.replace(/^ws/, "http"), {}]]) {
  const plain = await chromium.connectOverCDP(at, options);
  assert.equal(plain.contexts()[0].pages()[0].url(), page.url(), at.split("?")[0]);
  await plain.close();
}

// Dialogs under a verb are its caller's, though a client is attached.
await page.goto(`${SITE}/lab/dialog`);
const clicked = await verb("page.click", { role: "button", name: "Show the question" });
assert.equal(clicked.modal?.message, "Your name?");
const answered = await verb("page.dialog", { accept: true, text: "Bob" });
assert.equal(answered.code, undefined, JSON.stringify(answered));
await page.waitForFunction(() => document.title === "Bob");

await browser.close();
console.log("ok");
