// Keys of a row that has the focus itself, or one of its buttons.

import { act, moveTo } from "./actions.js";
import { nameOf } from "./format.js";
import { mainAction } from "./row.js";
import { store } from "./store.js";
import { isEnd } from "./words.js";

/** Does what a key means in a list of rows. */
export function rowKeys(event) {
  const element = event.target.closest("li[data-id]");
  if (!element || event.altKey || event.ctrlKey || event.metaKey || event.defaultPrevented) return;
  const rows = [...event.currentTarget.querySelectorAll("li[data-id]")];
  const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
  const row = store.rows.get(Number(element.dataset.id));
  if (step) {
    event.preventDefault();
    rows[rows.indexOf(element) + step]?.focus();
  } else if (!row || event.target !== element) {
    return;
  } else if (event.key === "Enter") {
    element.querySelector("a").click();
  } else if (event.key === " ") {
    event.preventDefault();
    const action = mainAction(row.state);
    if (action) act(row, action);
  } else if (event.key === "Delete") {
    element.querySelector(".row-tools button:last-child").click();
  } else if ((event.key === "+" || event.key === "-") && !isEnd(row.state)) {
    const priority = row.priority + (event.key === "+" ? 1 : -1);
    moveTo(row, { priority }, `${nameOf(row)}: priority ${priority}.`);
  }
}
