"use strict";

// Everything that is shown is set as text; nothing of the records becomes markup.
const at = (id) => document.getElementById(id);
const data = JSON.parse(at("data").textContent);
const rows = data.records.map((r) => ({ ...r, record: r.line ? parse(r.line) : r.record }));
const questions = new Map((data.questions || []).map((q) => [q.id, q]));
const sights = new Map((data.seen || []).map((s) => [s.correlation_id, s]));
let shown = []; // indexes of rows that the filter selects
let current = -1; // index of a row
let timer = 0;

function parse(line) {
  try {
    return JSON.parse(line) || {};
  } catch {
    return { detail: "this record cannot be read" };
  }
}

// --- verification, as docs/audit.md describes it

const hex = /^[0-9a-f]{64}$/;
const bytesOf = (text) => Uint8Array.from(text.match(/../g), (pair) => parseInt(pair, 16));
const hexOf = (buffer) => Array.from(new Uint8Array(buffer), (byte) => byte.toString(16).padStart(2, "0")).join("");

async function sha256(...parts) {
  const all = new Uint8Array(parts.reduce((sum, part) => sum + part.length, 0));
  let end = 0;
  for (const part of parts) {
    all.set(part, end);
    end += part.length;
  }
  return hexOf(await crypto.subtle.digest("SHA-256", all));
}

// problemOf says what is wrong with a record; "" if nothing is, null if it cannot be verified.
async function problemOf(i) {
  const r = rows[i], before = rows[i - 1];
  if (!hex.test(r.hash) || (r.previous !== "" && !hex.test(r.previous))) return "has no valid hash";
  if (!r.record || r.record.session_id !== data.session.id) return "is not of this session";
  if (before && !(r.record.seq > before.record.seq)) return "is out of order";
  if (before && r.record.seq === before.record.seq + 1 && r.previous !== before.hash) return "does not follow the record before it";
  if (!r.line || r.previous === "") return null;
  const hash = await sha256(bytesOf(r.previous), new TextEncoder().encode(r.line));
  return hash === r.hash ? "" : "was changed: its hash does not fit";
}

async function verify() {
  if (!globalThis.crypto?.subtle) return { state: "impossible", text: "This browser cannot verify the records here: it has no WebCrypto for files." };
  const problems = [];
  let unverified = 0;
  for (let i = 0; i < rows.length; i++) {
    const problem = await problemOf(i);
    if (problem === null) unverified++;
    if (!problem) continue;
    rows[i].broken = true;
    problems.push(`Record ${rows[i].record?.seq} ${problem}.`);
  }
  const trail = data.trail || {}, last = rows[rows.length - 1];
  if (rows.length !== trail.count) problems.push(`The file has ${rows.length} records, and the session had ${trail.count}.`);
  if (last && (last.hash !== trail.hash || last.record?.seq !== trail.seq)) problems.push("The last record is not the newest one of the session.");
  if (rows.every((r) => hex.test(r.hash)) && (await sha256(...rows.map((r) => bytesOf(r.hash)))) !== trail.digest) problems.push("The hashes do not fit the digest of the session.");
  if (problems.length) return { state: "broken", text: "Broken: this file is not what the gateway exported.", problems };
  const head = last ? ` Head: record ${trail.seq}, ${trail.hash}. Digest: ${trail.digest}.` : "";
  if (unverified) return { state: "partly", text: `${rows.length - unverified} of ${rows.length} records are verified. The others were redacted after they were stored, or follow a record that retention has removed.${head}` };
  return { state: "verified", text: `Verified: ${rows.length} records.${head}` };
}

// --- display

function element(name, text, attributes = {}) {
  const e = document.createElement(name);
  e.textContent = text;
  for (const [key, value] of Object.entries(attributes)) e.setAttribute(key, value);
  return e;
}

function term(list, name, value) {
  if (value === undefined || value === null || value === "") return;
  const pair = document.createElement("div");
  pair.append(element("dt", name), element("dd", String(value)));
  list.append(pair);
}

const refused = (r) => r.event_type === "refused" || r.event_type === "blocked" || r.result === "fault" || r.hitl_decision === "denied" || r.hitl_decision === "expired";
const kinds = {
  calls: (r) => r.event_type === "outcome",
  people: (r) => r.event_type === "question" || r.event_type === "answer" || Boolean(r.approval_id),
  refused,
};

function summary(r) {
  return [r.event_type, r.action, r.target_element, r.target_url || r.url, r.error || r.result, r.detail].filter(Boolean).join("  ");
}

function list() {
  const kind = kinds[at("kind").value] || (() => true), words = at("words").value.toLowerCase();
  shown = [];
  const items = document.createDocumentFragment();
  rows.forEach((row, i) => {
    const r = row.record || {};
    if (!kind(r) || (words && !`${JSON.stringify(r)}`.toLowerCase().includes(words))) return;
    shown.push(i);
    const item = element("li", "", { "data-index": i });
    if (refused(r)) item.classList.add("refused");
    if (row.broken) item.classList.add("broken");
    item.append(element("small", `${r.seq} ${(r.timestamp || "").slice(11, 19)}`), summary(r).slice(0, 200));
    items.append(item);
  });
  at("records").replaceChildren(items);
  at("time").max = Math.max(0, shown.length - 1);
  if (!shown.includes(current)) current = shown.length ? shown[0] : -1;
  show(current);
}

// pictureOf is the newest picture up to a row: that of the record or of its question.
function pictureOf(index) {
  for (let i = index; i >= 0; i--) {
    const r = rows[i].record || {};
    for (const id of [r.screenshot_path, questions.get(r.approval_id)?.screenshot]) {
      if (id && (i === index || data.pictures[id] === "embedded")) return { id, seq: r.seq, own: i === index };
    }
  }
  return null;
}

function showPicture(index) {
  const found = index < 0 ? null : pictureOf(index), image = at("picture");
  const source = found && data.pictures[found.id] === "embedded" ? at("p-" + found.id) : null;
  image.hidden = !source;
  if (source) {
    image.src = source.textContent;
    image.alt = `Screenshot of record ${found.seq}`;
  } else {
    image.removeAttribute("src");
  }
  at("caption").textContent = !found ? "No picture so far." : !source ? `The picture of record ${found.seq} is not in this file: ${data.pictures[found.id] || "left out"}.`
    : found.own ? `Picture of record ${found.seq}.` : `Picture of the earlier record ${found.seq}.`;
}

// showSight shows what the agent saw in the call of a row, or else in the newest call before it.
function showSight(index) {
  let i = index;
  while (i >= 0 && !(rows[i].record?.event_type === "outcome" && sights.has(rows[i].record.correlation_id))) i--;
  const seen = i < 0 ? null : sights.get(rows[i].record.correlation_id);
  at("looked").hidden = !seen;
  at("looked").textContent = seen ? `What the agent saw at ${i === index ? "this record" : "the earlier record " + rows[i].record.seq}${seen.cut ? " (cut)" : ""}` : "";
  at("seen").textContent = seen ? seen.text : "";
}

function showQuestion(q) {
  const box = at("question");
  box.replaceChildren();
  if (!q) return;
  box.append(element("p", `Question ${q.id}: ${q.verb}, ${q.risk}`), element("p", q.why || ""));
  const answer = q.answered ? `${q.state} by ${q.answeredBy || "nobody"} at ${q.answered}` : q.state;
  box.append(element("p", `Answer: ${answer}${q.reason ? ": " + q.reason : ""}`, { class: "answer" }));
}

function show(index) {
  current = index;
  for (const old of document.querySelectorAll("#records [aria-current]")) old.removeAttribute("aria-current");
  const place = shown.indexOf(index), r = index < 0 ? null : rows[index].record || {};
  at("place").textContent = r ? `${place + 1} of ${shown.length}` : "no record";
  at("time").value = Math.max(0, place);
  at("fields").replaceChildren();
  at("title").textContent = r ? `Record ${r.seq}: ${[r.event_type, r.action].filter(Boolean).join(" ")}` : "No record";
  showQuestion(r && questions.get(r.approval_id));
  showPicture(index);
  showSight(index);
  if (!r) return;
  for (const [name, value] of Object.entries(r)) if (name !== "seq") term(at("fields"), name, typeof value === "object" ? JSON.stringify(value) : value);
  term(at("fields"), "hash", rows[index].hash);
  const item = at("records").children[place];
  item?.setAttribute("aria-current", "true");
  item?.scrollIntoView({ block: "nearest" });
  history.replaceState(null, "", "#" + r.seq);
}

function step(by) {
  const place = shown.indexOf(current) + by;
  if (place >= 0 && place < shown.length) show(shown[place]);
  return place < shown.length - 1;
}

function play(on) {
  clearInterval(timer);
  timer = on ? setInterval(() => step(1) || play(false), 1000) : 0;
  at("play").textContent = on ? "Pause" : "Play";
}

const keys = {
  ArrowRight: () => step(1), j: () => step(1), ArrowLeft: () => step(-1), k: () => step(-1),
  Home: () => shown.length && show(shown[0]), End: () => shown.length && show(shown[shown.length - 1]),
  " ": () => play(!timer), "/": () => at("words").focus(),
};

document.addEventListener("keydown", (event) => {
  if (event.ctrlKey || event.metaKey || event.altKey || !Object.hasOwn(keys, event.key)) return;
  if (event.target.matches("input, select") || (event.key === " " && event.target.matches("button"))) return;
  event.preventDefault();
  keys[event.key]();
});
at("previous").addEventListener("click", () => step(-1));
at("next").addEventListener("click", () => step(1));
at("play").addEventListener("click", () => play(!timer));
at("time").addEventListener("input", () => shown.length && show(shown[Number(at("time").value)]));
at("kind").addEventListener("change", list);
at("words").addEventListener("input", list);
at("records").addEventListener("click", (event) => {
  const item = event.target.closest("li");
  if (item) show(Number(item.dataset.index));
});

function openLinked() {
  const linked = rows.findIndex((row) => String(row.record?.seq) === location.hash.slice(1));
  if (shown.includes(linked)) show(linked);
}
addEventListener("hashchange", openLinked);

const s = data.session;
for (const [name, value] of [["session", s.id], ["name", s.name], ["state", s.state], ["scope", s.scope], ["started by", s.actor], ["created", s.created], ["closed", s.closed], ["reason", s.reason], ["exported", data.exported]]) term(at("facts"), name, value);
const linkedAtFirst = location.hash;
list();
if (linkedAtFirst) {
  history.replaceState(null, "", linkedAtFirst);
  openLinked();
}
verify().then((verdict) => {
  at("problems").replaceChildren(...(verdict.problems || []).slice(0, 100).map((text) => element("li", text)));
  at("verdict").textContent = verdict.text;
  if (verdict.problems) list();
  at("verdict").dataset.state = verdict.state;
});
