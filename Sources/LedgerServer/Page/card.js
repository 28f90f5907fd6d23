// One item of the library as a card.

import { act, del } from "./actions.js";
import { h, setAttr, setText, show } from "./dom.js";
import { clock, nameOf, safeLink, setTime, size } from "./format.js";
import { icon, setIcon } from "./icons.js";
import { takeEntries } from "./listings.js";
import { rangesBar } from "./ranges.js";
import { actionButton } from "./row.js";
import { KINDS, STATES, isEnd } from "./words.js";

/** Makes a card; `update(item)` shows how the item is now. */
export function makeCard() {
  let item = null;
  const picture = icon("other", "icon big");
  const cover = h("div", { class: "cover" }, picture);
  const image = h("img", { alt: "", loading: "lazy", decoding: "async", referrerpolicy: "no-referrer",
    class: "absent" });
  // An image that is not drawn at all would never be fetched: it is only seen through until it is there.
  image.addEventListener("load", () => image.classList.remove("absent"));
  image.addEventListener("error", () => image.classList.add("absent"));
  const length = h("span", { class: "cover-note" });
  cover.append(image, length);
  const name = h("a", { class: "card-name" });
  const words = h("span", {});
  const when = h("time", {});
  const meta = h("p", { class: "row-meta" }, words, when);
  const here = h("span", { class: "here" }, icon("here"), h("span", { text: "On this machine" }));
  const badge = h("span", { class: "badge" });
  const bar = rangesBar();
  const fetchIt = h("button", { type: "button", class: "tool" }, icon("download"));
  fetchIt.addEventListener("click", () => takeEntries(item.entry.listing, [item.entry.guid]));
  const again = actionButton(() => act(item.download, "retry"));
  const end = actionButton((action) => (action === "cancel" ? act(item.download, "cancel") : del(item.download)));
  const element = h("li", { class: "item" }, cover,
    h("div", { class: "item-body" }, name, meta, bar.element,
      h("div", { class: "item-foot" }, here, badge, h("span", { class: "spring" }), fetchIt, again.element,
        end.element)));
  return {
    element,
    update(value) {
      item = value;
      const row = item.download;
      const state = row?.state ?? "available";
      const title = row ? nameOf(row) : item.title;
      element.dataset.id = row ? row.id : item.key;
      element.dataset.state = state;
      element.dataset.kind = item.kind;
      setText(name, title);
      setAttr(name, "href", `#/library/${row ? row.id : encodeURIComponent(item.key)}`);
      setIcon(picture, item.kind);
      const source = item.thumbnail?.startsWith("/files/") ? item.thumbnail : safeLink(item.thumbnail);
      if (source && image.getAttribute("src") !== source) image.src = source;
      setText(length, item.durationSeconds ? clock(item.durationSeconds) : "");
      show(length, Boolean(item.durationSeconds));
      const bytes = row?.size ?? item.length;
      const day = item.published ?? row?.completedAt;
      const parts = [KINDS[item.kind], bytes ? size(bytes) : null, item.group].filter(Boolean);
      setText(words, parts.join(" · ") + (day ? " · " : ""));
      show(when, Boolean(day));
      if (day) setTime(when, day, { day: true });
      show(here, state === "completed");
      show(badge, state !== "completed");
      setText(badge, STATES[state] ?? state);
      if (row && !isEnd(state)) bar.update(row, title);
      else show(bar.element, false);
      show(fetchIt, !row || state === "deleted");
      setAttr(fetchIt, "aria-label", `Download ${title}`);
      setAttr(fetchIt, "title", "Download");
      again.update(["failed", "missing", "altered", "cancelled"].includes(state) ? "retry" : null, title);
      end.update(!row || state === "deleted" ? null : isEnd(state) ? "delete" : "cancel", title);
    },
  };
}
