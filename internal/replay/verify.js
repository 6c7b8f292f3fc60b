"use strict";

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
  const proof = { "public key": seals[0].public_key, "newest record": trail.seq, "its hash": trail.hash, digest: trail.digest };
  const some = [];
  if (unverified) some.push(`${rows.length - unverified} of ${rows.length} records fit the chain. The others were redacted after they were stored, or follow a record that retention has removed; for them there is only the signature.`);
  const absent = [...digests].filter(([id, digest]) => digest && !pictures.has(id)).length;
  if (absent) some.push(`Pictures that are not in this file: ${absent}.`);
  const uncovered = [...pictures.keys()].filter((id) => !digests.get(id)).length;
  if (uncovered) some.push(`Pictures that are not covered by the signature: ${uncovered}.`);
  if (some.length) return { state: "partly", text: `Partly verified. ${some.join(" ")}${by}`, proof };
  return { state: "verified", text: `Verified: ${rows.length} records, and all that is shown with them.${by}`, proof };
}
