// Shows what a script of this origin can read, in one form, in all places.
const form = new URLSearchParams(location.search).get("form");

// readable is all that is to be had: what the site was sent with this very
// request and knows itself, and what the browser keeps.
async function readable() {
  const all = await (await fetch("/echo")).json();
  const jar = Object.fromEntries(document.cookie.split("; ").map(c => [c.slice(0, c.indexOf("=")), c.slice(c.indexOf("=") + 1)]));
  if (jar.plain) all["cookie"] = jar.plain;
  if (localStorage.token) all["localStorage"] = localStorage.token;
  if (localStorage.state) all["localStorage, inside JSON"] = JSON.parse(localStorage.state).tokens[0];
  if (sessionStorage.tab) all["sessionStorage"] = sessionStorage.tab;
  await fetch("/seen", {method: "POST", body: JSON.stringify(all)});
  const list = Object.entries(all).sort();
  list.push(["beacon", BEACON]); // no secret: what shows it would show the others
  return list;
}

const make = (parent, name, attributes = {}, parts = []) => {
  const element = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) element.setAttribute(key, value);
  if (parts.length == 1) element.textContent = parts[0];
  else for (const part of parts) element.append(Object.assign(document.createElement("span"), {textContent: part}));
  parent.append(element);
  return element;
};

// places writes a text into the document.
function places(kind, parts) {
  const whole = parts.join(parts.length > 2 ? "" : " "), at = make(document.body, "section");
  const one = parts[0], other = parts.at(-1);
  make(at, "h2", {}, parts);
  make(at, "p", {}, parts);
  make(at, "a", {href: `/x/${encodeURIComponent(whole)}?token=${encodeURIComponent(whole)}#${encodeURIComponent(whole)}`}, parts);
  make(at, "a", {href: `/y?note=${whole}`}, ["a link"]);
  make(at, "button", {"aria-label": one, title: other, type: "button"});
  make(at, "img", {alt: one, title: other, src: "/img.png"});
  make(at, "input", {placeholder: one, value: other, "aria-label": "a field"});
  make(at, "textarea", {"aria-label": "an area"}).value = whole;
  const select = make(at, "select", {"aria-label": "a choice"});
  make(select, "option", {value: one}, [whole]);
  make(select, "option", {value: other}, [other]);
  const row = make(make(at, "table"), "tr");
  make(row, "th", {}, ["cell"]);
  for (const part of parts.length > 2 ? [whole] : parts) make(row, "td", {}, [part]);
  const list = make(at, "ol");
  for (const part of parts) make(list, "li", {}, [part]);
  make(at, "pre", {}, parts);
  make(at, "div", {role: "status", "aria-description": one, "aria-valuetext": other, id: whole.slice(0, 200), class: whole}, ["status"]);
  make(make(at, "details", {open: ""}), "summary", {}, parts);
  const svg = document.createElementNS("http://www.w3.org/2000/svg", "svg"), text = document.createElementNS(svg.namespaceURI, "text");
  text.textContent = whole; text.setAttribute("y", 20); svg.append(text); at.append(svg);
  make(make(at, "div").attachShadow({mode: "closed"}), "p", {}, parts);
  make(at, "iframe", {title: one, srcdoc: `<p>in a frame: ${whole.replaceAll("&", "&amp;").replaceAll("<", "&lt;")}</p>`});
  make(at, "div", {"data-text": whole, class: "generated"});
  // Not for people's eyes:
  make(at, "input", {type: "hidden", name: "csrf", value: whole});
  make(at, "script", {type: "application/json"}, [whole]);
  make(at, "template").content.append(whole);
  make(at, "p", {hidden: ""}, parts);
  make(document.head, "meta", {name: "description", content: whole});
  at.append(document.createComment(whole));
}

// noises are heard outside of the document.
function noises(kind, parts) {
  const whole = parts.join(" ");
  for (const level of ["log", "info", "warn", "error", "debug"]) console[level](level, ...parts, {[kind]: {deep: [whole]}}, new Error(whole));
  setTimeout(() => { throw new TypeError("thrown " + whole); });
  Promise.reject(new RangeError("rejected " + whole));
  fetch("/missing/" + encodeURIComponent(whole) + "?token=" + encodeURIComponent(whole), {headers: {"X-Sent": encodeURIComponent(whole)}});
  new Image().src = "/img.png?" + whole;
  performance.mark(whole);
}

// names are what the page and what leaves it are called.
function names(whole) {
  document.title = "Mirror " + whole;
  window.name = whole;
  history.replaceState(whole, "", "/mirror/" + encodeURIComponent(whole) + location.search + "&note=" + encodeURIComponent(whole) + "#" + encodeURIComponent(whole));
  const file = make(document.body, "a", {id: "file", download: whole.slice(0, 180) + ".txt", href: URL.createObjectURL(new Blob([whole], {type: "text/plain"}))}, ["Keep"]);
  file.onclick = () => file.textContent = "Kept";
  make(document.body, "button", {id: "tell", type: "button", "aria-expanded": "false"}, ["Show"]).onclick = () => prompt("Told " + whole, whole);
  make(document.body, "a", {id: "popup", href: "/popup?title=" + encodeURIComponent(whole), target: "_blank", rel: "opener"}, ["Next"]);
}

// copies are what the page keeps for itself, where it is not looked for.
async function copies(list) {
  localStorage.copies = JSON.stringify(list);
  document.cookie = "copy=" + encodeURIComponent(list.at(-2)[1]) + ";max-age=86400";
  await (await caches.open("copies")).put("/copies", new Response(JSON.stringify(list)));
  const open = indexedDB.open("copies", 1);
  open.onupgradeneeded = () => open.result.createObjectStore("all");
  await new Promise(yes => open.onsuccess = yes);
  const kept = open.result.transaction("all", "readwrite", {durability: "strict"});
  kept.objectStore("all").put(list, 1);
  await new Promise(yes => kept.oncomplete = yes);
}

(async () => {
  const list = (await readable()).map(([kind, value]) => [kind, [forms[form](value)].flat()]);
  for (const [kind, parts] of list) { places(kind, parts); noises(kind, parts); }
  const turn = list[Object.keys(forms).indexOf(form) % (list.length - 1)]; // names are short: one secret each time
  names([turn[1], list.at(-1)[1]].map(parts => parts.join(" ")).join(" "));
  if (form == "raw") await copies(list);
  make(document.body, "p", {id: "done"}, ["all is shown"]);
})();
