// What can be done with one download, as buttons with words.

import { act, del, moveTo } from "./actions.js";
import { byId, h } from "./dom.js";
import { icon } from "./icons.js";
import { fileURL } from "./player.js";
import { ACTION_WORDS, mainAction } from "./row.js";
import { isEnd } from "./words.js";

/** The buttons and links of a download in its state. */
export function tools(row, title) {
  const list = [];
  const main = mainAction(row.state);
  if (main) list.push(toolButton(ACTION_WORDS[main], main, "primary", () => act(row, main), title));
  if (row.state === "waiting" && row.error) list.push(toolButton("Retry", "retry", "", () => act(row, "retry"), title));
  if (row.state === "completed") {
    list.push(toolLink("Open in a new tab", "open", fileURL(row), { target: "_blank", rel: "noopener" }));
    list.push(toolLink("Save a copy", "download", `${fileURL(row)}?download=1`, { download: true }));
    list.push(row.pinned ? toolButton("Unpin", "pin", "", () => act(row, "unpin"), title)
      : toolButton("Pin", "pin", "", () => act(row, "pin"), title, "Keep it, whatever its group may hold"));
  }
  if (["queued", "waiting", "paused"].includes(row.state)) {
    list.push(toolButton("First", "up", "", () => moveTo(row, { to: "first" }, `${title} is the first now.`), title));
    list.push(toolButton("Last", "down", "", () => moveTo(row, { to: "last" }, `${title} is the last now.`), title));
  }
  if (isEnd(row.state)) list.push(toolButton("Delete", "delete", "danger",
    () => { byId("detail").close(); return del(row); }, title));
  else list.push(toolButton("Cancel", "cancel", "danger", () => act(row, "cancel"), title));
  return list;
}

/** A button with a picture and words; its full name has the item's. */
export function toolButton(text, picture, look, run, title, hint = null) {
  return h("button", {
    type: "button", class: look || "plain-button", title: hint, data: { name: text },
    aria: { label: `${text} ${title}` }, on: { click: run },
  }, icon(picture), h("span", { text }));
}

function toolLink(text, picture, href, props) {
  return h("a", { class: "button", href, data: { name: text }, ...props }, icon(picture), h("span", { text }));
}
