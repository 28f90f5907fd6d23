// What is known of the ledger: rows by id, the order of the queue, what needs help, figures.

import { get, withQuery } from "./api.js";
import { throttled } from "./dom.js";
import { isEnd, needsHelp } from "./words.js";

/** Rows that are fetched at once. */
const PAGE = 100;
/** The most rows of the queue that are shown; a search finds the others. */
export const QUEUE_MAX = 1000;
/** Rows of finished downloads that Now shows. */
const RECENT = 8;
/** Rows that are kept besides those that are shown. */
const SPARE = 4000;

const listeners = { rows: new Set(), lists: new Set(), figures: new Set(), events: new Set() };

/** Calls a function after a change: of `rows`, `lists`, `figures`, or at `events` of the log. */
export function on(kind, call) {
  listeners[kind].add(call);
  return () => listeners[kind].delete(call);
}

function tell(kind, value) {
  for (const call of listeners[kind]) call(value);
}

export const store = {
  /** Rows by id. */
  rows: new Map(),
  /** Ids of what is live, in the order in which it runs; the first of them. */
  order: [],
  /** Whether the queue has more than `order` holds. */
  hasMore: false,
  /** Words that the queue is narrowed to. */
  search: "",
  /** Ids of what can not go on by itself, the newest first. */
  trouble: [],
  /** Ids of what was finished or cancelled last. */
  recent: [],
  /** The number of each state. */
  counts: {},
  /** What `/v1/status` said. */
  status: {},
  /** The last event that was seen. */
  seq: 0,
  /** Bytes a second of all that runs. */
  get rate() {
    let sum = 0;
    for (const id of this.running) sum += this.rows.get(id)?.rate ?? 0;
    return sum;
  },
  /** Ids of what runs. */
  running: new Set(),
  isLoaded: false,
  /** Whether the queue shown is not yet the one that was asked for. */
  isSearching: false,
};

let wanted = PAGE;

/** Fetches everything that Now shows, and the figures. It is done when the queue is there: in a ledger of many
 * downloads what runs, what failed and what was finished takes the server longer to find, and comes when it comes. */
export async function load() {
  const others = Promise.all([loadRunning(), loadTrouble(), loadRecent()]);
  others.catch(() => {});
  await Promise.all([loadOrder(), loadFigures()]);
  store.isLoaded = true;
  tell("figures");
}

async function loadOrder() {
  const asked = store.search;
  const page = await get(withQuery("/v1/downloads",
    { sort: "turn", limit: Math.min(wanted, QUEUE_MAX), search: asked }));
  if (asked !== store.search) return;
  for (const row of page.downloads) keep(row);
  store.order = page.downloads.map((row) => row.id);
  store.hasMore = page.next !== null && wanted < QUEUE_MAX;
  store.isCut = page.next !== null;
  store.seq = Math.max(store.seq, page.seq);
  tell("lists");
}

async function loadRunning() {
  const page = await get("/v1/downloads?state=running&limit=1000");
  const now = new Set(page.downloads.map((row) => row.id));
  for (const row of page.downloads) keep(row);
  store.running = now;
  tell("lists");
}

async function loadTrouble() {
  const page = await get("/v1/downloads?state=failed,missing,altered&order=desc&limit=100");
  for (const row of page.downloads) keep(row);
  store.trouble = page.downloads.map((row) => row.id);
  tell("lists");
}

async function loadRecent() {
  const pages = await Promise.all([
    get(`/v1/downloads?state=completed&sort=completed&order=desc&limit=${RECENT}`),
    get(`/v1/downloads?state=cancelled&order=desc&limit=${RECENT / 2}`),
  ]);
  const rows = pages.flatMap((page) => page.downloads);
  for (const row of rows) keep(row);
  store.recent = rows
    .sort((one, other) => endOf(other).localeCompare(endOf(one))).slice(0, RECENT)
    .map((row) => row.id);
  tell("lists");
}

const endOf = (row) => row.completedAt ?? row.addedAt;

async function loadFigures() {
  const [status, state] = await Promise.all([get("/v1/status"), get("/v1/state?parts=queue&limit=0")]);
  store.status = status;
  store.counts = state.counts;
  tell("figures");
}

const orderSoon = throttled(1000, () => loadOrder().catch(() => {}));
const troubleSoon = throttled(2000, () => loadTrouble().catch(() => {}));
const figuresSoon = throttled(1500, () => loadFigures().catch(() => {}));

/** Shows more of the queue. */
export function loadMore() {
  wanted = Math.min(QUEUE_MAX, wanted + PAGE);
  return loadOrder();
}

/** Narrows the queue to words. */
export async function searchQueue(text) {
  store.search = text.trim();
  store.isSearching = true;
  wanted = PAGE;
  tell("lists");
  try { await loadOrder(); } finally { store.isSearching = false; }
  tell("lists");
}

/** Fetches the order and the figures soon, once for many changes. */
export function refreshSoon() {
  orderSoon();
  figuresSoon();
}

/** Takes a row as it is now. */
export function take(row) {
  keep(row);
  settle(row);
  tell("rows", [row]);
  tell("lists");
}

/** Takes rows as the stream shows them. */
export function takeRows(rows) {
  for (const row of rows) {
    keep(row);
    settle(row);
  }
  if (store.rows.size > SPARE) prune();
  tell("rows", rows);
  tell("lists");
}

function keep(row) {
  store.rows.set(row.id, row);
  if (row.state === "running") store.running.add(row.id);
  else store.running.delete(row.id);
}

/** Sees to which lists a row belongs. What has a place in the order that is not known is asked for. */
function settle(row) {
  const listed = store.order.indexOf(row.id);
  if (isEnd(row.state)) {
    if (listed >= 0) store.order.splice(listed, 1);
    if (listed >= 0 && store.isCut) orderSoon();
  } else if (listed < 0 && row.state !== "running") {
    orderSoon();
  }
  without(store.trouble, row.id, !needsHelp(row.state));
  if (needsHelp(row.state) && !store.trouble.includes(row.id)) {
    store.trouble.unshift(row.id);
    if (store.trouble.length > PAGE) store.trouble.length = PAGE;
  }
  const isOver = row.state === "completed" || row.state === "cancelled";
  without(store.recent, row.id, !isOver);
  if (isOver && !store.recent.includes(row.id)) {
    store.recent.unshift(row.id);
    if (store.recent.length > RECENT) store.recent.length = RECENT;
  }
  if (store.trouble.length < (store.counts.failed ?? 0) && store.trouble.length < 20) troubleSoon();
}

function without(list, id, isOut) {
  const place = isOut ? list.indexOf(id) : -1;
  if (place >= 0) list.splice(place, 1);
}

function prune() {
  const used = new Set([...store.order, ...store.trouble, ...store.recent, ...store.running]);
  for (const id of store.rows.keys()) if (!used.has(id)) store.rows.delete(id);
}

/** Takes an event of the log. */
export function takeEvent(event) {
  store.seq = Math.max(store.seq, event.seq);
  if (["enqueued", "moved", "restored", "resumed", "retried", "rechecked"].includes(event.type)) orderSoon();
  if (event.type !== "progressed") figuresSoon();
  tell("events", event);
}
