// A call of every tool there is, in an order in which each works.
import { assert, connect, rest, SITE, text, until } from "./clients.mjs";

const lab = (page) => `${SITE}/lab/${page}`;

const any = /^(### |Done)/; // of our headings: what the page does is its own business

// steps are pairs of a tool and its arguments; what the answer says; and what
// a person does meanwhile. A third element that is a code wants that fault.
const steps = (session) => [
  ["browser_session", { action: "list" }, /is open/],
  ["browser_navigate", { url: lab("controls") }, /### Page[\s\S]*Controls[\s\S]*button "Show 0"/],
  ["browser_snapshot", {}, /textbox|searchbox/],
  ["browser_downloads", {}, /There are no downloads/],
  ["browser_find", { text: "The end" }, /The end/],
  ["browser_click", { role: "button", name: "Show 0" }, /Show 1/],
  ["browser_type", { target: "#q", text: "gloves" }, /gloves/],
  ["browser_press_key", { key: "End", target: "#q" }, any],
  ["browser_select_option", { target: "#colour", values: ["Green"] }, /Green/],
  ["browser_fill_form", { fields: [{ target: "#q", value: "mittens" }, { target: "#colour", type: "combobox", value: "Red" }] }, /mittens/],
  ["browser_check", { target: "#agree" }, /Set checkbox "Agree"/],
  ["browser_hover", { text: "More" }, /Hovered/],
  ["browser_scroll", { y: 400 }, any],
  ["browser_drag", { startTarget: "#count", endTarget: "#q" }, any],
  ["browser_resize", { width: 1000, height: 700 }, /1000/],
  ["browser_batch", { steps: [{ tool: "browser_type", arguments: { target: "#q", text: "again" } }, { tool: "browser_click", arguments: { role: "button" } }] }, /Show 2/],
  ["browser_evaluate", { function: "() => document.title.length" }, /8/, () => approves(session)],
  ["browser_wait_for", { text: "The end" }, /### /],
  ["browser_read", {}, /The end/],
  ["browser_markdown", {}, /# Controls/],
  ["browser_console_messages", { level: "error" }, /\d messages, oldest first/],
  ["browser_network_requests", {}, /lab\/controls/],
  ["browser_take_screenshot", {}, /### /],
  ["browser_screenshot", {}, /### /],
  ["browser_tabs", { action: "list" }, /selected/],
  ["browser_fill_secret", { secret: "password", target: "#q" }, "not_found"],
  ["browser_navigate", { url: lab("files") }, /File/],
  ["browser_file_upload", { target: "#file", files: [{ name: "a.txt", text: "abc" }] }, /a\.txt", 3 bytes/],
  ["browser_navigate_back", {}, /Controls/],
  ["browser_navigate", { url: lab("dialog") }, /Show the question/],
  ["browser_click", { role: "button" }, /### Modal state[\s\S]*Your name/],
  ["browser_handle_dialog", { accept: true, promptText: "Ada" }, /Ada/],
  ["browser_crawl", { url: `${SITE}/login`, maxPages: 1 }, /Sign in/],
  ["browser_request_human", { reason: "to see whether one comes" }, /handed the session back/, () => comes(session)],
  ["browser_run", { url: `${SITE}/login`, domain_allowlist: ["localhost"], actions: [{ type: "read_page" }] }, /read_page ok/],
  ["browser_approval_status", { approval_id: "q0000000000000000" }, "not_found"],
  ["browser_close", {}, /closed/],
];

// comes takes a session over and hands it back once somebody is wanted there.
async function comes(session) {
  await until("an alert", async () => {
    const { records } = await rest("GET", `/v1/audit?session=${session}&limit=1000`);
    return records.some((r) => r.event_type === "alert");
  });
  await rest("POST", `/v1/sessions/${session}/take`, { reason: "asked" });
  await rest("POST", `/v1/sessions/${session}/hand-back`, { note: "done" });
}

// approves answers the question that a session's call waits for.
async function approves(session) {
  const { id } = await until("a question", async () => (await rest("GET", "/v1/approvals")).questions.find((q) => q.session === session && q.state === "pending"));
  await rest("POST", `/v1/approvals/${id}/answer`, { approve: true, reason: "read it" });
}

// everyTool calls every tool that is listed, and holds each answer against
// what the protocol and the tool's own description say of it.
export async function everyTool(a) {
  const { tools } = await a.client.listTools();
  const known = new Map(tools.map((tool) => [tool.name, tool]));
  for (const tool of tools) described(tool);
  const started = await a.call("browser_session", { action: "start" });
  const session = started.structuredContent.session;
  const called = new Set();
  for (const [name, args, want, meanwhile] of steps(session)) {
    const takes = known.get(name)?.inputSchema.properties;
    assert.ok(takes, `${name} is not offered`);
    const given = Object.fromEntries(Object.entries({ ...args, session }).filter(([arg]) => arg in takes));
    const [result] = await Promise.all([a.call(name, given), meanwhile?.()]);
    holds(name, result, want);
    called.add(name);
  }
  assert.deepEqual([...known.keys()].filter((name) => !called.has(name)), [], "these tools were not called");
}

function described(tool) {
  assert.equal(tool.inputSchema.type, "object", tool.name);
  assert.ok(tool.description, tool.name);
  const { readOnlyHint, destructiveHint } = tool.annotations;
  assert.ok(!(readOnlyHint && destructiveHint), `${tool.name} only reads and destroys`);
}

// holds wants text, and the same for programs, in an answer.
function holds(name, result, want) {
  const said = text(result);
  const fault = result.structuredContent?.error?.code;
  assert.equal(fault, typeof want === "string" ? want : undefined, `${name}: ${said}`);
  assert.equal(Boolean(result.isError), typeof want === "string", `${name}: ${said}`);
  if (typeof want === "string") assert.match(said, new RegExp(`^### Error\n${want}: .*\nNext: `), name);
  else assert.match(said, want, name);
  if (/screenshot/.test(name)) assert.equal(result.content.find((c) => c.type === "image").mimeType, "image/png");
}
