// The third view: everything that ever happened, and how things stood at any point.

import { get, withQuery } from "./api.js";
import { debounced, h, put, setAttr, setText, throttled } from "./dom.js";
import { count, moment, nameOf, size, time } from "./format.js";
import { icon } from "./icons.js";
import { proofs } from "./proofs.js";
import { metaOf } from "./row.js";
import { on, store } from "./store.js";
import { attempt, complain } from "./toast.js";
import { STATES, sentence } from "./words.js";

/** Events that are told around a point. */
const EVENTS = 40;
/** Rows of the queue and the library of a point. */
const ROWS = 50;

/** Builds the view into its section. */
export function buildHistory(section) {
  let [first, last, at, asking] = [1, 0, null, null];
  const names = new Map();
  const slider = h("input", {
    type: "range", id: "history-slider", min: 0, max: 0, step: 1, value: 0, aria: { label: "Point in the log" },
  });
  const label = h("output", { class: "history-when", for: "history-slider", text: "Loading…" });
  const ends = h("p", { class: "history-ends" }, h("span", {}), h("span", {}));
  const step = (text, picture, by) => h("button", {
    type: "button", class: "small", aria: { label: text }, on: { click: () => go((at ?? last) + by()) },
  }, icon(picture));
  const live = h("button", { type: "button", class: "small", text: "Now", on: { click: () => go(last) } });
  const counts = h("p", { class: "figures" });
  const queue = h("ul", { id: "history-queue", class: "plain-list", aria: { labelledby: "history-queue-title" } });
  const library = h("ul", { id: "history-library", class: "plain-list",
    aria: { labelledby: "history-library-title" } });
  const events = h("ol", { id: "history-events", class: "timeline", aria: { labelledby: "history-events-title" } });
  const box = (id, title, list) => h("section", { class: "card" }, h("h2", { id, text: title }), list);

  section.append(
    h("div", { class: "view-head" }, h("h1", { id: "history-title", tabindex: -1, text: "History" }), counts),
    h("div", { class: "card history-slide" }, label, slider, ends,
      h("div", { class: "button-row" }, step("One event back", "back", () => -1), step("One event on", "on", () => 1),
        live)),
    h("div", { class: "history-columns" },
      h("div", {}, box("history-queue-title", "The queue then", queue),
        box("history-library-title", "The library then", library)),
      box("history-events-title", "Events around it", events)),
    proofs());

  async function load() {
    const log = await get("/v1/log");
    const isAtEnd = at === null || at >= last;
    [first, last] = [log.first, log.last];
    setAttr(slider, "min", Math.min(first, last));
    setAttr(slider, "max", last);
    put(ends.firstChild, `Event ${count(first)}`, log.firstTime ? [", ", time(log.firstTime)] : null);
    put(ends.lastChild, `Event ${count(last)}, ${size(log.bytes)} in all`);
    if (isAtEnd) at = last;
    slider.value = at;
  }

  async function draw() {
    asking?.abort();
    const control = asking = new AbortController();
    const options = { signal: control.signal };
    const point = at;
    try {
      const [state, live, page] = await Promise.all([
        get(withQuery("/v1/state", { at: point, parts: "catalog", limit: ROWS }), options),
        get(withQuery("/v1/downloads", { at: point, sort: "turn", limit: ROWS }), options),
        get(withQuery("/v1/events", { after: Math.max(first - 1, point - EVENTS + 10), limit: EVENTS }),
          { ...options, lines: true }),
      ]);
      for (const row of [...live.downloads, ...state.catalog]) names.set(row.id, nameOf(row));
      const here = page.find((event) => event.seq === point);
      setText(label, here ? `Event ${count(point)}, ${moment(here.time)}` : `Event ${count(point)}`);
      setAttr(slider, "aria-valuetext", label.textContent);
      const numbers = Object.entries(state.counts);
      const words = numbers.map(([name, number]) => `${count(number)} ${STATES[name].toLowerCase()}`);
      setText(counts, words.join(" · ") || "Nothing yet");
      fill(queue, live.downloads, live.next !== null, "The queue was empty.");
      fill(library, state.catalog, state.catalog.length === ROWS, "The library was empty.");
      await learnNames(page, options);
      if (!control.signal.aborted) drawEvents(page, point);
    } catch (error) {
      complain(error);
    }
  }

  function fill(list, rows, isCut, nothing) {
    put(list, rows.length ? rows.map((row) => h("li", { data: { id: row.id, state: row.state } },
      icon(row.kind, "icon kind"),
      h("div", {}, h("a", { href: `#/history/${row.id}`, text: nameOf(row) }),
        h("p", { class: "row-meta", text: metaOf(row) })),
      h("span", { class: "badge", text: STATES[row.state] }))) : h("li", { class: "empty", text: nothing }),
    isCut && h("li", { class: "hint", text: `and more; the first ${ROWS} are shown` }));
  }

  // Events carry numbers: the names are those that the rows have now.
  async function learnNames(page, options) {
    const missing = [...new Set(page.map((event) => event.id).filter((id) => id && !names.has(id)))];
    for (const id of missing) if (store.rows.has(id)) names.set(id, nameOf(store.rows.get(id)));
    await Promise.all(missing.filter((id) => !names.has(id)).map(async (id) => {
      try { names.set(id, nameOf(await get(`/v1/downloads/${id}`, options))); } catch { /* It has its number. */ }
    }));
  }

  function drawEvents(page, point) {
    const held = events.contains(document.activeElement) ? document.activeElement.dataset.seq : null;
    put(events, page.slice().reverse().map((event) => h("li", {
      data: { type: event.type, seq: event.seq },
      class: event.seq === point ? "current" : event.seq > point ? "later" : "",
      aria: { current: event.seq === point ? "true" : null },
    }, h("span", { class: "when" },
      h("button", { type: "button", class: "link", data: { seq: event.seq }, text: count(event.seq), title: "Go there",
        on: { click: () => go(event.seq) } }),
      " ", time(event.time)),
    h("span", {}, event.id ? [h("a", { href: `#/history/${event.id}`, text: names.get(event.id) ?? `#${event.id}` }),
      sentence(event, "")] : sentence(event),
      event.text && h("small", { text: event.text })))));
    if (held) events.querySelector(`[data-seq="${held}"] button`)?.focus({ preventScroll: true });
    // In its own box only, so that the page stands still under the slider.
    const current = events.querySelector(".current");
    if (current) events.scrollTop = current.offsetTop - events.clientHeight / 3;
  }

  const drawSoon = debounced(120, draw);
  function go(point) {
    at = Math.min(last, Math.max(Math.min(first, last), point));
    slider.value = at;
    setText(label, `Event ${count(at)}`);
    drawSoon();
  }
  slider.addEventListener("input", () => go(Number(slider.value)));
  const grow = throttled(1000, () => {
    if (section.hidden) return;
    const isAtEnd = at === null || at >= last;
    attempt(async () => { await load(); if (isAtEnd) await draw(); });
  });
  on("events", (event) => { if (event.type !== "progressed" || at !== last) grow(); });
  return {
    open: (query) => attempt(async () => {
      try { await load(); } catch (error) {
        setText(label, "The log can not be read at the moment.");
        throw error;
      }
      const asked = Number(query.get("at"));
      if (asked) go(asked);
      else await draw();
    }),
  };
}
