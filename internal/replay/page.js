// The display of a replay, after verify.js. Everything that is shown is set as text; nothing of the records becomes markup.
const at = (id) => document.getElementById(id);

// The intent of a call is shown with the outcome, if the file has both: indexes of rows.
const outcomes = new Map(), intents = new Map(); // of the intent the outcome; of the outcome the intent
const begun = new Map(); // intents by correlation_id
rows.forEach(({ record: r }, i) => {
  if (r?.event_type === "intent" && r.correlation_id) begun.set(r.correlation_id, i);
  if (r?.event_type !== "outcome" || !begun.has(r.correlation_id)) return;
  outcomes.set(begun.get(r.correlation_id), i);
  intents.set(i, begun.get(r.correlation_id));
  begun.delete(r.correlation_id);
});

const summary = -1; // stands for the summary of the session among the indexes of rows
let shown = []; // indexes of rows that the filter selects, after that of the summary
let current = summary; // index of a row, or that of the summary
let timer = 0;

function element(name, text, attributes = {}) {
  const e = document.createElement(name);
  e.textContent = text;
  for (const [key, value] of Object.entries(attributes)) e.setAttribute(key, value);
  return e;
}

// term adds a name with its value to a list. A long hash is cut until it is pressed.
function term(list, name, value) {
  if (value === undefined || value === null || value === "") return;
  const pair = document.createElement("div"), text = typeof value === "object" ? JSON.stringify(value) : String(value);
  const definition = element("dd", text);
  if (/^[0-9a-f]{32,}$/.test(text)) {
    const button = element("button", `${text.slice(0, 12)}…`, { type: "button", class: "hash", title: `${text} (press to show all of it)` });
    button.addEventListener("click", () => button.replaceWith(text));
    definition.replaceChildren(button);
  }
  pair.append(element("dt", name), definition);
  list.append(pair);
}

const refused = (r) => r.event_type === "refused" || r.event_type === "blocked" || r.result === "fault" || r.hitl_decision === "denied" || r.hitl_decision === "expired";
const kinds = {
  "": (r, i) => !outcomes.has(i),
  calls: (r) => r.event_type === "outcome",
  people: (r, i) => !outcomes.has(i) && (r.event_type === "question" || r.event_type === "answer" || Boolean(r.approval_id)),
  refused: (r, i) => !outcomes.has(i) && refused(r),
  all: () => true,
};

// isCall reports whether a row is the outcome of a call that is shown with its intent.
const isCall = (i) => intents.has(i) && at("kind").value !== "all";

function lineOf(r, i) {
  const what = isCall(i) ? [r.action, r.target_element, r.target_url || r.url, r.error || (r.result === "ok" ? "" : r.result), r.detail]
    : [r.event_type, r.action, r.target_element, r.target_url || r.url, r.error || r.result, r.detail];
  return what.filter(Boolean).join("  ").slice(0, 200);
}

function list() {
  const kind = kinds[at("kind").value], words = at("words").value.toLowerCase();
  shown = at("kind").value === "" && !words ? [summary] : [];
  const items = document.createDocumentFragment();
  if (shown.length) items.append(element("li", "Summary", { "data-index": summary }));
  rows.forEach((row, i) => {
    const r = row.record || {};
    if (!kind(r, i) || (words && !JSON.stringify(r).toLowerCase().includes(words))) return;
    shown.push(i);
    const item = element("li", "", { "data-index": i });
    if (refused(r)) item.classList.add("refused");
    if (row.broken || rows[intents.get(i)]?.broken) item.classList.add("broken");
    item.append(element("small", `${r.seq} ${(r.timestamp || "").slice(11, 19)}`), lineOf(r, i));
    items.append(item);
  });
  at("records").replaceChildren(items);
  at("time").max = Math.max(0, shown.length - 1);
  if (!shown.includes(current)) current = shown.length ? shown[0] : null;
  show(current);
}

// picturesOf returns the pictures of a row: that of the record and that of its question.
function picturesOf(i) {
  const r = rows[i].record || {};
  return [r.screenshot_path, questions.get(r.approval_id)?.screenshot].filter(Boolean);
}

// pictureOf is the newest picture up to a row; for the summary, the first one in the file.
function pictureOf(index) {
  if (index === summary) {
    const first = rows.findIndex((_, i) => !outcomes.has(i) && picturesOf(i).some((id) => pictures.has(id)));
    return first < 0 ? null : { id: picturesOf(first).find((id) => pictures.has(id)), seq: rows[first].record.seq, which: "The first picture, of record" };
  }
  for (let i = index; i >= 0; i--) {
    for (const id of picturesOf(i)) {
      if (i === index || pictures.has(id)) return { id, seq: rows[i].record.seq, which: `Picture of ${i === index ? "" : "the earlier "}record` };
    }
  }
  return null;
}

// pictureTypes are the types of pictures by how their base64 begins.
const pictureTypes = [["iVBOR", "image/png"], ["/9j/", "image/jpeg"], ["UklGR", "image/webp"]];

function captionOf(found) {
  if (!found) return current === summary ? "The file has no picture." : "No picture so far.";
  if (!pictures.has(found.id)) return `The picture of record ${found.seq} is not in this file: ${digests.get(found.id) === "" ? "the gateway had removed it" : "left out"}.`;
  const doubt = changed.has(found.id) ? " Not verified: it is not the picture that the gateway signed." : digests.get(found.id) ? "" : " It is not covered by the signature.";
  return `${found.which} ${found.seq}.${doubt}`;
}

function showPicture(index) {
  const found = index === null ? null : pictureOf(index), image = at("picture"), source = found && pictures.get(found.id);
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
  let i = index ?? summary;
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

// mainFields are the fields of a record that are shown first, by what they are called.
const mainFields = {
  element: "target_element", input: "input_value", page: "url", address: "target_url", result: "result", error: "error", detail: "detail",
  risk: "risk", decision: "hitl_decision", "answered by": "answered_by", time: "timestamp", milliseconds: "duration_ms", actor: "actor",
};

function titleOf(index) {
  const r = rows[index].record || {};
  if (isCall(index)) return `Records ${rows[intents.get(index)].record.seq} and ${r.seq}: ${r.action || "call"}`;
  return `Record ${r.seq}: ${[r.event_type, r.action].filter(Boolean).join(" ")}`;
}

function showRecord(index) {
  const r = rows[index].record || {};
  at("title").textContent = titleOf(index);
  for (const [name, field] of Object.entries(mainFields)) term(at("fields"), name, r[field]);
  for (const i of isCall(index) ? [intents.get(index), index] : [index]) {
    for (const [name, value] of Object.entries(rows[i].record || {})) term(at("all"), name, value);
    term(at("all"), "hash", rows[i].hash);
  }
}

// lasted returns the time between two points in time as words; "" if one is not known.
function lasted(from, to) {
  const seconds = Math.round((Date.parse(to) - Date.parse(from)) / 1000);
  if (!(seconds >= 0)) return "";
  const parts = [[Math.floor(seconds / 3600), "h"], [Math.floor(seconds / 60) % 60, "min"], [seconds % 60, "s"]];
  return parts.filter(([n]) => n).map(([n, unit]) => `${n} ${unit}`).join(" ") || "0 s";
}

// tally returns how often each value occurs, the most frequent ten, as words.
function tally(values) {
  const counts = new Map();
  for (const value of values) if (value) counts.set(value, (counts.get(value) || 0) + 1);
  const all = [...counts].sort((a, b) => b[1] - a[1]).map(([value, n]) => `${value} (${n})`);
  return all.slice(0, 10).join(", ") + (all.length > 10 ? `, ${all.length - 10} more` : "");
}

function showSummary() {
  at("title").textContent = "Summary";
  const records = rows.map((row) => row.record || {}), calls = records.filter(kinds.calls), last = records[records.length - 1];
  for (const [name, value] of [
    ["session", session.id], ["name", session.name], ["state", session.state], ["reason", session.reason], ["scope", session.scope], ["started by", session.actor],
    ["created", session.created], ["closed", session.closed], ["lasted", lasted(session.created, session.closed || last?.timestamp)],
    ["calls", tally(calls.map((r) => r.action))], ["sites", tally(calls.map((r) => r.domain))],
    ["refused or failed", records.filter(kinds.refused).length], ["questions", tally([...questions.values()].map((q) => q.state))],
    ["records", rows.length], ["exported", statements[0]?.time],
  ]) term(at("fields"), name, value);
}

// show shows a row, the summary, or nothing if the index is null.
function show(index) {
  current = index;
  for (const old of document.querySelectorAll("#records [aria-current]")) old.removeAttribute("aria-current");
  const place = shown.indexOf(index), withSummary = shown[0] === summary, r = index >= 0 && index !== null ? rows[index].record || {} : null;
  at("place").textContent = r ? `${withSummary ? place : place + 1} of ${withSummary ? shown.length - 1 : shown.length}` : index === summary ? "summary" : "no record";
  at("time").value = Math.max(0, place);
  for (const id of ["fields", "all"]) at(id).replaceChildren();
  at("more").hidden = !r;
  at("title").textContent = "No record";
  showQuestion(r && questions.get(r.approval_id));
  showPicture(index);
  showSight(index);
  if (r) showRecord(index);
  else if (index === summary) showSummary();
  const item = at("records").children[place];
  item?.setAttribute("aria-current", "true");
  if (item) at("records").scrollTop += scrollNeeded(item);
  history.replaceState(null, "", r ? `#${r.seq}` : "#");
}

// scrollNeeded is how far the list must scroll so that it shows an item. The page itself does not scroll.
function scrollNeeded(item) {
  const inside = item.getBoundingClientRect(), list = at("records").getBoundingClientRect();
  return Math.min(0, inside.top - list.top) || Math.max(0, inside.bottom - list.bottom);
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
  const row = rows.findIndex((row) => String(row.record?.seq) === location.hash.slice(1)), linked = shown.includes(row) ? row : outcomes.get(row);
  if (shown.includes(linked) && linked >= 0) show(linked);
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
  for (const [name, value] of Object.entries(verdict.proof || {})) term(at("hashes"), name, value);
  at("proof").hidden = !verdict.proof || !rows.length;
  if (verdict.problems) display(list);
  at("verdict").dataset.state = verdict.state;
}

display(() => {
  document.title = `Glovebox: replay of session ${session.id}`;
  at("heading").textContent = `Replay of ${session.name || session.id || "a session"}`;
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
