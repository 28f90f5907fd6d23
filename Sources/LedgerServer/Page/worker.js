// Keeps the page, and what its lists held last, for when the ledger can not be reached. The ledger always comes first.

const SHELL = "ledger-shell-1";
const DATA = "ledger-data-1";
/** Everything of the page; `PageFiles.swift` serves it. */
const PARTS = [
  "/", ...[
    "controls.css", "floats.css", "style.css", "library.css", "views.css", "actions.js", "add.js", "api.js", "app.js",
    "card.js", "chart.js", "detail.js", "dom.js", "editor.js", "events.js", "feeds.js", "format.js", "history.js",
    "icons.js", "keys.js", "library.js", "listings.js", "now.js", "player.js", "proofs.js", "ranges.js", "reorder.js",
    "row.js", "rowkeys.js", "session.js", "settings.js", "storage.js", "store.js", "timeline.js", "toast.js",
    "tools.js", "words.js", "icon.svg", "manifest.webmanifest",
  ].map((name) => `/app/${name}`),
];
/** What is kept of the API: lists as they are asked for first, and figures. */
const LISTS = /^\/v1\/(downloads|library|feeds|catalogs|status|limits|storage|groups|session|state|log)$/;
/** The most answers that are kept. */
const DATA_MAX = 40;

self.addEventListener("install", (event) => {
  event.waitUntil(caches.open(SHELL).then((cache) => cache.addAll(PARTS)).then(() => self.skipWaiting()));
});

self.addEventListener("activate", (event) => {
  event.waitUntil((async () => {
    for (const name of await caches.keys()) if (![SHELL, DATA].includes(name)) await caches.delete(name);
    await self.clients.claim();
  })());
});

self.addEventListener("fetch", (event) => {
  const { request } = event;
  const url = new URL(request.url);
  if (request.method !== "GET" || url.origin !== location.origin) return;
  if (url.pathname === "/" || url.pathname.startsWith("/app/")) {
    event.respondWith(firstAsk(request, SHELL, url.pathname));
  } else if (LISTS.test(url.pathname) && !url.searchParams.has("at") && !url.searchParams.has("search")) {
    event.respondWith(firstAsk(request, DATA, url.pathname + url.search));
  }
});

async function firstAsk(request, name, key) {
  let answer;
  try {
    answer = await fetch(request);
  } catch (error) {
    const kept = await (await caches.open(name)).match(key);
    if (!kept) throw error;
    const fields = new Headers(kept.headers);
    fields.set("X-Kept", "1");
    return new Response(kept.body, { status: kept.status, headers: fields });
  }
  if (answer.status === 401) await caches.delete(DATA);
  if (answer.ok) {
    const copy = answer.clone();
    const cache = await caches.open(name);
    await cache.put(key, copy);
    if (name === DATA) await shorten(cache);
  }
  return answer;
}

async function shorten(cache) {
  const keys = await cache.keys();
  for (const old of keys.slice(0, Math.max(0, keys.length - DATA_MAX))) await cache.delete(old);
}
