// Says what was done, for eyes and for screen readers, and offers to undo it.

import { byId, h } from "./dom.js";
import { wordsOf } from "./api.js";
import { icon } from "./icons.js";

const SHORT_MS = 6000;
const UNDO_MS = 10000;
const TOASTS_MAX = 4;

/** Says something in the live region only. */
export function announce(text) {
  shelfOf();
  const region = byId("status");
  // The same words twice are news twice.
  region.textContent = "";
  setTimeout(() => { region.textContent = text; }, 30);
}

/** Shows a note; `undo` adds a button that calls it. */
export function toast(text, { undo = null, isError = false, isPassing = !isError } = {}) {
  const close = h("button", { type: "button", class: "plain", aria: { label: "Close this note" } }, icon("cancel"));
  const kind = isError ? "toast toast-error" : undo ? "toast" : "toast toast-news";
  const note = h("div", { class: kind, role: isError ? "alert" : null }, isError && icon("warn"), h("p", { text }));
  let timer = 0;
  const end = () => {
    clearTimeout(timer);
    const held = note.contains(document.activeElement);
    note.remove();
    if (held) byId("main").focus({ preventScroll: true });
  };
  if (undo) {
    note.append(h("button", {
      type: "button", class: "toast-undo", text: "Undo",
      on: { click: async () => { end(); await undo(); } },
    }));
  }
  close.addEventListener("click", end);
  note.append(close);
  const shelf = shelfOf();
  // News takes the place of older news, and the same words that of the old ones; what offers something stays.
  for (const old of [...shelf.children]) {
    if (old.matches(".toast-news:not(:hover, :focus-within)") || old.querySelector("p").textContent === text) old.remove();
  }
  shelf.append(note);
  while (shelf.children.length > TOASTS_MAX) shelf.firstElementChild.remove();
  if (!isError) announce(undo ? `${text} Undo is offered.` : text);
  // Who points at a note or stands in it reads it; errors stay until they are closed.
  const start = () => { if (isPassing) timer = setTimeout(end, undo ? UNDO_MS : SHORT_MS); };
  const hold = () => clearTimeout(timer);
  note.addEventListener("pointerenter", hold);
  note.addEventListener("focusin", hold);
  note.addEventListener("pointerleave", start);
  note.addEventListener("focusout", start);
  start();
}

// A dialog hides what stands beside it: notes and news go where they can be reached.
function shelfOf() {
  const open = [...document.querySelectorAll("dialog[open]")].pop();
  const shelf = byId("toasts");
  const home = open ?? document.body;
  if (shelf.parentElement !== home) home.append(byId("status"), shelf);
  return shelf;
}

/** Shows why something was not done. */
export const complain = (error) => {
  // That nothing answers is what the banner says for as long as it lasts.
  if (error?.name !== "AbortError") toast(wordsOf(error), { isError: true, isPassing: error instanceof TypeError });
};

/** Takes the notes of errors away, when what caused them is over. */
export function clearErrors() {
  for (const note of shelfOf().querySelectorAll(".toast-error")) note.remove();
}

/** Puts the notes back to the page, when a dialog closes. */
export const reshelve = () => shelfOf();

/** Does something, and shows why when it can not be done. @returns whether it was done. */
export async function attempt(work) {
  try {
    await work();
    return true;
  } catch (error) {
    complain(error);
    return false;
  }
}
