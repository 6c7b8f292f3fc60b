// What clients do beside calling tools.
import { assert, BASE, connect, rest, SITE, text, until } from "./clients.mjs";

const start = async (a, args = {}, options) => (await a.call("browser_session", { action: "start", ...args }, options)).structuredContent.session;
const show = async (a, session, page) => text(await a.call("browser_navigate", { url: `${SITE}/lab/${page}`, session }));

// progress: whoever asks is told of each page of a crawl, each further on.
export async function progress(a) {
  const notes = [];
  const session = await start(a);
  await a.call("browser_crawl", { url: `${SITE}/lab/controls`, maxPages: 1, session }, { onprogress: (note) => notes.push(note) });
  assert.ok(notes.some((n) => n.message.includes("pages read")), JSON.stringify(notes));
  assert.ok(notes.every((n, i) => i === 0 || n.progress >= notes[i - 1].progress), JSON.stringify(notes));
  await a.call("browser_close", { session });
}

// cancelled: a call that is called off ends in the gateway too, keeps nobody
// from the session, and is told of with the next answer.
export async function cancelled(a) {
  const session = await start(a);
  await show(a, session, "slow-click");
  const off = new AbortController();
  const call = a.call("browser_click", { role: "button", session }, { signal: off.signal });
  const click = async (kind) => (await rest("GET", `/v1/audit?session=${session}&limit=1000`)).records.find((r) => r.action === "page.click" && r.event_type === kind);
  await until("the click to begin", () => click("intent"));
  off.abort("changed my mind");
  await assert.rejects(call);
  assert.equal((await until("the click to end", () => click("outcome"))).result, "cancelled");
  const next = await show(a, session, "controls");
  assert.match(next, /browser_click, was cancelled: it may have been carried out/);
  assert.match(next, /Show 0/);
  await a.call("browser_close", { session });
}

// lost: a browser session outlives the transport it was started over.
export async function lost(a) {
  const name = `${a.kind}-${a.generation}`;
  const session = await start(a, { name });
  await show(a, session, "controls");
  await a.call("browser_click", { role: "button", session });
  if (a.kind === "stdio") process.kill(a.transport.pid, "SIGKILL");
  else await a.client.close(); // without a DELETE
  const again = await connect(a.generation, a.kind, { revision: a.revision });
  assert.match(text(await again.call("browser_snapshot", { session: name })), /Show 1/);
  await again.call("browser_session", { action: "archive", session });
  await again.client.close();
}

// errors: of the protocol where the protocol has one, of the tool otherwise.
export async function errors(a) {
  await assert.rejects(a.call("browser_approve", {}), { code: -32602 });
  const faults = {
    invalid_request: ["browser_navigate", { place: SITE }],
    missing_url: ["browser_navigate", { url: "" }],
    session_not_found: ["browser_snapshot", { session: "nobodys" }],
  };
  for (const [code, [name, args]] of Object.entries(faults)) {
    const result = await a.call(name, args);
    assert.equal(result.isError, true, code);
    assert.equal(result.structuredContent.error.code, code);
    assert.match(text(result), /\nNext: /);
  }
  const session = await start(a);
  const blocked = await a.call("browser_navigate", { url: "https://elsewhere.example/", session });
  assert.equal(blocked.structuredContent.error.code, "blocked_domain");
  await a.call("browser_close", { session });
}

// several: two sessions of one client, used at the same time, do not mix.
export async function several(a) {
  const both = await Promise.all([start(a), start(a)]);
  const pages = await Promise.all([show(a, both[0], "controls"), show(a, both[1], "disabled")]);
  pages.push(...await Promise.all(both.map(async (session) => text(await a.call("browser_snapshot", { session })))));
  for (const [i, page] of pages.entries()) assert.match(page, i % 2 ? /Show more/ : /Show 0/);
  await Promise.all(both.map((session) => a.call("browser_session", { action: "archive", session })));
}

// resources: each that is listed can be read. Other clients of the same token end their
// sessions meanwhile: a resource that cannot be read is soon listed no more.
export async function resources(a) {
  assert.ok(a.client.getServerCapabilities().resources);
  const session = await start(a);
  await show(a, session, "controls");
  const listed = async () => (await a.client.listResources()).resources.map(({ uri }) => uri);
  const read = async (uri) => {
    try {
      return (await a.client.readResource({ uri })).contents;
    } catch (error) {
      if (!(await listed()).includes(uri)) return null;
      await new Promise((done) => setTimeout(done, 200));
      return read(uri);
    }
  };
  let some = 0;
  for (const uri of await listed()) {
    const contents = await read(uri);
    if (contents === null) continue;
    assert.ok(contents.length > 0, uri);
    some++;
  }
  assert.ok(some > 0);
  await a.call("browser_session", { action: "archive", session });
}

// revisions: what a client asks for it gets; with a wrong token, nothing.
export async function revisions() {
  for (const revision of ["2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25", "2026-07-28"]) {
    for (const kind of ["stdio", "http"]) {
      const a = await connect(2, kind, { revision });
      assert.equal(a.client.getNegotiatedProtocolVersion(), revision, kind);
      assert.equal(a.client.getServerVersion().version, "e2e", kind);
      assert.ok((await a.client.listTools()).tools.length > 20);
      await a.client.close();
    }
  }
  await assert.rejects(connect(2, "http", { token: "gbx_ag_wrong" }), /401|nauthorized/);
  const res = await fetch(new URL("/mcp", BASE), { method: "POST", headers: { Origin: "https://evil.example" } });
  assert.ok(res.status === 401 || res.status === 403, String(res.status));
}
