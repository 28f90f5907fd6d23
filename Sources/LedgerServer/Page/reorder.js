// Puts the queue into order: by dragging, by touch, and by the keyboard.

import { moveTo } from "./actions.js";
import { counted, nameOf } from "./format.js";
import { store } from "./store.js";
import { announce } from "./toast.js";

/** How close to the edge of the window a drag scrolls, in pixels. */
const EDGE = 70;
/** How long the keyboard may rest before a move is sent, in milliseconds. */
const REST_MS = 350;

/**
 * Lets rows of a list be moved. `ids()` are the rows shown, `redraw(ids)` shows them in another order until the
 * ledger has answered.
 */
export function reorderable(list, { ids, redraw }) {
  const pending = new Map();

  list.addEventListener("keydown", (event) => {
    const row = event.target.closest("li[data-id]");
    const isGrip = event.target.closest(".grip");
    if (!row || !["ArrowUp", "ArrowDown", "Home", "End"].includes(event.key)) return;
    if (!event.altKey && !isGrip) return;
    event.preventDefault();
    event.stopPropagation();
    const order = ids();
    const id = Number(row.dataset.id);
    const from = order.indexOf(id);
    const to = { ArrowUp: from - 1, ArrowDown: from + 1, Home: 0, End: order.length - 1 }[event.key];
    if (from < 0 || to < 0 || to >= order.length || to === from) return;
    const next = moved(order, from, to);
    redraw(next);
    announce(`Place ${to + 1} of ${order.length}`);
    clearTimeout(pending.get(id));
    pending.set(id, setTimeout(() => {
      pending.delete(id);
      settle(id, ids());
    }, REST_MS));
  });

  list.addEventListener("pointerdown", (event) => {
    const grip = event.target.closest(".grip");
    if (!grip || event.button !== 0) return;
    event.preventDefault();
    grip.focus({ preventScroll: true });
    const before = [...list.children].map((each) => Number(each.dataset.id));
    drag(list, grip.closest("li"), event, (from, to) => {
      const now = ids();
      const next = from === to ? now : dropped(before[from], moved(before, from, to), now);
      redraw(next);
      if (next !== now) settle(before[from], next);
    });
  });
}

function moved(order, from, to) {
  const next = [...order];
  next.splice(to, 0, ...next.splice(from, 1));
  return next;
}

// What began to run or ended during a drag is in the list no more, and others may have come: the row that was dragged
// goes next to those that it was dropped between, as far as they are still there.
function dropped(id, order, now) {
  if (!now.includes(id)) {
    announce("It is in the queue no longer.");
    return now;
  }
  const place = order.indexOf(id);
  const rest = now.filter((each) => each !== id);
  const above = order.slice(0, place).reverse().find((each) => rest.includes(each));
  const below = order.slice(place + 1).find((each) => rest.includes(each));
  rest.splice(above !== undefined ? rest.indexOf(above) + 1 : Math.max(0, rest.indexOf(below)), 0, id);
  return rest;
}

// Tells the ledger where a row stands now: next to whom, since the places of all change whenever one begins to run. A
// row whose priority fits between those of its neighbours keeps it; else it takes one of theirs.
async function settle(id, shown) {
  const row = store.rows.get(id);
  const place = shown.indexOf(id);
  if (!row || place < 0) return;
  const above = store.rows.get(shown[place - 1]);
  const below = store.rows.get(shown[place + 1]);
  const fits = (above?.priority ?? Infinity) >= row.priority && (below?.priority ?? -Infinity) <= row.priority;
  const beside = [below && { before: below.id }, above && { after: above.id }].filter(Boolean);
  const places = fits ? [above?.priority === row.priority && { after: above.id },
    below?.priority === row.priority && { before: below.id }].filter(Boolean) : beside;
  if (!places.length) return;
  const words = fits ? "" : `, priority ${(below ?? above).priority}`;
  await moveTo(row, places,
    `${nameOf(row)} moved to place ${place + 1} of ${counted(shown.length, "download")}${words}.`);
}

function drag(list, row, start, done) {
  const rows = [...list.children];
  const from = rows.indexOf(row);
  const boxes = rows.map((each) => each.getBoundingClientRect());
  const scroll = () => document.scrollingElement.scrollTop;
  const [startY, startScroll] = [start.clientY, scroll()];
  const end = document.scrollingElement.scrollHeight;
  const step = boxes[from].height + (rows.length > 1 ? Math.max(0, boxes[1].top - boxes[0].bottom) : 0);
  let [to, lastY, frame] = [from, start.clientY, 0];
  row.classList.add("dragged");
  list.classList.add("dragging");

  const draw = () => {
    const offset = lastY - startY + scroll() - startScroll;
    row.style.setProperty("transform", `translateY(${offset}px)`);
    const middle = boxes[from].top + boxes[from].height / 2 + offset;
    to = from;
    boxes.forEach((box, index) => {
      const center = box.top + box.height / 2;
      if (index < from && middle < center) to = Math.min(to, index);
      if (index > from && middle > center) to = Math.max(to, index);
    });
    rows.forEach((each, index) => {
      if (each === row) return;
      const shift = index > from && index <= to ? -step : index < from && index >= to ? step : 0;
      each.style.setProperty("transform", shift ? `translateY(${shift}px)` : "");
    });
  };
  const crawl = () => {
    const over = lastY < EDGE ? lastY - EDGE : lastY > innerHeight - EDGE ? lastY - innerHeight + EDGE : 0;
    // Who took a row at the edge and moves away from it does not want to scroll.
    const speed = over < 0 === lastY < startY ? over : 0;
    // Not beyond what there was: a row that is held below the page makes the page longer.
    const by = Math.min(speed / 5, end - innerHeight - scroll());
    if (speed < 0 || by > 0) {
      scrollBy(0, by);
      draw();
    }
    frame = requestAnimationFrame(crawl);
  };
  const follow = (event) => {
    if (event.pointerId !== start.pointerId) return;
    lastY = event.clientY;
    draw();
  };
  const finish = (isDone) => {
    cancelAnimationFrame(frame);
    for (const [name, call] of calls) removeEventListener(name, call, true);
    for (const each of rows) each.style.removeProperty("transform");
    row.classList.remove("dragged");
    list.classList.remove("dragging");
    if (isDone) done(from, to);
  };
  const calls = [
    ["pointermove", follow],
    ["pointerup", (event) => event.pointerId === start.pointerId && finish(true)],
    ["pointercancel", (event) => event.pointerId === start.pointerId && finish(false)],
    ["keydown", (event) => {
      if (event.key !== "Escape") return;
      event.preventDefault();
      event.stopPropagation();
      finish(false);
    }],
  ];
  for (const [name, call] of calls) addEventListener(name, call, true);
  frame = requestAnimationFrame(crawl);
}
