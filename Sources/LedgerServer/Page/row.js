// One download as a row of a list.

import { act, del } from "./actions.js";
import { h, setAttr, setText, show } from "./dom.js";
import { duration, host, moment, nameOf, rate, size } from "./format.js";
import { icon, setIcon } from "./icons.js";
import { rangesBar } from "./ranges.js";
import { KINDS, STATES, advice, isEnd, needsHelp } from "./words.js";

/** What the first button of a row does in a state. */
export function mainAction(state) {
  if (state === "paused") return "resume";
  if (["failed", "missing", "altered", "cancelled"].includes(state)) return "retry";
  return state === "completed" ? null : "pause";
}

export const ACTION_WORDS = { pause: "Pause", resume: "Resume", retry: "Retry", cancel: "Cancel", delete: "Delete" };

/** A button of a picture and a name that changes with its row. */
export function actionButton(run) {
  const picture = icon("pause");
  const element = h("button", { type: "button", class: "tool", on: { click: () => run(element.dataset.action) } },
    picture);
  return {
    element,
    update(action, name) {
      show(element, action !== null);
      if (action === null) return;
      element.dataset.action = action;
      setIcon(picture, action);
      setAttr(element, "aria-label", `${ACTION_WORDS[action]} ${name}`);
      setAttr(element, "title", ACTION_WORDS[action]);
    },
  };
}

/** Makes a row; `update(row, {canMove})` shows how the download is now. */
export function downloadRow(view = "now") {
  let current = null;
  const grip = h("button", { type: "button", class: "tool grip", title: "Drag, or Alt + up and down" }, icon("grip"));
  const kind = icon("other", "icon kind");
  const name = h("a", { class: "row-name" });
  const badge = h("span", { class: "badge" });
  const priority = h("span", { class: "tag" });
  const meta = h("p", { class: "row-meta" });
  const why = h("p", { class: "row-why" });
  const bar = rangesBar();
  const again = actionButton(() => act(current, "retry"));
  const main = actionButton((action) => act(current, action));
  const end = actionButton((action) => (action === "cancel" ? act(current, "cancel") : del(current)));
  const element = h("li", { class: "row", tabindex: -1 }, grip, kind,
    h("div", { class: "row-body" }, h("p", { class: "row-head" }, name, badge, priority), meta, bar.element, why),
    h("div", { class: "row-tools" }, again.element, main.element, end.element));
  return {
    element, grip,
    get row() { return current; },
    update(row, { canMove = false } = {}) {
      current = row;
      const title = nameOf(row);
      element.dataset.id = row.id;
      element.dataset.state = row.state;
      setText(name, title);
      setAttr(name, "href", `#/${view}/${row.id}`);
      setIcon(kind, row.kind);
      setAttr(kind, "data-kind", row.kind);
      setText(badge, STATES[row.state] ?? row.state);
      setText(priority, row.priority ? `priority ${row.priority}` : "");
      show(priority, row.priority !== 0);
      setText(meta, metaOf(row));
      setText(why, whyOf(row));
      show(why, why.textContent !== "");
      bar.update(row, title);
      show(grip, canMove);
      setAttr(grip, "aria-label", `Move ${title}`);
      again.update(row.state === "waiting" && row.error ? "retry" : null, title);
      main.update(mainAction(row.state), title);
      end.update(isEnd(row.state) ? "delete" : "cancel", title);
    },
  };
}

/** The figures of a row, in a line. */
export function metaOf(row) {
  const parts = [];
  if (row.state === "completed") {
    parts.push(size(row.size), KINDS[row.kind], row.completedAt && moment(row.completedAt));
  } else {
    parts.push(row.size ? `${size(row.received)} of ${size(row.size)}` : row.received ? size(row.received) : null);
    if (row.size && row.received) parts.push(`${Math.floor((row.received / row.size) * 100)} %`);
    if (row.state === "running") {
      parts.push(row.rate ? rate(row.rate) : null);
      if (row.rate && row.size) parts.push(`${duration((row.size - row.received) / row.rate)} left`);
      if (row.resumedFrom) parts.push(`went on from ${size(row.resumedFrom)}`);
    }
    if (row.state === "waiting" && row.retryAt) parts.push(`again at ${moment(row.retryAt)}`);
  }
  parts.push(host(row.url), row.group);
  return parts.filter(Boolean).join(" · ");
}

/** Why a row does not get on, and what to do. */
export function whyOf(row) {
  if (!row.error && !needsHelp(row.state)) return "";
  const message = row.error ? `${row.error.message}.`.replace(/\.\.$/, ".") : "";
  const first = message.charAt(0).toUpperCase() + message.slice(1);
  if (row.state === "running") return "";
  if (row.state === "waiting") return `${first} It is tried again by itself.`;
  if (row.state === "completed") return `${first} The file of before stands.`;
  return [first, needsHelp(row.state) ? advice(row) : ""].filter(Boolean).join(" ");
}
