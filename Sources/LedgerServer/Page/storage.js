// What the library takes up on the disk, by group, and how to make room.

import { actOnMany } from "./actions.js";
import { get, putJSON, withQuery } from "./api.js";
import { h, put, setText, show, svg } from "./dom.js";
import { count, counted, size, typed } from "./format.js";
import { icon } from "./icons.js";
import { attempt, complain, reshelve, toast } from "./toast.js";

const WIDTH = 1000;
/** How many groups have a colour of their own; the rest share one. */
const COLOURS = 8;

/** Builds the part; `narrow(group)` shows a group in the library. */
export function buildStorage(narrow) {
  const sum = h("p", { class: "hint" });
  const picture = svg("svg", { class: "storage-bar", viewBox: `0 0 ${WIDTH} 30`, preserveAspectRatio: "none",
    role: "img" });
  const list = h("ul", { class: "storage-list" });
  const element = h("section", { class: "card storage", aria: { labelledby: "storage-title" } },
    h("h2", { id: "storage-title", text: "Storage" }), sum, picture, list);

  async function load() {
    try {
      const [storage, limits] = await Promise.all([get("/v1/storage"), get("/v1/groups")]);
      draw(storage, new Map(limits.groups.map((each) => [each.group, each])));
    } catch (error) { complain(error); }
  }

  function draw({ groups, bytes, files, free, trash }, limits) {
    show(element, files > 0 || limits.size > 0);
    setText(sum, `${size(bytes)} in ${counted(files, "file")}, ${size(free)} free`
      + (trash.files ? `; ${size(trash.bytes)} in the trash` : ""));
    let x = 0;
    put(picture, groups.map((each, index) => {
      const width = bytes ? (each.bytes / bytes) * WIDTH : 0;
      const rect = svg("rect", { x: x.toFixed(2), y: 0, width: Math.max(0, width - 2).toFixed(2), height: 30, rx: 3,
        class: colour(index) },
        svg("title", { text: `${each.group ?? "Without a group"}: ${size(each.bytes)}` }));
      x += width;
      return rect;
    }));
    const largest = groups.slice(0, 3).map((each) => `${each.group ?? "without a group"} ${size(each.bytes)}`);
    picture.setAttribute("aria-label", `Storage by group. The largest: ${largest.join(", ")}`);
    const held = list.contains(document.activeElement) ? document.activeElement.getAttribute("aria-label") : null;
    const empty = [...limits.values()].filter((each) => !groups.some((one) => one.group === each.group))
      .map((each) => ({ group: each.group, bytes: 0, files: 0 }));
    put(list, [...groups, ...empty].map((each, index) => line(each, index, limits.get(each.group))));
    if (held) list.querySelector(`[aria-label="${CSS.escape(held)}"]`)?.focus({ preventScroll: true });
  }

  function line(each, index, limit) {
    const name = each.group ?? "Without a group";
    const keeps = [limit?.newestMax && `the newest ${count(limit.newestMax)}`,
      limit?.sizeMax && `${size(limit.sizeMax)} at most`]
      .filter(Boolean).join(", ");
    return h("li", {}, svg("svg", { class: "swatch", viewBox: "0 0 10 10", "aria-hidden": "true" },
      svg("rect", { width: 10, height: 10, rx: 3, class: colour(index) })),
      h("span", { class: "storage-name" }, each.group ? h("button", {
        type: "button", class: "link", text: name, aria: { label: `Show group ${name}` },
          on: { click: () => narrow(each.group) },
      }) : name, keeps && h("small", { text: `keeps ${keeps}` })),
      h("span", { class: "storage-size", text: `${size(each.bytes)} · ${counted(each.files, "file")}` }),
      h("button", {
        type: "button", class: "small", aria: { label: `Clean up ${name}` },
          on: { click: () => cleanUp(each, limit, load) },
      }, icon("delete"), h("span", { text: "Clean up" })));
  }

  return { element, load };
}

const colour = (index) => `colour-${Math.min(index, COLOURS - 1)}`;

function cleanUp(each, limit, done) {
  const name = each.group ?? "files without a group";
  const dialog = h("dialog", { class: "dialog", aria: { labelledby: "clean-title" } });
  const close = () => dialog.close();
  const newest = h("input", { type: "number", min: 1, name: "newest", value: limit?.newestMax ?? "" });
  const most = h("input", { name: "size", placeholder: "such as 20G",
    value: limit?.sizeMax ? typed(limit.sizeMax) : "" });
  const keep = h("form", { class: "fields" },
    h("label", { class: "field" }, h("span", { text: "Keep the newest" }), newest,
      h("small", { text: "files; empty for all" })),
    h("label", { class: "field" }, h("span", { text: "Keep at most" }), most,
      h("small", { text: "bytes, with K, M, G or T; empty for no limit" })),
    h("button", { type: "submit", class: "plain-button", text: "Save the limits" }));
  keep.addEventListener("submit", async (event) => {
    event.preventDefault();
    const isDone = await attempt(() => putJSON(`/v1/groups/${encodeURIComponent(each.group)}`, {
      newestMax: newest.value ? Number(newest.value) : null, sizeMax: most.value.trim() || null,
    }));
    if (!isDone) return;
    close();
    toast(`${name}: the limits are saved. What is more is removed, the oldest first, but for what is pinned.`);
    done();
  });
  put(dialog,
    h("div", { class: "dialog-head" }, h("h2", { id: "clean-title", tabindex: -1, text: `Clean up ${name}` }),
      h("button", { type: "button", class: "tool", aria: { label: "Close" }, on: { click: close } }, icon("cancel"))),
    h("div", { class: "dialog-body" },
      each.group && [h("h3", { text: "Limits" }), h("p",
        { class: "hint", text: "The group is held to these from now on; files beyond them are removed for good." }),
          keep],
      h("h3", { text: "Delete what is finished" }),
      h("p", { class: "hint" }, `${counted(each.files, "file")}, ${size(each.bytes)}. `,
        "They go to the trash, and Undo brings them back."),
      h("button", {
        type: "button", class: "danger", disabled: each.files === 0,
        on: { click: async () => { close(); await deleteFinished(each.group); done(); } },
      }, icon("delete"), h("span", { text: `Delete ${counted(each.files, "file")}` }))));
  dialog.addEventListener("close", () => { dialog.remove(); reshelve(); });
  document.body.append(dialog);
  dialog.showModal();
}

async function deleteFinished(group) {
  const options = { done: "deleted", parts: { file: "trash" }, canUndo: true };
  if (group) return actOnMany("delete", { filter: { group, state: ["completed"] } }, options);
  const ids = [];
  await attempt(async () => {
    for (let cursor = ""; cursor !== null;) {
      const page = await get(withQuery("/v1/downloads", { state: "completed", limit: 1000, cursor }));
      ids.push(...page.downloads.filter((row) => row.group === null).map((row) => row.id));
      cursor = page.next;
    }
  });
  if (ids.length) await actOnMany("delete", { ids: ids.slice(0, 10000) }, options);
}
