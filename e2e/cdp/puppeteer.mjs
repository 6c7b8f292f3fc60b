// Puppeteer's connect.
import puppeteer from "puppeteer-core";
import { BASE, SITE, assert, headers, refused, socket, verb } from "./journey.mjs";

const browser = await puppeteer.connect({ browserWSEndpoint: socket, headers, defaultViewport: null });
const [page] = await browser.pages();
assert.ok(page, "the session's page is there");
await page.goto(`${SITE}/lab/controls`);
assert.equal(await page.title(), "Controls");
await page.click("#count");
assert.equal(await page.$eval("#count", (e) => e.textContent), "Show 1");
await page.type("#q", "gloves");
const seen = await verb("page.snapshot");
assert.match(JSON.stringify(seen.data), /gloves/);

const second = await browser.newPage();
await second.goto(`${SITE}/lab/escape`);
const context = await browser.createBrowserContext();
const apart = await context.newPage();
await apart.goto(`${SITE}/lab/controls`);
const [popup] = await Promise.all([
  new Promise((done) => apart.once("popup", done)),
  apart.evaluate((url) => void window.open(url), `${SITE}/lab/escape`),
]);
assert.ok(popup);
apart.once("dialog", (dialog) => dialog.accept());
assert.equal(await apart.evaluate(() => confirm("sure?")), true);
await apart.setRequestInterception(true);
apart.on("request", (request) => request.continue());
await apart.goto(`${SITE}/lab/controls`);
await refused(apart.goto("file:///etc/passwd"), /glovebox: Page.navigate/);
await context.close();
await second.close();

// What its browserURL asks for, at the root and without a token.
const { webSocketDebuggerUrl } = await (await fetch(new URL("/json/version", BASE))).json();
assert.equal(webSocketDebuggerUrl, socket);
const other = await puppeteer.connect({ browserWSEndpoint: webSocketDebuggerUrl, headers, defaultViewport: null });
assert.equal((await other.pages()).length, 1);
await other.disconnect();
await browser.disconnect();
console.log("ok");
