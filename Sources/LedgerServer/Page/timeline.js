// What happened to one download, from first to last.

import { h } from "./dom.js";
import { moment, time } from "./format.js";

/** How many reports of progress in a row are told one by one. */
const PROGRESS_MAX = 4;

/** A list of what `explain` told. */
export function timeline(story) {
  const items = [];
  for (let index = 0; index < story.lines.length;) {
    let end = index;
    while (end < story.lines.length && story.lines[end].type === "progressed") end += 1;
    if (end - index > PROGRESS_MAX) {
      items.push(item(story.lines[index]), fold(story.lines.slice(index + 1, end - 1)), item(story.lines[end - 1]));
      index = end;
    } else {
      items.push(item(story.lines[index]));
      index += 1;
    }
  }
  return h("div", { class: "story" }, h("ol", { class: "timeline" }, items),
    h("ul", { class: "ending" }, story.ending.map((words) => h("li", { text: words }))));
}

function item(line) {
  return h("li", { data: { type: line.type } },
    h("span", { class: "when" }, h("a", { href: `#/history?at=${line.seq}`, title: "Show everything as it was then",
      text: `${line.seq}` }),
      " ", time(line.time)),
    h("span", { text: line.words }));
}

function fold(lines) {
  const inner = h("ol", { class: "timeline" });
  const details = h("details", {}, h("summary", {
    text: `${lines.length} more reports of progress, up to ${moment(lines[lines.length - 1].time)}`,
  }), inner);
  details.addEventListener("toggle", () => { if (!inner.children.length) inner.append(...lines.map(item)); });
  return h("li", { class: "fold" }, details);
}
