// Follows the stream of events, and finds back to it after every break, from the last event that was seen.

import { get } from "./api.js";
import { load, restart, store, takeEvent, takeRows } from "./store.js";
import { throttled } from "./dom.js";

const SHORTEST_MS = 1000;
const LONGEST_MS = 30000;
/** How long a page is hidden before it follows no longer, in milliseconds. */
const HIDDEN_MS = 5000;

let source = null;
let timer = 0;
let falling = 0;
let attempts = 0;
let pause = SHORTEST_MS;
let isOnline = false;
let told = { lost: () => {}, back: () => {}, token: () => {}, asleep: () => {} };

/**
 * Begins. `calls`: `lost(seconds)` when it broke and when it is tried again, `back()` when it flows, `token()` when one
 * is needed, `asleep()` when nobody looks.
 */
export function follow(calls) {
  told = { ...told, ...calls };
  connect();
  addEventListener("online", tryNow);
  addEventListener("offline", () => lose());
  document.addEventListener("visibilitychange", () => {
    clearTimeout(falling);
    if (document.hidden) falling = setTimeout(sleep, HIDDEN_MS);
    else if (!isOnline) tryNow();
  });
}

// A browser opens six connections to a server, of all its tabs together: those that nobody looks at leave theirs.
function sleep() {
  if (!isOnline) return;
  attempts += 1;
  source?.close();
  source = null;
  isOnline = false;
  told.asleep();
}

/** Tries at once. */
export function tryNow() {
  pause = SHORTEST_MS;
  connect();
}

/** Takes note that nothing answered. */
export function lose() {
  if (timer) return;
  source?.close();
  source = null;
  isOnline = false;
  told.lost(Math.round(pause / 1000));
  timer = setTimeout(connect, pause);
  pause = Math.min(LONGEST_MS, pause * 2);
}

const loadSoon = throttled(1000, () => load().catch(() => {}));

async function connect() {
  attempts += 1;
  const attempt = attempts;
  clearTimeout(timer);
  timer = 0;
  source?.close();
  source = null;
  const seen = store.seq;
  try {
    const session = await get("/v1/session");
    if (session.required && !session.scope) return told.token();
    if (!store.isLoaded) await load();
  } catch (error) {
    if (attempt === attempts && error.status !== 401) lose();
    return;
  }
  if (attempt === attempts) listen(new EventSource(`/v1/events/stream?after=${seen || store.seq}`));
}

function listen(stream) {
  source = stream;
  const flows = () => {
    clearTimeout(timer);
    timer = 0;
    isOnline = true;
    pause = SHORTEST_MS;
    told.back();
    // Rows that changed before are fetched: the stream shows only those that change from now on.
    loadSoon();
  };
  stream.addEventListener("hello", flows);
  stream.addEventListener("ledger", (message) => takeEvent(JSON.parse(message.data)));
  stream.addEventListener("rows", (message) => takeRows(JSON.parse(message.data).rows));
  stream.addEventListener("reload", loadSoon);
  stream.addEventListener("snapshot", (message) => {
    // The number was another ledger's, or is older than the log: what is known now counts.
    restart(JSON.parse(message.data).seq);
    flows();
  });
  stream.addEventListener("error", () => {
    if (stream === source) lose();
  });
}
