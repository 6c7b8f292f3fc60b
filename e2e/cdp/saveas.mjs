// What a page downloads reaches Playwright through an address on this machine.
import { readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { chromium } from "playwright-core";
import { SITE, assert } from "./journey.mjs";

const browser = await chromium.connectOverCDP(process.env.FORWARD);
const page = browser.contexts()[0].pages()[0];
await page.goto(`${SITE}/lab/controls`);
const [download] = await Promise.all([
  page.waitForEvent("download"),
  page.evaluate(() => Object.assign(document.createElement("a"), { href: "/lab/download", download: "" }).click()),
]);
const path = join(tmpdir(), `saved-${process.pid}`);
await download.saveAs(path);
const saved = await readFile(path);
await rm(path);
assert.equal(saved.length, Number(process.env.SIZE));
assert.deepEqual([...saved.subarray(0, 4)], [0, 1, 2, 255]);
await browser.close();
console.log("ok");
