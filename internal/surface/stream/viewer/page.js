// The live page of a session. The token comes in the fragment of the address, is
// removed from it, and is kept in memory only.

import { LiveViewer } from "./viewer.js";

const find = (id) => document.getElementById(id);
const session = decodeURIComponent(location.pathname.split("/").pop());
const given = new URLSearchParams(location.hash.slice(1));
history.replaceState(null, "", location.pathname);

const url = new URL(`/v1/sessions/${encodeURIComponent(session)}/desktop/stream/signaling`, location.href);
url.protocol = location.protocol === "https:" ? "wss:" : "ws:";

let viewer = null;
let noticeTimer = 0;

function notice(text) {
  find("notice").textContent = text;
  find("notice").hidden = text === "";
  clearTimeout(noticeTimer);
  if (text) noticeTimer = setTimeout(() => notice(""), 10_000);
}

const sentence = (text) => text.charAt(0).toUpperCase() + text.slice(1);

function showStatus({ status, text, line }) {
  document.body.dataset.status = status;
  find("status").textContent = { live: `Live · ${line}`, connecting: "Connecting", waiting: "Connecting again", ended: "Disconnected" }[status];
  if (status !== "live") for (const id of ["zoom-field", "move", "take", "hand-back-form", "copy", "type"]) find(id).hidden = true;
  if (status === "ended") find("holder").textContent = "";
  find("message").hidden = status === "live";
  find("message-text").textContent = status === "connecting" || status === "waiting" ? `${text}…` : sentence(text);
  find("again").hidden = status !== "ended";
  if (status === "live") showState(viewer.state);
}

// situation says who has the session, and why it is paused.
function situation(state) {
  if (state.mine) return "You control the session";
  if (state.holder) return `${state.holder} controls the session: ${state.why}`;
  if (state.state === "paused") return `Paused by ${state.by}: ${state.why}`;
  return state.state === "open" ? "The agent works" : state.state;
}

function showState(state) {
  if (document.body.dataset.status !== "live") return; // it is shown with the picture
  const drives = state.role === "operator";
  find("name").textContent = state.name || "Session";
  document.title = `Live: ${state.name || session}`;
  find("holder").textContent = situation(state);
  document.body.dataset.state = state.state;
  document.body.dataset.mine = state.mine;
  find("take").hidden = !drives || state.mine;
  find("take").textContent = state.holder && !state.mine ? `Take over from ${state.holder}` : "Take over";
  for (const id of ["copy", "type"]) find(id).hidden = !state.mine;
  find("hand-back-form").hidden = !state.mine && !(drives && state.state === "paused");
  find("hand-back").textContent = state.mine ? "Hand back" : "Let it continue";
  find("zoom-field").hidden = false;
  showZoom();
  if (state.height > 0) find("stage").style.setProperty("--ratio", state.width / state.height);
}

// showZoom shows the picture as large as the person wants. While it is larger than its
// place, "Move picture" says that touch and wheel move it instead of going to the session.
function showZoom() {
  const zoom = Number(find("zoom").value), movable = zoom > 1 && viewer.state.mine;
  if (!movable) find("move").setAttribute("aria-pressed", "false");
  find("move").hidden = !movable;
  document.body.dataset.moving = find("move").getAttribute("aria-pressed");
  find("stage").style.setProperty("--zoom", zoom);
}

async function toClipboard({ text }) {
  try {
    await navigator.clipboard.writeText(text);
    notice(text ? "Copied the session's clipboard." : "The session's clipboard is empty.");
  } catch {
    find("copied").value = text;
    find("copied-dialog").showModal();
    find("copied").select();
  }
}

function open(token) {
  viewer?.destroy();
  viewer = new LiveViewer({
    container: find("picture"), url, token, transport: given.get("transport") ?? "auto", codec: given.get("codec") ?? "",
  });
  viewer.addEventListener("status", ({ detail }) => showStatus(detail));
  viewer.addEventListener("state", ({ detail }) => showState(detail));
  viewer.addEventListener("fault", ({ detail }) => notice(sentence([detail.message, detail.hint].filter(Boolean).join(": "))));
  viewer.addEventListener("clipboard", ({ detail }) => toClipboard(detail));
  viewer.connect();
}

find("session").textContent = session;
document.title = `Live: ${session}`;
find("take").addEventListener("click", () => { viewer?.take(); viewer?.focus(); });
find("hand-back-form").addEventListener("submit", (event) => {
  event.preventDefault();
  viewer?.handBack(find("note").value.trim());
  find("note").value = "";
});
find("zoom").addEventListener("change", showZoom);
find("move").addEventListener("click", () => {
  find("move").setAttribute("aria-pressed", String(find("move").getAttribute("aria-pressed") !== "true"));
  showZoom();
});
find("copy").addEventListener("click", () => viewer?.copy());
find("type").addEventListener("click", () => viewer?.focus());
find("again").addEventListener("click", () => viewer?.connect());
find("copied-close").addEventListener("click", () => find("copied-dialog").close());
find("token-form").addEventListener("submit", (event) => {
  event.preventDefault();
  const token = find("token").value.trim();
  find("token").value = "";
  if (!token) return;
  find("token-form").hidden = true;
  open(token);
});

if (given.get("token")) {
  open(given.get("token"));
} else {
  document.body.dataset.status = "ended";
  find("status").textContent = "Not connected";
  find("message").hidden = true;
  find("token-form").hidden = false;
  find("token").focus();
}
