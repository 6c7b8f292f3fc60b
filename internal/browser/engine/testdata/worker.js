self.addEventListener('install', () => self.skipWaiting());
self.addEventListener('activate', event => event.waitUntil(self.clients.claim()));
self.addEventListener('fetch', event => {
  if (new URL(event.request.url).pathname !== '/answer') return;
  event.respondWith(new Response('<title>from the worker</title><p>Offline words</p>', {headers: {'Content-Type': 'text/html'}}));
});
