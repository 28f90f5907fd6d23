// The box that takes links: typed, pasted, or dropped anywhere on the page.

import { add } from "./actions.js";
import { get, sentences } from "./api.js";
import { byId, h, put, show } from "./dom.js";
import { counted, nameOf } from "./format.js";
import { icon } from "./icons.js";
import { announce, attempt, toast } from "./toast.js";
import { STATES } from "./words.js";

/** The largest dropped text file, in bytes. */
const FILE_MAX = 4 << 20;
/** What is taken for a link; the ledger says which schemes it speaks. */
const LINK = /^[a-z][a-z0-9+.-]*:\/\/\S+$/i;
/** The most lines that could not be added that are told one by one. */
const TOLD_MAX = 20;

/** Links in a text, and what else stands in it. */
function linksIn(text) {
  const links = [], others = [];
  for (const line of text.split(/\r?\n/)) {
    if (!line.trim() || line.startsWith("#")) continue;
    const words = line.trim().split(/\s+/);
    const isAll = words.every((word) => LINK.test(word));
    // A link with a blank in it would be cut there, and lead elsewhere.
    if (isAll || !LINK.test(words[0])) for (const word of words) (LINK.test(word) ? links : others).push(word);
    else others.push(line.trim());
  }
  return { links, others };
}

/** Makes the form. */
export function addForm() {
  const area = h("textarea", {
    id: "add-urls", name: "urls", rows: 2, required: true, spellcheck: "false", autocapitalize: "off",
    autocomplete: "off", placeholder: "https://…  one link a line", aria: { describedby: "add-hint add-problems" },
  });
  const submit = h("button", { type: "submit", id: "add-submit", class: "primary" }, icon("add"),
    h("span", { text: "Add" }));
  const problems = h("div", { id: "add-problems", class: "problems", hidden: true });
  const options = optionFields();
  const form = h("form", { class: "card add", novalidate: true, aria: { labelledby: "add-heading" } },
    h("h2", { id: "add-heading", text: "Add downloads" }),
    h("label", { class: "label", for: "add-urls", text: "Links" }), area,
    h("p", { class: "hint", id: "add-hint", text: "Paste or drop as many as you like. Control + Enter adds them." }),
    problems,
    h("details", { class: "more" }, h("summary", { text: "Options" }), options.element), submit);

  const grow = () => {
    const lines = Math.min(12, Math.max(2, area.value.split("\n").length));
    if (area.rows !== lines) area.rows = lines;
    const found = linksIn(area.value).links.length;
    submit.lastElementChild.textContent = found > 1 ? `Add ${found.toLocaleString()}` : "Add";
  };
  area.addEventListener("input", grow);
  area.addEventListener("keydown", (event) => {
    if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) {
      event.preventDefault();
      form.requestSubmit();
    }
  });
  form.addEventListener("submit", async (event) => {
    event.preventDefault();
    submit.disabled = true;
    await attempt(() => send(area, options, problems));
    submit.disabled = false;
    grow();
  });
  acceptDrops((text) => {
    const { links } = linksIn(text);
    if (!links.length) return toast("There is no link in what was dropped.", { isError: true });
    area.value = [area.value.trim(), ...links].filter(Boolean).join("\n");
    grow();
    location.hash = "#/now";
    setTimeout(() => submit.focus(), 60);
    announce(`${counted(links.length, "link")} to be added.`);
  });
  return form;
}

async function send(area, options, problems) {
  const { links, others } = linksIn(area.value);
  show(problems, false);
  if (!links.length) {
    tellProblems(problems, [{ url: others[0] ?? "", words: "This is no link. Links begin with http:// or https://." }]);
    area.focus();
    return;
  }
  const shared = options.values(links.length === 1);
  const { added, refused } = await add(links.map((url) => ({ url, ...shared })));
  const again = added.filter((row) => row.joined);
  area.value = [...refused.map((item) => links[item.index]), ...others].join("\n");
  const told = refused.map((item) => ({
    url: links[item.index], words: sentences(item.detail, item.cause, item.next),
  })).concat(others.map((word) => ({ url: word, words: "This is no link and was left out." })));
  tellProblems(problems, told);
  if (added.length) {
    options.clear();
    const fresh = added.length - again.length;
    const known = again.length === 1 ? `${nameOf(again[0])} is known already: ${STATES[again[0].state].toLowerCase()}.`
      : again.length ? `${counted(again.length, "link")} known already.` : "";
    toast([fresh ? `${counted(fresh, "download")} added.` : "", known].filter(Boolean).join(" "));
  }
  if (told.length) area.focus();
}

function tellProblems(box, items) {
  show(box, items.length > 0);
  put(box, items.length ? h("p", { text: `${counted(items.length, "line")} could not be added:` }) : null,
    h("ul", {}, items.slice(0, TOLD_MAX).map((item) => h("li", {}, h("b", { text: item.url }), " ", item.words))),
    items.length > TOLD_MAX ? h("p", { text: `and ${items.length - TOLD_MAX} more` }) : null);
  if (items.length) announce(`${counted(items.length, "line")} could not be added. ${items[0].words}`);
}

function optionFields() {
  const field = (id, label, props, hint) => h("label", { class: "field" }, h("span", { text: label }),
    h("input", { id: `add-${id}`, name: id, autocomplete: "off", ...props }), hint && h("small", { text: hint }));
  const groups = h("datalist", { id: "add-groups" });
  const element = h("div", { class: "fields" },
    field("dir", "Folder", { placeholder: "the usual one" }),
    field("output", "File name", {}, "of a single link"),
    field("title", "Title", {}, "of a single link"),
    field("group", "Group", { list: "add-groups" }), groups,
    field("checksum", "Checksum", { placeholder: "sha-256=…" }, "of a single link"),
    field("limitRate", "Highest rate", { placeholder: "such as 2M" }, "bytes a second, with K, M or G"),
    field("priority", "Priority", { type: "number", step: 1, placeholder: "0" }, "the highest runs first"),
    field("notBefore", "Not before", { placeholder: "such as 2h" }, "a time from now, or a date"),
    h("label", { class: "check" }, h("input", { type: "checkbox", id: "add-paused", name: "paused" }),
      h("span", { text: "Start paused" })));
  element.addEventListener("focusin", () => {
    get("/v1/status").then((status) => put(groups, status.groups.map((name) => h("option", { value: name }))))
      .catch(() => { /* Without names to choose from, a group is typed. */ });
  }, { once: true });
  const input = (id) => element.querySelector(`#add-${id}`);
  return {
    element,
    values(isSingle) {
      const values = {};
      for (const id of ["dir", "group", "limitRate", "notBefore",
        ...(isSingle ? ["output", "title", "checksum"] : [])]) {
        const text = input(id).value.trim();
        if (text) values[id] = text;
      }
      if (input("priority").value !== "") values.priority = Number(input("priority").value);
      if (input("paused").checked) values.paused = true;
      return values;
    },
    clear() { for (const id of ["output", "title", "checksum"]) input(id).value = ""; },
  };
}

// Links and lists of links may be dropped wherever the pointer is, and pasted wherever nothing else takes text.
function acceptDrops(take) {
  const target = byId("drop-target");
  const carries = (event) => [...(event.dataTransfer?.types ?? [])]
    .some((type) => ["text/uri-list", "text/plain", "Files"].includes(type));
  let depth = 0;
  addEventListener("dragenter", (event) => {
    if (!carries(event)) return;
    depth += 1;
    show(target, true);
  });
  addEventListener("dragleave", () => {
    depth = Math.max(0, depth - 1);
    if (depth === 0) show(target, false);
  });
  addEventListener("dragover", (event) => {
    if (!carries(event)) return;
    event.preventDefault();
    event.dataTransfer.dropEffect = "copy";
  });
  addEventListener("drop", async (event) => {
    depth = 0;
    show(target, false);
    if (!carries(event)) return;
    event.preventDefault();
    const text = event.dataTransfer.getData("text/uri-list") || event.dataTransfer.getData("text/plain");
    const files = [...event.dataTransfer.files].filter((file) => file.size <= FILE_MAX);
    const lists = await Promise.all(files.map((file) => file.text().catch(() => "")));
    take([text, ...lists].join("\n"));
  });
  addEventListener("paste", (event) => {
    if (event.target.closest("input, textarea, [contenteditable]") || document.querySelector("dialog[open]")) return;
    const text = event.clipboardData?.getData("text/plain") ?? "";
    if (linksIn(text).links.length) take(text);
  });
}
