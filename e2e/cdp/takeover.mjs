// A person's Playwright is attached while they take the session over, act in
// it, and hand it back.
import { chromium } from "playwright-core";
import { SITE, assert, headers, socket, verb } from "./journey.mjs";

const browser = await chromium.connectOverCDP(socket, { headers });
const page = browser.contexts()[0].pages()[0];
await page.goto(`${SITE}/lab/controls`);

const taken = await verb("session.take", { reason: "a code from the phone" });
assert.equal(taken.data?.state, "taken_over", JSON.stringify(taken));
await page.getByLabel("Search").fill("by hand");
await page.getByRole("button", { name: "Show 0" }).click();
const second = await browser.contexts()[0].newPage();
await second.goto(`${SITE}/lab/escape`);
await page.bringToFront();
await page.goto(`${SITE}/lab/disabled`);

const back = await verb("session.hand_back", { note: "signed in for you" });
assert.equal(back.data?.state, "open", JSON.stringify(back));
assert.equal(await page.title(), "Disabled", "the connection goes on");
await browser.close();
console.log("ok");
