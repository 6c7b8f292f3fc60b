oninstall = () => skipWaiting();
onactivate = e => e.waitUntil(clients.claim());
onfetch = e => {
  if (new URL(e.request.url).pathname == "/by-worker")
    e.respondWith(fetch("/echo").then(async r => new Response("worker saw " + await r.text())));
};
