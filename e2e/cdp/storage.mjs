// Playwright's storageState, both ways: a context that starts with an exported
// login, and one whose login is to be imported.
import { chromium } from "playwright-core";
import { SITE, assert, headers, socket } from "./journey.mjs";

const browser = await chromium.connectOverCDP(socket, { headers });

const given = await browser.newContext({ storageState: process.env.IN });
const page = await given.newPage();
await page.goto(`${SITE}/`);
await page.getByRole("link", { name: "New invoice" }).first().waitFor();
await page.goto(`${SITE}/lab/visitor`);
await page.getByText("database:").waitFor();
const told = await page.locator("#out").textContent();
assert.match(told, /cookie: is-canary-eve;/);
assert.match(told, /storage: is-canary-eve;/);
await given.close();

const own = await browser.newContext();
const fresh = await own.newPage();
await fresh.goto(`${SITE}/login`);
await fresh.getByRole("button", { name: "Continue as demo user" }).click();
await fresh.getByRole("link", { name: "New invoice" }).first().waitFor();
await fresh.goto(`${SITE}/lab/visitor?name=canary-pat`);
await fresh.getByText("database:").waitFor();
await own.storageState({ path: process.env.OUT });
await own.close();
await browser.close();
console.log("ok");
