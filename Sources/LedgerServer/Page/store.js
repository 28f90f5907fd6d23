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
  /** The last event that was seen, and when it was. */
  seq: 0,
  time: null,
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
let wantedTrouble = PAGE;
/** The last event that the order takes in. */
let orderSeq = 0;

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
  if (asked !== store.search || page.seq < orderSeq) return;
  orderSeq = page.seq;
  page.downloads.forEach(keep);
  store.order = page.downloads.map((row) => row.id);
  store.hasMore = page.next !== null && wanted < QUEUE_MAX;
  store.isCut = page.next !== null;
  store.seq = Math.max(store.seq, page.seq);
  sort();
  tell("lists");
}

async function loadRunning() {
  replace(isRunning, [await get("/v1/downloads?state=running&limit=1000")]);
}

async function loadTrouble() {
  replace(isTrouble, [await get(`/v1/downloads?state=failed,missing,altered&order=desc&limit=${wantedTrouble}`)]);
}

async function loadRecent() {
  replace(isOver, await Promise.all([
    get(`/v1/downloads?state=completed&sort=completed&order=desc&limit=${RECENT}`),
    get(`/v1/downloads?state=cancelled&order=desc&limit=${RECENT / 2}`),
  ]));
}

const isRunning = (row) => row.state === "running";
const isTrouble = (row) => needsHelp(row.state);
const isOver = (row) => row.state === "completed" || row.state === "cancelled";
/** When a row ended, as far as that is known: of what ended before this page was there, the log alone tells. */
const endOf = (row) => row.endedAt ?? row.completedAt ?? row.addedAt;
const lastFirst = (one, other) => endOf(other).localeCompare(endOf(one)) || other.id - one.id;

/** Takes all rows of a sort as answers have them: what is of that sort no more goes, unless it came to be later. */
function replace(isOfSort, pages) {
  const rows = pages.flatMap((page) => page.downloads);
  const ids = new Set(rows.map((row) => row.id));
  const seq = Math.min(...pages.map((page) => page.seq));
  for (const [id, row] of store.rows) {
    if (isOfSort(row) && !ids.has(id) && (row.seq ?? 0) < seq) store.rows.delete(id);
  }
  rows.forEach(keep);
  sort();
  tell("lists");
}

/** Finds what runs, what needs help and what ended last among the rows that are known. */
function sort() {
  const rows = [...store.rows.values()];
  const ids = (some) => some.map((row) => row.id);
  store.running = new Set(ids(rows.filter(isRunning)));
  store.trouble = ids(rows.filter(isTrouble).sort(lastFirst).slice(0, wantedTrouble));
  store.recent = ids(rows.filter(isOver).sort(lastFirst).slice(0, RECENT));
}

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

/** Shows more of what needs help. */
export function loadMoreTrouble() {
  wantedTrouble = Math.min(QUEUE_MAX, wantedTrouble + PAGE);
  return loadTrouble();
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

/** Takes a row as an answer has it. */
export function take(row) {
  takeRows([row]);
}

/** Takes rows as the stream shows them. */
export function takeRows(rows) {
  const kept = rows.map(keep);
  for (const row of kept) place(row);
  sort();
  if (store.trouble.length < (store.counts.failed ?? 0) && store.trouble.length < 20) troubleSoon();
  if (store.rows.size > SPARE) prune();
  tell("rows", kept);
  tell("lists");
}

/**
 * Takes a row, unless a newer one is known: answers and the stream come over connections of their own, in any order.
 * @returns the newer one.
 */
export function keep(row) {
  const held = store.rows.get(row.id);
  if (held?.seq > row.seq) return held;
  if (held && isEnd(row.state)) row.endedAt = isEnd(held.state) ? held.endedAt : store.time;
  store.rows.set(row.id, row);
  return row;
}

/** Sees whether a row has a place in the order. A place that is not known is asked for. */
function place(row) {
  const listed = store.order.indexOf(row.id);
  if (isEnd(row.state)) {
    if (listed >= 0) store.order.splice(listed, 1);
    if (listed >= 0 && store.isCut) orderSoon();
  } else if (listed < 0 && row.state !== "running") {
    orderSoon();
  }
}

function prune() {
  const used = new Set([...store.order, ...store.trouble, ...store.recent, ...store.running]);
  for (const id of store.rows.keys()) if (!used.has(id)) store.rows.delete(id);
}

/** Begins anew after an event: of this ledger, or of one that has taken its place and knows nothing of these rows. */
export function restart(seq) {
  if (seq < store.seq) {
    store.rows.clear();
    orderSeq = 0;
  }
  store.seq = seq;
}

/** Takes an event of the log. */
export function takeEvent(event) {
  [store.seq, store.time] = [Math.max(store.seq, event.seq), event.time];
  if (["enqueued", "moved", "restored", "resumed", "retried", "rechecked"].includes(event.type)) orderSoon();
  if (event.type !== "progressed") figuresSoon();
  tell("events", event);
}
