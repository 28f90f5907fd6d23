// Shows a finished file: plays it, turns its pages, or draws it. The place in a film or a piece is remembered.

import { h, setText } from "./dom.js";
import { clock, nameOf } from "./format.js";
import { icon } from "./icons.js";

/** A place this close to either end is not worth remembering, in seconds. */
const MARGIN = 5;
/** How often the place is written down, in milliseconds. */
const EVERY_MS = 2000;
const PREFIX = "place:";

/** Where the bytes of a finished download are. */
export const fileURL = (row) => `/files/${row.id}`;

/** Whether it is a PDF. */
export const isPDF = (item) =>
  item.mediaType === "application/pdf" || /\.pdf$/i.test(item.path ?? "") || /\.pdf(?:[?#]|$)/i.test(item.url ?? "");

/** The element that shows a finished file; null when a browser can not. */
export function viewer(row, { whenOver = () => {} } = {}) {
  if (row.state !== "completed") return null;
  const title = nameOf(row);
  if (row.kind === "video" || row.kind === "audio") return player(row, title, whenOver);
  if (isPDF(row)) {
    return h("div", { class: "viewer" }, h("iframe", { src: fileURL(row), title: `${title}, a PDF` }));
  }
  if (row.kind === "image") return h("div", { class: "viewer" },
    h("img", { src: fileURL(row), alt: title, class: "picture" }));
  return null;
}

function player(row, title, whenOver) {
  const media = h(row.kind, {
    src: fileURL(row), controls: true, preload: "metadata", playsinline: true, aria: { label: title },
  });
  const note = h("p", { class: "hint", role: "status" });
  const words = h("span", {});
  const again = h("button", {
    type: "button", class: "link", text: "From the start", hidden: true,
    on: { click: () => { media.currentTime = 0; forget(row); again.hidden = true; setText(words, ""); } },
  });
  note.append(words, " ", again);
  media.addEventListener("loadedmetadata", () => {
    const place = placeOf(row);
    if (place < MARGIN || place > media.duration - MARGIN) return;
    media.currentTime = place;
    setText(words, `Goes on at ${clock(place)}.`);
    again.hidden = false;
  }, { once: true });
  let written = 0;
  const write = (isNow) => {
    if (!isNow && Date.now() - written < EVERY_MS) return;
    written = Date.now();
    if (media.currentTime > MARGIN && media.currentTime < media.duration - MARGIN) remember(row, media.currentTime);
  };
  media.addEventListener("timeupdate", () => write(false));
  media.addEventListener("pause", () => write(true));
  media.addEventListener("seeked", () => write(true));
  media.addEventListener("ended", () => { forget(row); whenOver(); });
  media.addEventListener("error", () => {
    sayWhy(row, words);
  });
  media.addEventListener("play", () => {
    if (navigator.mediaSession && window.MediaMetadata) {
      navigator.mediaSession.metadata = new MediaMetadata({ title, artist: row.group ?? "" });
    }
  });
  const frame = row.kind === "audio" ? h("div", { class: "viewer audio" }, icon("audio", "icon big"), media)
    : h("div", { class: "viewer" }, media);
  return h("div", {}, frame, note);
}

// A browser tells no difference between a file that it can not play and one that it did not get.
async function sayWhy(row, words) {
  const answer = await fetch(fileURL(row), { method: "HEAD" }).catch(() => null);
  setText(words, answer?.status === 404 ? "The file is gone from the disk, or was changed there: Retry fetches it anew."
    : answer?.ok ? "This browser can not play the file. Save a copy to play it elsewhere."
      : "The file can not be had at the moment.");
}

/** Where somebody stopped, in seconds; 0 when nobody did. */
export function placeOf(row) {
  try { return Number(localStorage.getItem(PREFIX + row.digest)) || 0; } catch { return 0; }
}

// By what the file holds: another file of the same number has its own place.
function remember(row, seconds) {
  try { localStorage.setItem(PREFIX + row.digest, seconds.toFixed(1)); } catch { /* A private window keeps nothing. */ }
}

function forget(row) {
  try { localStorage.removeItem(PREFIX + row.digest); } catch { /* There was nothing. */ }
}
