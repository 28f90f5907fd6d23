// What people do to downloads.

import { patch, post, remove, sentences, withQuery } from "./api.js";
import { count, counted, nameOf } from "./format.js";
import { refreshSoon, take } from "./store.js";
import { announce, attempt, toast } from "./toast.js";

const DONE = {
  pause: "paused", resume: "resumed", retry: "will be tried again", cancel: "cancelled", pin: "stays",
    unpin: "may be evicted",
};

/** Pauses, resumes, retries, cancels, pins or unpins one download. */
export function act(row, action) {
  return attempt(async () => {
    const name = nameOf(row);
    take(await post(`/v1/downloads/${row.id}/${action}`));
    const text = `${name}: ${DONE[action]}.`;
    if (action === "cancel") toast(text, { undo: () => undo(row) });
    else announce(text);
    refreshSoon();
  });
}

/** Deletes a download; its file goes to the trash, from which Undo brings it back. */
export function del(row, file = "trash") {
  return attempt(async () => {
    take(await remove(withQuery(`/v1/downloads/${row.id}`, { file })));
    const where = row.state === "completed" && file === "trash" ? " Its file is in the trash." : "";
    toast(`${nameOf(row)}: deleted.${where}`, { undo: () => undo(row) });
    refreshSoon();
  });
}

/** Takes back what was last done to a download. */
function undo(row) {
  return attempt(async () => {
    take(await post(`/v1/downloads/${row.id}/undo`));
    toast(`${nameOf(row)}: undone.`);
    refreshSoon();
  });
}

/**
 * Moves a download in the queue: `{to: index | "first" | "last"}`, `{priority}`, `{before: id}` or `{after: id}`. Of
 * several places the first counts that is still there.
 */
export function moveTo(row, placements, text) {
  return attempt(async () => {
    take(await firstOf([placements].flat(), (placement) => post(`/v1/downloads/${row.id}/move`, placement)));
    if (text) announce(text);
    refreshSoon();
  });
}

async function firstOf(list, call) {
  for (const [index, each] of list.entries()) {
    try { return await call(each); } catch (error) {
      // Refused: the other neighbour may be there yet.
      if (!error.status || index + 1 === list.length) throw error;
    }
  }
}

/** Changes parts of an order. */
export function change(row, parts) {
  return attempt(async () => {
    take(await patch(`/v1/downloads/${row.id}`, parts));
    toast(`${nameOf(row)}: saved.`);
    refreshSoon();
  });
}

/** Does one thing to many: `which` is `{ids}`, `{all: true}` or `{filter}`. */
export function actOnMany(action, which, { done, parts = {}, canUndo = false }) {
  return attempt(async () => {
    const answer = await post("/v1/actions", { action, ...which, ...parts });
    const ids = answer.downloads.map((item) => item.id);
    const refused = answer.refused.length
      ? ` ${count(answer.refused.length)} not: ${sentences(answer.refused[0].detail)}` : "";
    const text = ids.length ? `${counted(ids.length, "download")} ${done}.${refused}`
      : refused.trim() || "There was nothing to do.";
    toast(text, { undo: canUndo && ids.length ? () => undoMany(ids) : null });
    refreshSoon();
  });
}

/** How many undos are under way at once. */
const LANES = 6;

async function undoMany(ids) {
  const left = [...ids];
  let failed = 0;
  if (ids.length > LANES) toast(`${counted(ids.length, "download")} are being brought back.`);
  const lane = async () => {
    for (let id = left.shift(); id !== undefined; id = left.shift()) {
      try { take(await post(`/v1/downloads/${id}/undo`)); } catch { failed += 1; }
    }
  };
  await Promise.all(Array.from({ length: LANES }, lane));
  toast(`${counted(ids.length - failed, "download")} brought back${failed ? `, ${count(failed)} not` : ""}.`,
    { isError: failed > 0 });
  refreshSoon();
}

/** Adds downloads. @returns `{added, refused: [{index, detail, cause, next}]}`. */
export async function add(items) {
  let [added, refused] = [[], []];
  for (let start = 0; start < items.length; start += ADD_MAX) {
    const part = items.slice(start, start + ADD_MAX);
    try {
      const answer = await post("/v1/downloads", part);
      added = added.concat(answer.downloads);
      refused = refused.concat(answer.refused.map((item) => ({ ...item, index: item.index + start })));
    } catch (error) {
      if (!error.status) throw error;
      const list = error.refused.length ? error.refused
        : part.map((_, index) => ({ index, detail: error.message, cause: error.cause, next: error.next }));
      if (error.status === 401 || error.status === 403) throw error;
      refused = refused.concat(list.map((item) => ({ ...item, index: item.index + start })));
    }
  }
  refreshSoon();
  return { added, refused };
}

/** The most that one request takes. */
const ADD_MAX = 2000;
