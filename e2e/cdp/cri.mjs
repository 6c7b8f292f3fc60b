// chrome-remote-interface, with the token in the address.
import CDP from "chrome-remote-interface";
import { BASE, SITE, TOKEN, assert, headers, socket } from "./journey.mjs";

const pages = await (await fetch(`${BASE}/v1/browser/cdp/json/list`, { headers })).json();
assert.equal(pages[0].webSocketDebuggerUrl, socket);

const client = await CDP({ target: `${socket}?access_token=${TOKEN}`, local: true });
const { targetInfos } = await client.Target.getTargets();
assert.deepEqual(targetInfos.map((t) => t.type), ["page"]);
const { sessionId } = await client.Target.attachToTarget({ targetId: targetInfos[0].targetId, flatten: true });
await client.Page.enable(sessionId);
const loaded = client.Page.loadEventFired(sessionId);
await client.Page.navigate({ url: `${SITE}/lab/controls` }, sessionId);
await loaded;
const { result } = await client.Runtime.evaluate({ expression: `"x".repeat(8 << 20)` }, sessionId);
assert.equal(result.value.length, 8 << 20);
await assert.rejects(client.Browser.close(), /session.close/);
await assert.rejects(client.Tracing.start({ perfettoConfig: "eA==" }), /perfettoConfig/);
const title = await client.Runtime.evaluate({ expression: "document.title" }, sessionId);
assert.equal(title.result.value, "Controls");

// The session ends under the client: it is told so.
const closed = new Promise((done) => client._ws.on("close", (code, reason) => done(`${code} ${reason}`)));
const gone = await fetch(`${BASE}/v1/browser/cdp/json/version`, { headers });
assert.equal((await gone.json()).webSocketDebuggerUrl, socket);
const list = await (await fetch(`${BASE}/v1/sessions`, { headers })).json();
await fetch(`${BASE}/v1/sessions/${list.sessions[0].id}/close`, { method: "POST", headers });
assert.match(await closed, /^1000 not_active/);
console.log("ok");
