// Input turns events of an element into messages of the protocol: pointer, wheel,
// touch and keyboard, with input methods and pasting.

import { keysymOf, keysyms } from "./keysym.js";
import * as protocol from "./protocol.js";

const pixelsPerClick = 100; // of the wheel, as browsers report it
const linesPerClick = 3;

export class Input {
  #surface;
  #keyboard;
  #send;
  #paste;
  #size;
  #enabled = false;
  #pressed = new Map(); // key symbols by the code of their key
  #buttons = new Set();
  #wheel = { x: 0, y: 0 };
  #pending = null; // position of the pointer that was not sent yet
  #stop = new AbortController();

  // surface is the element with the picture, keyboard a text area that has the
  // focus while the person types. size returns the width and height of the picture
  // in the session's pixels. send sends a message, paste a text for the clipboard.
  constructor({ surface, keyboard, size, send, paste }) {
    this.#surface = surface;
    this.#keyboard = keyboard;
    this.#size = size;
    this.#send = send;
    this.#paste = paste;
    const on = (element, names, handler, options = {}) => {
      for (const name of names.split(" ")) {
        element.addEventListener(name, (event) => this.#enabled && handler.call(this, event), { signal: this.#stop.signal, ...options });
      }
    };
    on(surface, "pointerdown", this.#pointerDown);
    on(surface, "pointermove", this.#pointerMove);
    on(surface, "pointerup pointercancel", this.#pointerUp);
    on(surface, "wheel", this.#onWheel, { passive: false });
    on(surface, "contextmenu", (event) => event.preventDefault());
    on(keyboard, "keydown", this.#keyDown);
    on(keyboard, "keyup", this.#keyUp);
    on(keyboard, "input", this.#typed);
    on(keyboard, "compositionend", this.#composed);
    on(keyboard, "paste", this.#pasted);
    on(keyboard, "blur", this.releaseAll);
  }

  set enabled(on) {
    if (this.#enabled && !on) this.releaseAll();
    this.#enabled = on;
    this.#surface.classList.toggle("driven", on);
  }

  focus() {
    this.#keyboard.focus({ preventScroll: true });
  }

  close() {
    this.enabled = false;
    this.#stop.abort();
  }

  // releaseAll releases what is down, so that nothing stays down in the session.
  releaseAll() {
    for (const keysym of this.#pressed.values()) this.#send(protocol.keyUp(keysym));
    this.#pressed.clear();
    for (const button of this.#buttons) this.#send(protocol.buttonUp(button));
    this.#buttons.clear();
  }

  // #position returns where an event is in the picture, which is shown as large as
  // fits and centred.
  #position(event) {
    const box = this.#surface.getBoundingClientRect();
    const { width, height } = this.#size();
    const scale = Math.min(box.width / width, box.height / height) || 1;
    const x = (event.clientX - box.left - (box.width - width * scale) / 2) / scale;
    const y = (event.clientY - box.top - (box.height - height * scale) / 2) / scale;
    return { x: Math.max(0, Math.min(width - 1, Math.floor(x))), y: Math.max(0, Math.min(height - 1, Math.floor(y))) };
  }

  #touch(phase, event) {
    const { x, y } = this.#position(event);
    this.#send(protocol.touch(phase, event.pointerId % 32768, x, y, event.pressure));
  }

  #pointerDown(event) {
    event.preventDefault();
    this.#surface.setPointerCapture?.(event.pointerId);
    if (event.pointerType === "touch") {
      this.#touch("begin", event);
      return;
    }
    this.focus();
    this.#moveTo(event);
    this.#buttons.add(event.button + 1);
    this.#send(protocol.buttonDown(event.button + 1));
  }

  #pointerMove(event) {
    if (event.pointerType === "touch") {
      if (event.pressure > 0 || event.buttons) this.#touch("update", event);
      return;
    }
    // A second button that goes down or up arrives as a move.
    if (event.button >= 0) {
      const button = event.button + 1;
      this.#moveTo(event);
      const down = !this.#buttons.has(button);
      this.#buttons[down ? "add" : "delete"](button);
      this.#send((down ? protocol.buttonDown : protocol.buttonUp)(button));
      return;
    }
    if (!this.#pending) requestAnimationFrame(() => this.#flushMove());
    this.#pending = this.#position(event);
  }

  #pointerUp(event) {
    event.preventDefault();
    if (event.pointerType === "touch") {
      this.#touch("end", event);
      return;
    }
    this.#moveTo(event);
    for (const button of event.type === "pointercancel" ? [...this.#buttons] : [event.button + 1]) {
      this.#buttons.delete(button);
      this.#send(protocol.buttonUp(button));
    }
  }

  #moveTo(event) {
    this.#pending = this.#position(event);
    this.#flushMove();
  }

  #flushMove() {
    if (!this.#pending) return;
    this.#send(protocol.move(this.#pending.x, this.#pending.y));
    this.#pending = null;
  }

  #onWheel(event) {
    event.preventDefault();
    this.#moveTo(event);
    const perClick = event.deltaMode === WheelEvent.DOM_DELTA_PIXEL ? pixelsPerClick : event.deltaMode === WheelEvent.DOM_DELTA_LINE ? linesPerClick : 1;
    this.#wheel.x += event.deltaX / perClick;
    this.#wheel.y += event.deltaY / perClick;
    const x = Math.trunc(this.#wheel.x);
    const y = Math.trunc(this.#wheel.y);
    if (x === 0 && y === 0) return;
    this.#wheel.x -= x;
    this.#wheel.y -= y;
    this.#send(protocol.scroll(-x, -y, event.ctrlKey));
  }

  #keyDown(event) {
    if (event.ctrlKey && event.altKey && event.shiftKey && ["Control", "Alt", "Shift"].includes(event.key)) {
      event.preventDefault();
      this.releaseAll();
      this.#keyboard.blur(); // the way out for people who use the keyboard alone
      return;
    }
    const command = (event.ctrlKey || event.metaKey) && !event.altKey;
    if (command && event.key.toLowerCase() === "v") return; // the event paste follows
    const keysym = keysymOf(event);
    if (keysym === 0) return; // of an input method: its text follows
    event.preventDefault();
    this.#releaseStale(event);
    const before = this.#pressed.get(event.code);
    if (before !== undefined && before !== keysym) this.#send(protocol.keyUp(before));
    this.#pressed.set(event.code, keysym);
    this.#send(protocol.keyDown(keysym));
  }

  // #releaseStale releases modifiers that the event says are up, and those that
  // make up AltGr, whose character the event already has.
  #releaseStale(event) {
    const altGraph = event.getModifierState("AltGraph");
    const held = { control: event.ctrlKey && !altGraph, alt: event.altKey && !altGraph, shift: event.shiftKey, meta: event.metaKey };
    for (const [code, keysym] of this.#pressed) {
      for (const [name, down] of Object.entries(held)) {
        if (!down && keysyms[name].includes(keysym)) {
          this.#pressed.delete(code);
          this.#send(protocol.keyUp(keysym));
        }
      }
    }
  }

  #keyUp(event) {
    const keysym = this.#pressed.get(event.code);
    if (keysym === undefined) return;
    event.preventDefault();
    this.#pressed.delete(event.code);
    this.#send(protocol.keyUp(keysym));
    if (event.key === "Meta") this.releaseAll(); // macOS reports no keys that go up while it is down
  }

  // #typed gets what on-screen keyboards write without key events.
  #typed(event) {
    if (event.isComposing) return;
    this.#keyboard.value = "";
    const press = (keysym) => {
      this.#send(protocol.keyDown(keysym));
      this.#send(protocol.keyUp(keysym));
    };
    if (event.inputType === "deleteContentBackward") press(keysyms.backspace);
    else if (event.inputType === "insertLineBreak" || event.inputType === "insertParagraph") press(keysyms.enter);
    else if (event.inputType === "insertText" && event.data) this.#type(event.data);
  }

  #composed(event) {
    this.#keyboard.value = "";
    this.#type(event.data);
  }

  #type(words) {
    for (const message of protocol.text(words)) this.#send(message);
  }

  #pasted(event) {
    event.preventDefault();
    const words = event.clipboardData.getData("text/plain");
    if (words === "") return;
    this.releaseAll(); // the gateway presses the keys that paste
    this.#paste(words);
  }
}
