// The forms that a page gives a text before it shows it. Several parts are
// shown beside each other, each in an element or attribute of its own.
const bytes = text => [...new TextEncoder().encode(text)];
const binary = text => String.fromCharCode(...bytes(text));
const code = (text, prefix, base, width, end = "") => bytes(text).map(b => prefix + b.toString(base).padStart(width, "0") + end).join("");
const units = text => [...text].map(c => "\\u" + c.charCodeAt(0).toString(16).padStart(4, "0")).join("");
const base64 = (text, before = "") => btoa(before + binary(text));
const base32 = text => {
  const bits = bytes(text).map(b => b.toString(2).padStart(8, "0")).join("");
  return bits.match(/.{1,5}/g).map(b => "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567"[parseInt(b.padEnd(5, "0"), 2)]).join("");
};
const half = text => Math.ceil(text.length / 2);

const forms = {
  "raw": v => v,
  "lower": v => v.toLowerCase(),
  "url": v => encodeURIComponent(v),
  "url-twice": v => encodeURIComponent(encodeURIComponent(v)),
  "url-full": v => code(v, "%", 16, 2),
  "html": v => [...v].map(c => "&#" + c.codePointAt(0) + ";").join(""),
  "html-hex": v => [...v].map(c => "&#x" + c.codePointAt(0).toString(16) + ";").join(""),
  "json": v => JSON.stringify(JSON.stringify(v)),
  "json-full": v => units(v),
  "script": v => code(v, "\\x", 16, 2),
  "hex": v => code(v, "", 16, 2),
  "hex-upper": v => code(v, "", 16, 2).toUpperCase(),
  "hex-colons": v => code(v, "", 16, 2, ":"),
  "base64": v => base64(v),
  "base64-1": v => base64(v, "x"),
  "base64-2": v => base64(v, "xy"),
  "base64url": v => base64(v).replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", ""),
  "base64-lines": v => base64(v).match(/.{1,12}/g).join("\n"),
  "base64-url": v => encodeURIComponent(base64(v)),
  "base32": v => base32(v),
  "reversed": v => [...v].reverse().join(""),
  "zero-width": v => [...v].join("\u200b"),
  "spaces": v => [...v].join(" "),
  "elements": v => [...v],
  "halves": v => [v.slice(0, half(v)), v.slice(half(v))],
  // Not found by the gateway (docs/credentials.md, what is not caught):
  "rot13": v => v.replace(/[a-z]/gi, c => String.fromCharCode(c.charCodeAt(0) + (c.toLowerCase() < "n" ? 13 : -13))),
  "decimal": v => bytes(v).map(b => b + 1000).join(" "),
};
