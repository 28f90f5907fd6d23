// The keys of the page, and the list of them.

import { byId, h } from "./dom.js";
import { icon } from "./icons.js";
import { reshelve } from "./toast.js";

const SETTING = "keys";

/** Whether single keys do things. Who speaks to the computer may want them off. */
export function keysAreOn() {
  try { return localStorage.getItem(SETTING) !== "off"; } catch { return true; }
}

/** Turns single keys on or off. */
export function setKeys(isOn) {
  try { localStorage.setItem(SETTING, isOn ? "on" : "off"); } catch { /* A private window keeps nothing. */ }
}

const LIST = [
  ["1 … 5", "Now, Library, History, Feeds, Settings"],
  ["n", "add downloads"],
  ["/", "search the library, or the queue in Now"],
  ["Up, Down", "go from row to row"],
  ["Alt + Up, Down", "move a row in the queue (also the arrows on its handle)"],
  ["Space", "on a row: pause, resume or retry"],
  ["+ and −", "on a row: raise or lower its priority"],
  ["Enter", "on a row: all about it"],
  ["Delete", "on a row: cancel or delete"],
  ["Control + Enter", "in the links: add them"],
  ["Escape", "close, or let a dragged row go back"],
  ["?", "this list"],
];

/** Shows the list. */
export function showKeys() {
  if (byId("help")) return;
  const dialog = h("dialog", { class: "dialog", id: "help", aria: { labelledby: "help-title" } },
    h("div", { class: "dialog-head" }, h("h2", { id: "help-title", tabindex: -1, text: "Keys" }),
      h("button", { type: "button", class: "tool", aria: { label: "Close" }, on: { click: () => dialog.close() } },
        icon("cancel"))),
    h("dl", { class: "dialog-body key-list" }, LIST.map(([key, words]) =>
      h("div", {}, h("dt", {}, h("kbd", { text: key })), h("dd", { text: words })))));
  dialog.addEventListener("close", () => { dialog.remove(); reshelve(); });
  dialog.addEventListener("click", (event) => { if (event.target === dialog) dialog.close(); });
  document.body.append(dialog);
  dialog.showModal();
}

/** Listens. `go(number)` opens a view, `search()` and `add()` put the cursor there. */
export function listenToKeys({ go, search, add }) {
  addEventListener("keydown", (event) => {
    if (event.defaultPrevented || event.ctrlKey || event.metaKey || event.altKey) return;
    if (event.target.closest("input, textarea, select, video, audio") || document.querySelector("dialog[open]")) return;
    if (!keysAreOn()) return;
    const does = { "?": showKeys, "/": search, n: add }[event.key];
    if (does) {
      event.preventDefault();
      does();
    } else if (/^[1-5]$/.test(event.key)) {
      go(Number(event.key) - 1);
    }
  });
}
