// The first view: what runs, what needs help, what comes next, what was finished last.

import { actOnMany } from "./actions.js";
import { addForm } from "./add.js";
import { throughputChart } from "./chart.js";
import { arrange, debounced, h, schedule, setAttr, setText, show, showMore } from "./dom.js";
import { count, counted, duration, rate } from "./format.js";
import { icon } from "./icons.js";
import { reorderable } from "./reorder.js";
import { downloadRow } from "./row.js";
import { rowKeys } from "./rowkeys.js";
import { QUEUE_MAX, loadMore, loadMoreTrouble, on, searchQueue, store } from "./store.js";
import { attempt } from "./toast.js";
import { isEnd } from "./words.js";

const views = new Map();
const isQueued = (id) => {
  const row = store.rows.get(id);
  return row && row.state !== "running" && !isEnd(row.state);
};
const queueOf = (order = store.order) => order.filter(isQueued);

/** Builds the view into its section. */
export function buildNow(section) {
  const chart = throughputChart();
  const figures = h("p", { class: "figures", id: "now-figures" });
  const speed = h("p", { class: "speed" });
  const left = h("p", { class: "hint" });
  const button = (text, picture, run) =>
    h("button", { type: "button", class: "small", on: { click: run } }, icon(picture), h("span", { text }));

  const running = part("now-running", "Running");
  const trouble = part("now-trouble", "Needs help", [
    button("Retry all", "retry", () => actOnMany("retry", { filter: { state: ["failed", "missing", "altered"] } },
      { done: "will be tried again" })),
    button("Delete failed", "delete", () => actOnMany("delete", { filter: { state: ["failed"] } },
      { done: "deleted", canUndo: true })),
  ]);
  const queue = part("now-queue", "Queue", [
    button("Pause all", "pause", () => actOnMany("pause", { all: true }, { done: "paused", canUndo: true })),
    button("Resume all", "resume", () => actOnMany("resume", { all: true }, { done: "resumed" })),
  ]);
  const recent = part("now-recent", "Finished lately");

  const search = h("input", {
    type: "search", id: "queue-search", placeholder: "Find in the queue", aria: { label: "Find in the queue" },
    autocomplete: "off",
  });
  search.addEventListener("input", debounced(250, () => attempt(() => searchQueue(search.value))));
  queue.head.append(h("div", { class: "search small-search" }, icon("search"), search));
  const more = h("button", { type: "button", class: "wide", text: "Show more",
    on: { click: () => attempt(loadMore) } });
  const cut = h("p", { class: "hint" });
  queue.element.append(more, cut);
  const moreTrouble = h("button", { type: "button", class: "wide", text: "Show more", hidden: true,
    on: { click: () => attempt(loadMoreTrouble) } });
  trouble.element.append(moreTrouble);

  section.append(
    h("div", { class: "view-head" }, h("h1", { id: "now-title", tabindex: -1, text: "Now" }), figures),
    h("div", { class: "columns" },
      h("div", { class: "column-side" },
        h("section", { class: "card throughput", aria: { labelledby: "speed-title" } },
          h("h2", { id: "speed-title", text: "Throughput" }), speed, chart.element, left),
        addForm()),
      h("div", { class: "column-main" }, running.element, trouble.element, queue.element, recent.element)));

  let held = null;
  const draw = () => {
    // Nothing moves under who drags something; what happened meanwhile is drawn after it.
    if (queue.list.classList.contains("dragging")) return;
    const queued = queueOf(held ?? store.order);
    const runs = [...store.running].sort((one, other) => one - other);
    const filled = [
      [running, rowsFor(runs)], [trouble, rowsFor(store.trouble)], [queue, rowsFor(queued, !store.search)],
      [recent, rowsFor(store.recent)],
    ];
    // A row that goes from one list to another keeps the focus that it has.
    const all = new Set(filled.flatMap(([, elements]) => elements));
    for (const [target, elements] of filled) {
      show(target.list, elements.length > 0);
      arrange(target.list, elements, all);
      target.shown = elements.length;
    }
    for (const [id] of views) if (!store.rows.has(id) || !placed.has(id)) views.delete(id);
    placed.clear();
    drawFigures();
  };
  const placed = new Set();

  function rowsFor(ids, canMove = false) {
    const elements = [];
    for (const id of ids) {
      const row = store.rows.get(id);
      if (!row || placed.has(id)) continue;
      placed.add(id);
      let view = views.get(id);
      if (!view) views.set(id, view = downloadRow());
      view.update(row, { canMove });
      elements.push(view.element);
    }
    return elements;
  }

  function drawFigures() {
    const { counts } = store;
    const runs = store.running.size;
    const live = (counts.queued ?? 0) + (counts.waiting ?? 0) + (counts.paused ?? 0);
    // Counts come from the log, where what runs is still queued.
    const queued = Math.max(live - runs, queue.shown);
    setText(figures, !store.isLoaded ? "Loading…"
      : [`${count(runs)} running`, `${count(queued)} in the queue`, counts.paused && `${count(counts.paused)} paused`,
        `${count(counts.completed ?? 0)} finished`].filter(Boolean).join(" · "));
    setText(running.count, runs ? count(runs) : "");
    setText(queue.count, store.search ? `${count(queue.shown)}${store.hasMore ? " and more" : ""} found`
      : queued ? count(queued) : "");
    const failed = Math.max(store.trouble.length, (counts.failed ?? 0) + (counts.missing ?? 0) + (counts.altered ?? 0));
    setText(trouble.count, failed ? count(failed) : "");
    setText(recent.count, "");
    show(trouble.element, trouble.shown > 0);
    show(recent.element, recent.shown > 0);
    show(running.empty, runs === 0);
    setText(running.empty, queued ? "Nothing runs at the moment." : "Nothing runs. Add a link and it starts at once.");
    show(queue.empty, queue.shown === 0 || store.isSearching);
    setAttr(queue.list, "aria-busy", store.isSearching ? "true" : null);
    setText(queue.empty, store.isSearching ? "Looking…" : store.search ? "Nothing in the queue has these words."
      : "The queue is empty.");
    showMore(more, queue.list, store.hasMore);
    showMore(moreTrouble, trouble.list, trouble.shown < Math.min(failed, QUEUE_MAX));
    show(cut, store.isCut === true && !store.hasMore);
    setText(cut, `The first ${count(QUEUE_MAX)} are shown; find the others by their words.`);
    const now = store.rate;
    setText(speed, runs ? rate(now) : "Idle");
    setText(left, leftWords(runs, now));
  }

  const redraw = () => schedule(draw);
  on("rows", redraw);
  on("lists", redraw);
  on("figures", redraw);
  setInterval(() => {
    chart.push(store.rate);
    if (!section.hidden) redraw();
  }, 1000);

  let freed = 0;
  reorderable(queue.list, {
    ids: () => queueOf(held ?? store.order),
    redraw(ids) {
      held = ids;
      draw();
      // The order that was made stands until the ledger's own has come.
      clearTimeout(freed);
      freed = setTimeout(() => { held = null; redraw(); }, 3000);
    },
  });
  on("events", (event) => {
    if (event.type === "moved" && held) {
      clearTimeout(freed);
      freed = setTimeout(() => { held = null; redraw(); }, 1500);
    } else if (event.type === "enqueued") {
      held = null;
    }
  });
  section.addEventListener("keydown", rowKeys);
}

function leftWords(runs, now) {
  if (!runs) return "";
  let bytes = 0;
  for (const id of store.running) {
    const row = store.rows.get(id);
    if (!row?.size) return counted(runs, "download");
    bytes += row.size - row.received;
  }
  return now ? `${counted(runs, "download")}, ${duration(bytes / now)} left` : counted(runs, "download");
}

function part(id, title, tools = []) {
  const number = h("span", { class: "count" });
  const head = h("div", { class: "part-head" }, h("h2", { id, text: title }), number,
    h("div", { class: "part-tools" }, tools));
  const list = h("ul", { class: "rows", aria: { labelledby: id } });
  const empty = h("p", { class: "empty", hidden: true });
  return { element: h("section", { class: "part", aria: { labelledby: id } }, head, list, empty), head, list, empty,
    count: number, shown: 0 };
}
