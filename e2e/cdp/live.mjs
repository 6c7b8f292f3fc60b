// A person watches a session on its live page, takes it over, types into it and
// hands it back.
import { chromium } from "playwright-core";
import { assert, verb } from "./journey.mjs";

const { CHROMIUM, LIVE, TRANSPORT } = process.env;
const browser = await chromium.launch({ executablePath: CHROMIUM, args: ["--no-sandbox"], headless: true, timeout: 0 }); // whoever runs this has a limit
try {
  const page = await browser.newPage({ viewport: { width: 1280, height: 860 } });
  page.setDefaultTimeout(0);
  await page.goto(LIVE);
  await page.getByRole("status").filter({ hasText: TRANSPORT }).waitFor();
  assert.equal(new URL(page.url()).hash, "", "the address bar has no token");

  // The picture has the colours of the browser's window: light at the top, white below.
  const seen = () => page.evaluate(() => {
    const shown = [...document.querySelectorAll("video, canvas")].find((e) => e.getBoundingClientRect().width > 100);
    if (!shown) return null;
    const copy = document.createElement("canvas");
    [copy.width, copy.height] = [64, 36];
    const context = copy.getContext("2d");
    context.drawImage(shown, 0, 0, 64, 36);
    return { size: [shown.videoWidth ?? shown.width, shown.videoHeight ?? shown.height], low: [...context.getImageData(40, 30, 1, 1).data] };
  });
  let picture = await seen();
  while (!picture || picture.low[0] < 240) {
    await page.waitForTimeout(100);
    picture = await seen();
  }
  assert.deepEqual(picture?.size, [1280, 720]);
  assert.ok(picture.low.slice(0, 3).every((c) => c > 240), `the page is white, not ${picture.low}`);

  await page.getByRole("button", { name: "Take over" }).click();
  await page.getByText("You control the session").waitFor();
  const refused = await verb("page.click", { selector: "input" });
  assert.equal(refused.code, "session_paused");
  const text = "Größe 漢 🧤";
  await page.keyboard.insertText(text);
  const has = async () => JSON.stringify((await verb("page.snapshot")).data).includes(text);
  while (!(await has())) await page.waitForTimeout(100); // the page has what the person typed
  await page.getByRole("button", { name: "Hand back" }).click();
  await page.getByText("The agent works").waitFor();
} finally {
  await browser.close();
}
console.log("ok");
