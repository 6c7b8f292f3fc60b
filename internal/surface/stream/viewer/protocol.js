// Messages of the data channel, which are the same as binary messages of the
// WebSocket, and the header of frames over the WebSocket. Big endian.

const op = { move: 1, scroll: 2, keyDown: 3, keyUp: 4, buttonDown: 5, buttonUp: 6, touchBegin: 8, touchUpdate: 9, touchEnd: 10, text: 32 };

function pack(operation, length, fill) {
  const view = new DataView(new ArrayBuffer(3 + length));
  view.setUint8(0, operation);
  view.setUint16(1, length);
  fill(view);
  return view.buffer;
}

const clamp = (n, low, high) => Math.max(low, Math.min(high, Math.round(n)));

export const move = (x, y) => pack(op.move, 4, (v) => {
  v.setUint16(3, clamp(x, 0, 65535));
  v.setUint16(5, clamp(y, 0, 65535));
});

// Positive is left and up.
export const scroll = (dx, dy, control) => pack(op.scroll, 5, (v) => {
  v.setInt16(3, clamp(dx, -100, 100));
  v.setInt16(5, clamp(dy, -100, 100));
  v.setUint8(7, control ? 1 : 0);
});

const word = (operation) => (value) => pack(operation, 4, (v) => v.setUint32(3, value));
export const keyDown = word(op.keyDown);
export const keyUp = word(op.keyUp);
export const buttonDown = word(op.buttonDown);
export const buttonUp = word(op.buttonUp);

export function touch(phase, id, x, y, pressure) {
  const operation = { begin: op.touchBegin, update: op.touchUpdate, end: op.touchEnd }[phase];
  return pack(operation, 13, (v) => {
    v.setUint32(3, id);
    v.setInt32(7, Math.round(x));
    v.setInt32(11, Math.round(y));
    v.setUint8(15, clamp(pressure * 255, 0, 255));
  });
}

const maxTyped = 4096; // bytes of a message

// text returns the messages that type a text.
export function text(words) {
  const messages = [];
  let part = "";
  const encoder = new TextEncoder();
  const flush = () => {
    const bytes = encoder.encode(part);
    if (bytes.length > 0) messages.push(pack(op.text, bytes.length, (v) => new Uint8Array(v.buffer).set(bytes, 3)));
    part = "";
  };
  for (const character of words) {
    if (part.length * 3 > maxTyped - 12) flush(); // a character of a string takes at most three bytes
    part += character;
  }
  flush();
  return messages;
}

const headerLength = 20;
const codecs = { 1: "vp8", 2: "h264", 3: "jpeg" };

// readFrame reads a frame, or returns null if it is of another version.
export function readFrame(buffer) {
  if (buffer.byteLength < headerLength) return null;
  const v = new DataView(buffer);
  const size = v.getUint32(16);
  if (v.getUint8(0) !== 1 || size !== buffer.byteLength - headerLength) return null;
  return {
    codec: codecs[v.getUint8(1)], key: (v.getUint8(2) & 1) === 1, width: v.getUint16(4), height: v.getUint16(6),
    timestamp: Number(v.getBigUint64(8)), data: new Uint8Array(buffer, headerLength),
  };
}
