// One item in full: what it holds, what it is, what happened to it, and everything that can be done with it.

import { get, withQuery } from "./api.js";
import { byId, h, put, setAttr, setText, show } from "./dom.js";
import { clock, duration, nameOf, safeLink, size, time } from "./format.js";
import { editor } from "./editor.js";
import { icon } from "./icons.js";
import { takeEntries } from "./listings.js";
import { fileURL, placeOf, viewer } from "./player.js";
import { rangesBar } from "./ranges.js";
import { metaOf, whyOf } from "./row.js";
import { keep, on, store } from "./store.js";
import { timeline } from "./timeline.js";
import { attempt, complain, reshelve } from "./toast.js";
import { toolButton, tools } from "./tools.js";
import { KINDS, STATES } from "./words.js";

let shown = null;

/** Builds the dialog; `close()` is called when it was closed. */
export function buildDetail(close) {
  const dialog = h("dialog", { id: "detail", class: "dialog wide-dialog", aria: { labelledby: "detail-title" } });
  const frame = h("div", { class: "dialog-frame" });
  dialog.append(frame);
  document.body.append(dialog);
  dialog.addEventListener("close", () => {
    put(frame);
    shown = null;
    reshelve();
    close();
  });
  // A tap beside the dialog closes it.
  dialog.addEventListener("click", (event) => { if (event.target === dialog) dialog.close(); });
  on("rows", (rows) => {
    const row = rows.find((each) => each.id === shown?.row?.id);
    if (row) renew(row);
  });
  return dialog;
}

/** Closes it, if it is open. */
export function closeDetail() {
  const dialog = byId("detail");
  if (dialog.open) dialog.close();
}

/** Opens it on a download (its number) or an entry of a list (its key). */
export async function openDetail(view, key, { withStory = false } = {}) {
  const dialog = byId("detail");
  try {
    const item = /^\d+$/.test(key) ? { download: await findRow(Number(key)) } : await findEntry(key);
    draw(dialog, view, item, withStory);
    if (item.download?.state === "completed") look(item.download);
    if (!dialog.open) dialog.showModal();
    reshelve();
    byId("detail-title").focus();
  } catch (error) {
    complain(error);
    location.hash = `#/${view}`;
  }
}

// Whether the file is there still: what became of it is on record then, and the stream shows it.
function look(row) {
  fetch(fileURL(row), { method: "HEAD" }).catch(() => { /* Nothing answers: the banner says so. */ });
}

async function findRow(id) {
  try { return keep(await get(`/v1/downloads/${id}`)); } catch (error) {
    // Nothing answers: what is known of it is better than nothing.
    if (error.status || !store.rows.has(id)) throw error;
    return store.rows.get(id);
  }
}

async function findEntry(key) {
  for (let offset = 0; offset !== null;) {
    const page = await get(withQuery("/v1/library", { limit: 1000, offset }));
    const item = page.items.find((each) => each.key === key);
    if (item) return item;
    offset = page.next;
  }
  throw new Error("this is in the library no longer");
}

function draw(dialog, view, item, withStory) {
  const { download: row, entry } = item;
  const title = row ? nameOf(row) : item.title;
  const next = h("p", { class: "next-up" });
  const parts = { row, badge: h("span", { class: "badge" }), meta: h("p", { class: "row-meta" }),
    why: h("p", { class: "row-why" }) };
  parts.bar = rangesBar();
  parts.tools = h("div", { class: "dialog-tools" });
  parts.facts = h("dl", { class: "facts" });
  shown = parts;
  const media = row && viewer(row, { whenOver: () => next.querySelector("a")?.focus() });
  put(dialog.firstElementChild,
    h("div", { class: "dialog-head" },
      icon(row?.kind ?? item.kind, "icon kind"),
      h("h2", { id: "detail-title", tabindex: -1, text: title }),
      h("button", { type: "button", class: "tool", aria: { label: "Close" }, on: { click: () => dialog.close() } },
        icon("cancel"))),
    h("div", { class: "dialog-body" }, media,
      entry?.thumbnail && !media ? picture(entry.thumbnail) : null,
      h("p", { class: "row-head" }, parts.badge), parts.meta, parts.bar.element, parts.why, parts.tools, next,
      (row?.details ?? item.details) && h("p", { class: "prose", text: row?.details ?? item.details }),
      parts.facts, row && editor(row), row && story(row, withStory)));
  if (row) {
    renew(row);
    if (row.state === "completed" && row.group) nextInGroup(row, next, view);
  } else {
    drawEntry(parts, item, dialog);
  }
}

function picture(url) {
  const link = url.startsWith("/files/") ? url : safeLink(url);
  return link && h("div", { class: "viewer" },
    h("img", { class: "picture", src: link, alt: "", referrerpolicy: "no-referrer" }));
}

function drawEntry(parts, item, dialog) {
  parts.element = dialog;
  setText(parts.badge, STATES.available);
  setAttr(parts.badge, "data-state", "available");
  show(parts.bar.element, false);
  show(parts.why, false);
  const seconds = item.durationSeconds;
  setText(parts.meta, [KINDS[item.kind], item.length && size(item.length), seconds && duration(seconds),
    item.group].filter(Boolean).join(" · "));
  put(parts.tools, toolButton("Download", "download", "primary", async () => {
    if (await takeEntries(item.entry.listing, [item.entry.guid])) dialog.close();
  }, item.title));
  facts(parts.facts, [["From", link(item.entry.url)], ["Published", item.published && time(item.published)],
    ["Group", item.group]]);
}

// The row changed: what shows it changes in place, and a film plays on.
function renew(row) {
  const before = shown.row;
  shown.row = row;
  const [dialog, title] = [byId("detail"), nameOf(row)];
  dialog.dataset.id = row.id;
  dialog.dataset.state = row.state;
  setText(shown.badge, STATES[row.state] ?? row.state);
  setAttr(shown.badge, "data-state", row.state);
  setText(shown.meta, metaOf(row));
  setText(shown.why, whyOf(row));
  show(shown.why, shown.why.textContent !== "");
  shown.bar.update(row, title);
  if (shown.drawn !== row.state + row.pinned + row.priority) {
    const focused = shown.tools.contains(document.activeElement) ? document.activeElement.dataset.name : null;
    shown.drawn = row.state + row.pinned + row.priority;
    put(shown.tools, tools(row, title));
    const same = focused && shown.tools.querySelector(`[data-name="${focused}"]`);
    if (focused) (same ?? shown.tools.querySelector("button, a"))?.focus();
  }
  facts(shown.facts, [
    ["From", link(row.url)], ["File", h("code", { text: row.path })],
    ["Size", row.size === null ? null : `${size(row.size)} (${row.size.toLocaleString()} bytes)`],
    ["Digest", row.digest && h("code", { text: row.digest })],
    ["To be", row.checksum && row.checksum !== row.digest && h("code", { text: row.checksum })],
    ["Added", time(row.addedAt)], ["Finished", row.completedAt && time(row.completedAt)],
    ["Published", row.published && time(row.published)], ["Group", row.group], ["Tags", row.tags.join(", ")],
    ["Priority", row.priority || null], ["Attempts", row.attempts > 1 ? String(row.attempts) : null],
    ["Options", optionsOf(row)],
    ["Stopped at", row.state === "completed" && placeOf(row) > 5 ? clock(placeOf(row)) : null],
  ]);
  // A file that was finished while it was looked at can be played now.
  if (before.state !== "completed" && row.state === "completed") {
    const media = viewer(row);
    if (media) dialog.querySelector(".dialog-body").prepend(media);
  }
}

// What was asked for besides, as `ledger show` prints it.
function optionsOf(row) {
  return Object.entries(row.options ?? {}).map(([name, value]) => {
    if (value === true) return name;
    return `${name} ${name === "limitRate" ? `${size(value)}/s` : [value].flat().join(" ")}`;
  }).join(", ");
}

function link(url) {
  const href = safeLink(url);
  return href ? h("a", { href, target: "_blank", rel: "noopener noreferrer", text: url }) : h("span", { text: url });
}

function facts(list, pairs) {
  const known = pairs.filter(([, value]) => value !== null && value !== undefined && value !== "" && value !== false);
  const key = known.map(([name, value]) => `${name}:${value.textContent ?? value}`).join("\n");
  if (list.dataset.key === key) return;
  list.dataset.key = key;
  put(list, known.map(([name, value]) => h("div", {}, h("dt", { text: name }), h("dd", {}, value))));
}

async function nextInGroup(row, place, view) {
  try {
    const { items } = await get(withQuery("/v1/library", { group: row.group, filter: "downloaded", limit: 1000 }));
    // By its place in the list that it came from, else by when it was published or added: oldest first.
    const list = items.filter((item) => item.download).reverse();
    if (list.every((item) => item.order !== null)) list.sort((one, other) => one.order - other.order);
    const next = list[list.findIndex((item) => item.download.id === row.id) + 1];
    if (!next) return;
    put(place, "Next in ", h("b", { text: row.group }), ": ",
      h("a", { href: `#/${view}/${next.download.id}`, text: next.title }));
  } catch (error) { complain(error); }
}

function story(row, isOpen) {
  const box = h("div", {});
  const element = h("details", { class: "more" }, h("summary", { text: "What happened to it" }), box);
  const load = () => attempt(async () => { put(box, timeline(await get(`/v1/downloads/${row.id}/explain`))); });
  element.addEventListener("toggle", () => { if (element.open) load(); });
  if (isOpen) element.open = true;
  return element;
}
