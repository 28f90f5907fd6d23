// Changes parts of an order: what it is called, where it belongs, how fast and how soon.

import { change } from "./actions.js";
import { byId, h, setText } from "./dom.js";
import { nameOf } from "./format.js";
import { store } from "./store.js";
import { isEnd } from "./words.js";

/** The form of a download; it is shown on demand. */
export function editor(row) {
  const field = (name, label, value, props = {}) => h("label", { class: "field" }, h("span", { text: label }),
    h("input", { name, value: value ?? "", autocomplete: "off", ...props }));
  const isLive = !isEnd(row.state);
  const limit = () => String(row.options?.limitRate ?? "");
  const form = h("form", { class: "fields" }, field("title", "Title", row.title), field("group", "Group", row.group),
    field("tags", "Tags", row.tags.join(", ")), field("details", "Details", row.details),
    isLive && field("priority", "Priority", row.priority, { type: "number", step: 1 }),
    isLive && field("limitRate", "Highest rate", limit(), { placeholder: "bytes a second, such as 2M" }),
    h("button", { type: "submit", class: "plain-button", text: "Save" }));
  form.addEventListener("submit", async (event) => {
    event.preventDefault();
    const parts = {};
    const value = (name) => form.elements[name]?.value.trim() ?? "";
    for (const name of ["title", "group", "details"]) if (value(name) !== (row[name] ?? "")) parts[name] = value(name);
    const tags = value("tags").split(",").map((tag) => tag.trim()).filter(Boolean);
    if (tags.join() !== row.tags.join()) parts.tags = tags;
    const priority = Number(value("priority"));
    if (isLive && value("priority") !== "" && priority !== row.priority) parts.priority = priority;
    if (isLive && value("limitRate") !== limit()) parts.limitRate = value("limitRate") || "0";
    if (Object.keys(parts).length && await change(row, parts)) {
      row = store.rows.get(row.id) ?? row;
      setText(byId("detail-title"), nameOf(row));
    }
  });
  return h("details", { class: "more" }, h("summary", { text: "Change" }), form);
}
