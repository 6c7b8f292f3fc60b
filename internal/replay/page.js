"use strict";

// Everything that is shown is set as text; nothing of the records becomes markup.
const at = (id) => document.getElementById(id);

// --- reading. All data of the file is in the fields of its parts, whose texts the gateway
// signed, and in pictures, whose hashes are in these fields.

const isObject = (value) => typeof value === "object" && value !== null && !Array.isArray(value);
const objects = (value) => (Array.isArray(value) ? value.filter(isObject) : []);

function parse(text) {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

// readParts returns the texts of the fields by part, and the elements that are no field of a part.
function readParts() {
  const all = [], strange = [];
  for (const e of document.scripts) {
    if (e === document.currentScript) continue;
    const { part, field, picture } = e.dataset;
    if (picture !== undefined && part === undefined && e.type === "text/plain") continue;
    const known = field && (part === String(all.length) || (all.length && part === String(all.length - 1)));
    if (known && part === String(all.length)) all.push(new Map());
    if (known && !all[all.length - 1].has(field)) all[all.length - 1].set(field, e.textContent);
    else strange.push(e);
  }
  return { all, strange };
}

const { all: parts, strange } = readParts();
const fieldsOf = (name) => parts.map((texts) => parse(texts.get(name)));
const listOf = (name) => fieldsOf(name).flatMap(objects);
const session = objects(fieldsOf("session"))[0] || {};
const trail = objects(fieldsOf("trail"))[0] || {};
const seals = parts.map((texts) => parse(texts.get("seal")) || {});
const statements = seals.map((seal) => objects([parse(seal.statement)])[0] || {});
const rows = listOf("records").map((r) => ({ ...r, record: r.line ? objects([parse(r.line)])[0] || { detail: "this record cannot be read" } : r.record }));
const questions = new Map(listOf("questions").map((q) => [q.id, q])); // of the same question the newest
const sights = new Map(listOf("seen").map((s) => [s.correlation_id, s]));
const digests = new Map(listOf("pictures").map((p) => [p.artifact, p.sha256 || ""])); // "" where the gateway signed none
const pictures = new Map([...document.querySelectorAll("script[data-picture]")].map((e) => [e.dataset.picture, e.textContent]));
const changed = new Set(); // pictures that are not those of the gateway
let shown = []; // indexes of rows that the filter selects
let current = -1; // index of a row
let timer = 0;
const faults = []; // what could not be shown

// --- verification, as docs/audit.md and docs/replay.md describe it

const hex = /^[0-9a-f]{64}$/;
const bytesOf = (text) => Uint8Array.from(text.match(/../g), (pair) => parseInt(pair, 16));
const hexOf = (buffer) => Array.from(new Uint8Array(buffer), (byte) => byte.toString(16).padStart(2, "0")).join("");
const utf8 = (text) => new TextEncoder().encode(text);

function base64(text) {
  try {
    return Uint8Array.from(atob(text), (letter) => letter.charCodeAt(0));
  } catch {
    return new Uint8Array();
  }
}

async function sha256(...parts) {
  const all = new Uint8Array(parts.reduce((sum, part) => sum + part.length, 0));
  let end = 0;
  for (const part of parts) {
    all.set(part, end);
    end += part.length;
  }
  return hexOf(await crypto.subtle.digest("SHA-256", all));
}

// fieldNames are what people call the fields of a part.
const fieldNames = {
  session: "the facts of the session", trail: "the summary of the records", records: "the records", pictures: "the list of pictures",
  seen: "what the agent saw", questions: "the questions and answers", next: "what follows the part",
};

async function signed(seal) {
  const key = await crypto.subtle.importKey("raw", base64(seal.public_key), "Ed25519", false, ["verify"]);
  return crypto.subtle.verify("Ed25519", key, base64(seal.signature), utf8(seal.statement));
}

// verifyPart says what is wrong with a part.
async function verifyPart(i) {
  const texts = parts[i], seal = seals[i], statement = statements[i], place = `Part ${i + 1}`;
  if (![seal.statement, seal.signature, seal.public_key].every((text) => typeof text === "string")) return [`${place} has no signature.`];
  if (!(await signed(seal).catch(() => false))) return [`${place}: the signature does not fit.`];
  if (statement.type !== "glovebox replay" || !isObject(statement.fields)) return [`${place}: the signature is of something else.`];
  const problems = [], fields = new Map(Object.entries(statement.fields));
  for (const name of new Set([...fields.keys(), ...texts.keys()])) {
    if (name === "seal") continue;
    const words = `${place}, ${fieldNames[name] || name}`;
    if (!texts.has(name)) problems.push(`${words}: missing.`);
    else if (!fields.has(name)) problems.push(`${words}: added.`);
    else if ((await sha256(utf8(texts.get(name)))) !== fields.get(name)) problems.push(`${words}: changed.`);
  }
  if (seal.public_key !== seals[0].public_key) problems.push(`${place} is signed with another key than the first.`);
  if (parse(texts.get("session"))?.id !== session.id) problems.push(`${place} is of another session.`);
  if (statement.cursor !== (i ? parse(parts[i - 1].get("next")) : "")) problems.push(`${place} does not follow the part before it.`);
  return problems;
}

async function verifyParts() {
  const problems = [];
  for (let i = 0; i < parts.length; i++) problems.push(...(await verifyPart(i)));
  if (!parts.length) problems.push("The file has no data.");
  if (parts.length && parts[parts.length - 1].has("next")) problems.push("A part is missing at the end.");
  if (strange.length) problems.push("The file has data that belongs to no part.");
  return problems;
}

async function verifyPictures() {
  const problems = [];
  for (const [id, text] of pictures) {
    const digest = digests.get(id);
    if (digest === "" || (digest && (await sha256(base64(text))) === digest)) continue;
    changed.add(id);
    problems.push(`Picture ${id} ${digest ? "was changed" : "was added"}.`);
  }
  if (document.querySelectorAll("script[data-picture]").length !== pictures.size) problems.push("A picture is in the file twice.");
  return problems;
}

// problemOf says what is wrong with a record; "" if nothing is, null if its hash cannot be verified.
async function problemOf(i) {
  const r = rows[i], before = rows[i - 1];
  if (!hex.test(r.hash) || (r.previous !== "" && !hex.test(r.previous))) return "has no valid hash";
  if (!r.record || r.record.session_id !== session.id) return "is not of this session";
  if (before && !(r.record.seq > before.record?.seq)) return "is out of order";
  if (before && r.record.seq === before.record?.seq + 1 && r.previous !== before.hash) return "does not follow the record before it";
  if (!r.line || r.previous === "") return null;
  const hash = await sha256(bytesOf(r.previous), utf8(r.line));
  return hash === r.hash ? "" : "was changed: its hash does not fit";
}

// verifyRecords verifies the chain. It returns how many records have a hash that cannot be verified.
async function verifyRecords(problems) {
  let unverified = 0;
  for (let i = 0; i < rows.length; i++) {
    const problem = await problemOf(i);
    if (problem === null) unverified++;
    if (!problem) continue;
    rows[i].broken = true;
    problems.push(`Record ${rows[i].record?.seq} ${problem}.`);
  }
  const last = rows[rows.length - 1];
  if (rows.length !== trail.count) problems.push(`The file has ${rows.length} records, and the session had ${trail.count}.`);
  if (last && (last.hash !== trail.hash || last.record?.seq !== trail.seq)) problems.push("The last record is not the newest one of the session.");
  if (rows.every((r) => hex.test(r.hash)) && (await sha256(...rows.map((r) => bytesOf(r.hash)))) !== trail.digest) problems.push("The hashes do not fit the digest of the session.");
  return unverified;
}

const notExported = "Not verified: this file is not what the gateway exported.";

// canVerify reports whether the browser has what verification needs.
async function canVerify() {
  try {
    await crypto.subtle.generateKey("Ed25519", false, ["sign", "verify"]);
    return true;
  } catch {
    return false;
  }
}

async function verify() {
  if (!(await canVerify())) return { state: "impossible", text: "Not verified: this browser cannot verify the file here. It needs WebCrypto with Ed25519, for files too." };
  const problems = [];
  const unverified = await verifyRecords(problems);
  problems.push(...(await verifyParts()), ...(await verifyPictures()), ...faults);
  if (problems.length) return { state: "broken", text: notExported, problems };
  const key = (await sha256(base64(seals[0].public_key))).slice(0, 16), by = ` Signed at ${statements[0].time} with the key ${key}: compare it with that of your gateway.`;
  const head = rows.length ? ` Head: record ${trail.seq}, ${trail.hash}. Digest: ${trail.digest}.` : "";
  const some = [];
  if (unverified) some.push(`${rows.length - unverified} of ${rows.length} records fit the chain. The others were redacted after they were stored, or follow a record that retention has removed; for them there is only the signature.`);
  const absent = [...digests].filter(([id, digest]) => digest && !pictures.has(id)).length;
  if (absent) some.push(`Pictures that are not in this file: ${absent}.`);
  const uncovered = [...pictures.keys()].filter((id) => !digests.get(id)).length;
  if (uncovered) some.push(`Pictures that are not covered by the signature: ${uncovered}.`);
  if (some.length) return { state: "partly", text: `Partly verified. ${some.join(" ")}${by}${head}` };
  return { state: "verified", text: `Verified: ${rows.length} records, and all that is shown with them.${by}${head}` };
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
      if (id && (i === index || pictures.has(id))) return { id, seq: r.seq, own: i === index };
    }
  }
  return null;
}

// pictureTypes are the types of pictures by how their base64 begins.
const pictureTypes = [["iVBOR", "image/png"], ["/9j/", "image/jpeg"], ["UklGR", "image/webp"]];

function captionOf(found) {
  if (!found) return "No picture so far.";
  if (!pictures.has(found.id)) return `The picture of record ${found.seq} is not in this file: ${digests.get(found.id) === "" ? "the gateway had removed it" : "left out"}.`;
  const doubt = changed.has(found.id) ? " Not verified: it is not the picture that the gateway signed." : digests.get(found.id) ? "" : " It is not covered by the signature.";
  return `Picture of ${found.own ? "" : "the earlier "}record ${found.seq}.${doubt}`;
}

function showPicture(index) {
  const found = index < 0 ? null : pictureOf(index), image = at("picture"), source = found && pictures.get(found.id);
  image.hidden = !source;
  if (source) {
    image.src = `data:${pictureTypes.find(([start]) => source.startsWith(start))?.[1] || "image/png"};base64,${source}`;
    image.alt = `Screenshot of record ${found.seq}`;
  } else {
    image.removeAttribute("src");
  }
  at("caption").textContent = captionOf(found);
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

// display runs a function that shows something. Data that was changed can make it fail.
function display(f) {
  try {
    f();
  } catch (fault) {
    faults.push(`Something in the file cannot be shown: ${fault}.`);
  }
}

// conclude shows a verdict, with its first 100 problems.
function conclude(verdict) {
  at("problems").replaceChildren(...(verdict.problems || []).slice(0, 100).map((text) => element("li", text)));
  at("verdict").textContent = verdict.text;
  if (verdict.problems) display(list);
  at("verdict").dataset.state = verdict.state;
}

display(() => {
  document.title = `Glovebox: replay of session ${session.id}`;
  for (const [name, value] of [["session", session.id], ["name", session.name], ["state", session.state], ["scope", session.scope], ["started by", session.actor], ["created", session.created], ["closed", session.closed], ["reason", session.reason], ["exported", statements[0]?.time]]) term(at("facts"), name, value);
  const linkedAtFirst = location.hash;
  list();
  if (linkedAtFirst) {
    history.replaceState(null, "", linkedAtFirst);
    openLinked();
  }
});
verify()
  .catch((fault) => ({ state: "broken", text: notExported, problems: [`The file cannot be verified: ${fault}.`] }))
  .then(conclude);
