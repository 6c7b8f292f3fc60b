// What else the site does with its secrets, as sites do. Each is heard of in the document.
const say = (name, text) => { const p = document.createElement("p"); p.textContent = name + ": " + text; document.body.append(p); };
const done = [];
done.push((async () => { // a service worker that answers with what it is sent
  await navigator.serviceWorker.register("/sw.js");
  await navigator.serviceWorker.ready;
  if (!navigator.serviceWorker.controller) await new Promise(yes => navigator.serviceWorker.addEventListener("controllerchange", yes, {once: true}));
  say("service worker", await (await fetch("/by-worker")).text());
})());
done.push(new Promise(yes => {
  const socket = new WebSocket("ws://" + location.host + "/socket");
  socket.onmessage = e => { say("socket", e.data); yes(); };
  socket.onerror = () => { say("socket", "failed"); yes(); };
}));
done.push(new Promise(yes => {
  const events = new EventSource("/stream");
  events.onmessage = e => { say("event", e.data); events.close(); yes(); };
}));
done.push(fetch("/status").then(r => say("status", r.status + " " + r.statusText + " " + r.headers.get("X-Echo"))));
for (const [store, name] of [[localStorage, "local"], [sessionStorage, "session"]])
  say(name, JSON.stringify(Object.fromEntries(Object.entries(store))));
Promise.all(done).then(() => say("places", "all is shown"));
