// LiveViewer shows the picture of a session and sends a person's input to it. It
// depends on no framework and on no element but the one that it is given.
//
//   const viewer = new LiveViewer({ container, url, token });
//   viewer.addEventListener("status", (e) => …); // e.detail: {status, text, line}
//   viewer.connect();
//
// Events: "status"; "state" (the session: name, state, by, why, holder, mine,
// role, width, height); "fault" ({event, code, message, hint}); "clipboard" ({text}). The status
// is connecting, live, waiting (it connects again by itself) or ended.

import { FrameDecoder, supported } from "./decoder.js";
import { Input } from "./input.js";
import { readFrame } from "./protocol.js";

const mediaLimit = 6000; // ms until a picture came by WebRTC, or frames are asked for
const attempts = 6; // to connect, before it gives up
const serviceRestart = 1012; // close code: the gateway restarts

export class LiveViewer extends EventTarget {
  #options;
  #socket = null;
  #pc = null;
  #channel = null;
  #decoder = null;
  #input;
  #video = document.createElement("video");
  #canvas = document.createElement("canvas");
  #keyboard = document.createElement("textarea");
  #state = { width: 1280, height: 720, mine: false };
  #init = null;
  #failures = 0;
  #lastWords = "";
  #closed = true;
  #timers = new Set();
  #mediaTimer = 0;

  // url is the WebSocket of the session's signaling. transport is "auto", "webrtc"
  // or "websocket"; codec is one of the session's codecs, or empty.
  constructor({ container, url, token, transport = "auto", codec = "" }) {
    super();
    this.#options = { url, token, transport, codec };
    this.#video.autoplay = this.#video.muted = this.#video.playsInline = true;
    this.#video.disablePictureInPicture = true;
    this.#canvas.hidden = true;
    this.#keyboard.setAttribute("aria-label", "Keyboard of the session");
    for (const [name, value] of [["autocapitalize", "off"], ["autocomplete", "off"], ["autocorrect", "off"], ["spellcheck", "false"]]) {
      this.#keyboard.setAttribute(name, value);
    }
    this.#keyboard.className = "keyboard";
    container.append(this.#video, this.#canvas, this.#keyboard);
    this.#input = new Input({
      surface: container, keyboard: this.#keyboard, size: () => this.#state,
      send: (message) => this.#sendInput(message), paste: (text) => this.paste(text),
    });
  }

  get state() {
    return this.#state;
  }

  connect() {
    this.#closed = false;
    this.#failures = 0;
    this.#open();
  }

  close() {
    this.#closed = true;
    this.#clean();
    this.#socket?.close(1000);
    this.#socket = null;
  }

  // destroy closes the connection and removes the elements.
  destroy() {
    this.close();
    this.#input.close();
    for (const element of [this.#video, this.#canvas, this.#keyboard]) element.remove();
  }

  take() {
    this.#send("control/request");
  }

  // handBack gives the session back to its agent, with a note for it if there is one.
  handBack(note = "") {
    this.#input.releaseAll();
    this.#send("control/release", note ? { note } : undefined);
  }

  // paste puts a text on the session's clipboard and pastes it there.
  paste(text) {
    this.#send("control/paste", { text });
  }

  // copy asks for the session's clipboard. The event "clipboard" has the answer.
  copy() {
    this.#send("clipboard/get");
  }

  focus() {
    this.#input.focus();
  }

  #emit(name, detail) {
    this.dispatchEvent(new CustomEvent(name, { detail }));
  }

  #status(status, text, line = "") {
    this.#emit("status", { status, text, line });
  }

  #after(ms, f) {
    const timer = setTimeout(() => {
      this.#timers.delete(timer);
      f();
    }, ms);
    this.#timers.add(timer);
    return timer;
  }

  #open() {
    this.#status("connecting", "Connecting to the gateway");
    const url = new URL(this.#options.url);
    if (this.#options.token) url.searchParams.set("access_token", this.#options.token);
    const socket = new WebSocket(url);
    socket.binaryType = "arraybuffer";
    this.#socket = socket;
    this.#lastWords = "";
    socket.onmessage = ({ data }) => {
      if (socket !== this.#socket) return;
      if (typeof data === "string") this.#onMessage(JSON.parse(data));
      else this.#onFrame(data);
    };
    socket.onclose = (event) => {
      if (socket === this.#socket) this.#onClose(event);
    };
  }

  #onClose(event) {
    const known = this.#init !== null;
    this.#clean();
    this.#socket = null;
    if (this.#closed) return;
    if (this.#lastWords && event.code !== serviceRestart) {
      this.#closed = true;
      this.#status("ended", this.#lastWords);
      return;
    }
    if (known) this.#failures = 0;
    if (++this.#failures > attempts) {
      this.#closed = true;
      this.#status("ended", "The gateway does not answer. Check that it runs, that the session is open, and that the link is not too old; then open a new link.");
      return;
    }
    this.#status("waiting", "The connection broke. Connecting again");
    this.#after(Math.min(500 * 2 ** this.#failures, 10_000), () => this.#open());
  }

  // #clean ends the picture and all that waits.
  #clean() {
    for (const timer of this.#timers) clearTimeout(timer);
    this.#timers.clear();
    this.#input.enabled = false;
    this.#stopMedia();
    this.#decoder?.close();
    this.#decoder = null;
    this.#init = null;
  }

  #stopMedia() {
    clearTimeout(this.#mediaTimer);
    this.#channel = null;
    if (this.#pc) {
      this.#pc.onconnectionstatechange = null;
      this.#pc.close();
    }
    this.#pc = null;
    this.#video.srcObject = null;
  }

  #send(event, payload) {
    if (this.#socket?.readyState === WebSocket.OPEN) this.#socket.send(JSON.stringify(payload === undefined ? { event } : { event, payload }));
  }

  // #sendInput sends by the data channel while there is one, else over the
  // WebSocket.
  #sendInput(message) {
    if (this.#channel?.readyState === "open") this.#channel.send(message);
    else if (this.#socket?.readyState === WebSocket.OPEN) this.#socket.send(message);
  }

  #onMessage({ event, payload }) {
    switch (event) {
      case "system/init":
        this.#init = payload;
        this.#start();
        break;
      case "system/disconnect":
        this.#lastWords = payload.message;
        break;
      case "system/heartbeat":
        this.#send("client/heartbeat");
        break;
      case "stream/state":
        this.#state = payload;
        this.#input.enabled = payload.mine;
        this.#emit("state", payload);
        break;
      case "signal/provide":
        this.#accept(payload).catch(() => this.#pc && this.#fallBack());
        break;
      case "signal/restart":
        this.#answer(payload.sdp).catch(() => this.#pc && this.#fallBack());
        break;
      case "signal/close":
        if (this.#pc) this.#fallBack();
        break;
      case "clipboard/updated":
        this.#emit("clipboard", payload);
        break;
      case "stream/error":
        // Faults of the media connection lead to frames over the WebSocket.
        if (payload.event === "signal/request" || payload.event === "signal/answer") this.#fallBack();
        else if (!payload.event?.startsWith("signal/")) this.#emit("fault", payload);
        break;
    }
  }

  #start() {
    const { transport } = this.#options;
    const possible = this.#init.stream?.webrtc && globalThis.RTCPeerConnection;
    if (transport === "websocket" || !possible) {
      this.#fallBack();
      return;
    }
    this.#video.hidden = false; // a hidden one shows nothing that could be waited for
    this.#canvas.hidden = true;
    const video = this.#options.codec ? { selector: { id: this.#options.codec, type: "exact" } } : {};
    this.#send("signal/request", { video, audio: { disabled: true } });
    this.#mediaTimer = setTimeout(() => this.#fallBack(), mediaLimit);
  }

  async #accept({ sdp, iceservers }) {
    const deadline = this.#mediaTimer;
    this.#pc?.close();
    const pc = new RTCPeerConnection({ iceServers: iceservers ?? [] });
    this.#pc = pc;
    pc.ondatachannel = ({ channel }) => {
      channel.binaryType = "arraybuffer";
      this.#channel = channel;
    };
    pc.ontrack = ({ track, receiver }) => {
      if ("jitterBufferTarget" in receiver) receiver.jitterBufferTarget = 0;
      this.#video.srcObject = new MediaStream([track]);
      this.#video.play().catch(() => {}); // it plays when it is visible
      const seen = () => {
        clearTimeout(deadline);
        if (pc === this.#pc) this.#showLive(pc);
      };
      this.#video.addEventListener("loadeddata", seen, { once: true });
    };
    pc.onicecandidate = ({ candidate }) => candidate && this.#send("signal/candidate", candidate.toJSON());
    pc.onconnectionstatechange = () => {
      if (pc === this.#pc && pc.connectionState === "failed") this.#fallBack();
    };
    await this.#answer(sdp);
  }

  async #answer(sdp) {
    const pc = this.#pc;
    await pc.setRemoteDescription({ type: "offer", sdp });
    await pc.setLocalDescription(await pc.createAnswer());
    this.#send("signal/answer", { sdp: pc.localDescription.sdp });
  }

  async #showLive(pc) {
    this.#canvas.hidden = true;
    this.#video.hidden = false;
    this.#failures = 0;
    this.#status("live", "Live", await transportOf(pc));
  }

  // #fallBack asks for frames over the WebSocket.
  async #fallBack() {
    this.#stopMedia();
    if (!this.#init) return;
    if (this.#options.transport === "webrtc") {
      this.#lastWords = "WebRTC did not connect. Ask for the ports of the live view to be opened, or open the page without transport=webrtc.";
      this.#socket?.close(1000);
      return;
    }
    const socket = this.#socket;
    const offered = this.#init.stream?.codecs ?? [];
    const codec = await supported(this.#options.codec ? [this.#options.codec] : offered);
    if (socket !== this.#socket) return;
    if (!codec) {
      this.#lastWords = "This browser can show none of the session's pictures. Open the page over https, or in a newer browser.";
      this.#socket?.close(1000);
      return;
    }
    this.#showFrames(codec);
  }

  #showFrames(codec) {
    this.#decoder?.close();
    let painted = false;
    this.#decoder = new FrameDecoder(this.#canvas, {
      onFrame: (shown) => {
        this.#send("stream/ack", { frames: 1 });
        if (!shown || painted) return;
        painted = true;
        this.#video.hidden = true;
        this.#canvas.hidden = false;
        this.#failures = 0;
        this.#status("live", "Live", `WebSocket, ${codec.toUpperCase()}`);
      },
      onBroken: () => {
        this.#send("stream/close");
        this.#showFrames(this.#init.stream.codecs.includes("jpeg") ? "jpeg" : codec);
      },
    });
    this.#send("stream/request", { codec });
  }

  #onFrame(buffer) {
    const frame = readFrame(buffer);
    if (frame && this.#decoder) this.#decoder.push(frame);
  }
}

// transportOf returns how the media of a connection comes: UDP or TCP.
async function transportOf(pc) {
  const stats = await pc.getStats();
  for (const report of stats.values()) {
    if (report.type !== "candidate-pair" || !report.nominated || report.state !== "succeeded") continue;
    const remote = stats.get(report.remoteCandidateId);
    return `WebRTC, ${(remote?.protocol ?? "udp").toUpperCase()}`;
  }
  return "WebRTC";
}
