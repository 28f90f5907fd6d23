// The second view: what is here and what could be, as a grid that is searched and narrowed.

import { get, withQuery } from "./api.js";
import { makeCard } from "./card.js";
import { arrange, debounced, h, put, schedule, setAttr, setText, show, showMore, throttled } from "./dom.js";
import { counted } from "./format.js";
import { icon } from "./icons.js";
import { isPDF } from "./player.js";
import { buildStorage } from "./storage.js";
import { keep, on } from "./store.js";
import { announce, complain } from "./toast.js";

const PAGE = 60;
const FILTERS = [
  ["All", {}], ["Videos", { kind: "video" }], ["Audio", { kind: "audio" }], ["PDFs", { kind: "document" }],
  ["Downloaded", { filter: "downloaded" }],
];
const FILLS = new Set([
  "completed", "deleted", "restored", "missing", "altered", "found", "listed", "delisted", "taken", "unfollowed",
    "changed",
]);

/** Builds the view into its section. */
export function buildLibrary(section) {
  let [filter, group, wanted, items, next, total, asking] = ["All", null, PAGE, [], null, 0, null];
  const cards = new Map();
  const search = h("input", {
    type: "search", id: "library-search", placeholder: "Search names and details", autocomplete: "off",
    aria: { label: "Search the library" },
  });
  const choices = h("fieldset", { class: "chips" }, h("legend", { class: "unseen", text: "Show" }),
    FILTERS.map(([name]) => h("label", { class: "chip" },
      h("input", { type: "radio", name: "library-filter", value: name, checked: name === "All" }),
        h("span", { text: name }))));
  const groupChip = h("button", { type: "button", class: "small", hidden: true });
  const found = h("p", { class: "figures", id: "library-figures" });
  const grid = h("ul", { class: "grid", id: "library-grid", aria: { label: "Items" } });
  const empty = h("p", { class: "empty", hidden: true });
  const more = h("button", { type: "button", class: "wide", text: "Show more", hidden: true });
  const storage = buildStorage((name) => narrow(name));
  section.append(
    h("div", { class: "view-head" }, h("h1", { id: "library-title", tabindex: -1, text: "Library" }), found),
    h("div", { class: "bar-row" }, h("div", { class: "search" }, icon("search"), search), choices, groupChip),
    grid, empty, more, storage.element);

  async function load() {
    asking?.abort();
    const control = asking = new AbortController();
    const conditions = FILTERS.find(([name]) => name === filter)[1];
    const sought = { search: search.value.trim(), group, ...conditions };
    try {
      const list = [];
      let [offset, count] = [0, 0];
      // Not every document is a PDF: pages are read until there are enough that are.
      while (offset !== null && list.length < wanted) {
        const limit = filter === "PDFs" ? 500 : Math.min(1000, wanted - list.length);
        const page = await get(withQuery("/v1/library", { ...sought, limit, offset }), { signal: control.signal });
        list.push(...page.items.filter((item) => filter !== "PDFs" || isPDF(item.download ?? item.entry)));
        [offset, count] = [page.next, page.total];
      }
      [items, next, total] = [list, offset, filter === "PDFs" && offset === null ? list.length : count];
      for (const item of items) if (item.download) item.download = keep(item.download);
      draw();
      return true;
    } catch (error) {
      complain(error);
      return false;
    }
  }

  function draw() {
    const elements = items.map((item) => {
      let card = cards.get(item.key);
      if (!card) cards.set(item.key, card = makeCard());
      card.update(item);
      return card.element;
    });
    arrange(grid, elements);
    const keys = new Set(items.map((item) => item.key));
    for (const key of cards.keys()) if (!keys.has(key)) cards.delete(key);
    setText(found, counted(total, "item"));
    showMore(more, grid, next !== null);
    show(empty, items.length === 0);
    const narrowed = search.value.trim() || filter !== "All" || group;
    setText(empty, narrowed ? "Nothing here is like that."
      : "Nothing here yet. What is downloaded stands here, and what feeds offer.");
  }

  function narrow(name) {
    group = name;
    show(groupChip, name !== null);
    put(groupChip, h("span", { text: `Group: ${name}` }), icon("cancel"));
    setAttr(groupChip, "aria-label", `Group ${name}: show all groups`);
    wanted = PAGE;
    if (name !== null) section.querySelector("h1").focus();
    ask();
  }

  const ask = async () => { if (await load()) announce(`${counted(total, "item")} found`); };
  groupChip.addEventListener("click", () => { narrow(null); search.focus(); });
  search.addEventListener("input", debounced(200, () => { wanted = PAGE; ask(); }));
  choices.addEventListener("change", (event) => { filter = event.target.value; wanted = PAGE; ask(); });
  more.addEventListener("click", () => { wanted += PAGE; load(); });

  const loadSoon = throttled(1200, () => {
    if (section.hidden) return;
    load();
    storage.load();
  });
  on("events", (event) => { if (FILLS.has(event.type)) loadSoon(); });
  on("rows", (rows) => {
    if (section.hidden || !items.length) return;
    const byID = new Map(rows.map((row) => [row.id, row]));
    for (const item of items) {
      const row = item.download && byID.get(item.download.id);
      if (row) item.download = row;
    }
    schedule(draw);
  });
  return {
    open() { load(); storage.load(); },
    search: () => search.focus(),
  };
}
