// The fourth view: what is followed, and what it offers.

import { arrange, byId, h, put, setAttr, setText, show, showMore, throttled } from "./dom.js";
import { counted, duration, moment, safeLink, size, time } from "./format.js";
import { icon } from "./icons.js";
import { entriesOf, followList, leave, listings, refreshList, takeEntries } from "./listings.js";
import { on } from "./store.js";
import { announce, attempt, complain, toast } from "./toast.js";
import { KINDS, STATES } from "./words.js";

const PAGE = 50;
/** Of so few, the entries are shown at once. */
const OPEN = 3;
const ABOUT = new Set(["followed", "unfollowed", "listed", "delisted", "refreshed", "taken", "completed", "deleted"]);

/** Builds the view into its section. */
export function buildFeeds(section) {
  const cards = new Map();
  const list = h("ul", { class: "feeds", aria: { label: "What is followed" } });
  const empty = h("p", { class: "empty", hidden: true, text: "Nothing is followed yet." });
  section.append(h("div", { class: "view-head" }, h("h1", { id: "feeds-title", tabindex: -1, text: "Feeds" })),
    h("div", { class: "columns" }, h("div", { class: "column-side after" }, followForm(() => load())),
      h("div", { class: "column-main" }, list, empty)));

  async function load() {
    try {
      const found = await listings();
      arrange(list, found.map((each) => {
        let card = cards.get(each.id);
        if (!card) cards.set(each.id, card = feedCard(load, found.length <= OPEN));
        card.update(each);
        return card.element;
      }));
      for (const id of cards.keys()) if (!found.some((each) => each.id === id)) cards.delete(id);
      show(empty, found.length === 0);
    } catch (error) { complain(error); }
  }

  const loadSoon = throttled(1500, () => { if (!section.hidden) load(); });
  on("events", (event) => { if (ABOUT.has(event.type)) loadSoon(); });
  return { open: load };
}

function followForm(done) {
  const field = (name, label, props = {}, hint = null) => h("label", { class: "field" }, h("span", { text: label }),
    h("input", { id: `feed-${name}`, name, autocomplete: "off", ...props }), hint && h("small", { text: hint }));
  const submit = h("button", { type: "submit", class: "primary", id: "feed-submit" }, icon("add"),
    h("span", { text: "Follow" }));
  const form = h("form", { class: "card add", aria: { labelledby: "follow-title" } },
    h("h2", { id: "follow-title", text: "Follow a feed" }),
    field("url", "Address", { type: "url", required: true, placeholder: "https://…" }),
    h("label", { class: "field" }, h("span", { text: "What it is" }), h("select", { name: "kind", id: "feed-kind" },
      h("option", { value: "feed", text: "Feed (RSS, Atom)" }),
      h("option", { value: "catalog", text: "Catalog (JSON)" }))),
    h("label", { class: "check" }, h("input", { type: "checkbox", name: "auto", id: "feed-auto" }),
      h("span", { text: "Download new entries by itself" })),
    h("details", { class: "more" }, h("summary", { text: "Options" }), h("div", { class: "fields" },
      field("keep", "Keep the newest", { type: "number", min: 1 }, "files; empty for all"),
      field("every", "Read it every", { placeholder: "1h" }, "such as 30m, 6h, 1d"),
      field("filter", "Only titles like", {}, "a regular expression"),
      field("group", "Group"), field("dir", "Folder", { placeholder: "the usual one" }))), submit);
  form.addEventListener("submit", async (event) => {
    event.preventDefault();
    const value = (name) => form.elements[name].value.trim();
    const order = { url: value("url"), auto: form.elements.auto.checked };
    for (const name of ["every", "filter", "group", "dir"]) if (value(name)) order[name] = value(name);
    if (value("keep")) order.keep = Number(value("keep"));
    submit.disabled = true;
    const isDone = await attempt(async () => {
      const row = await followList(value("kind"), order);
      toast(row.error ? `It is followed, though it could not be read: ${row.error.message}.`
        : `${row.title ?? row.source} is followed.`,
        { isError: Boolean(row.error) });
    });
    submit.disabled = false;
    if (!isDone) return;
    form.reset();
    form.elements.url.focus();
    done();
  });
  return form;
}

function feedCard(reload, isOpen) {
  let [feed, offset, seen] = [null, null, ""];
  const title = h("h2", {});
  const source = h("p", { class: "row-meta" });
  const facts = h("p", { class: "row-meta" });
  const why = h("p", { class: "row-why" });
  const entries = h("ul", { class: "plain-list" });
  const more = h("button", { type: "button", class: "wide", text: "Show more", hidden: true });
  const button = (text, picture, run) => h("button", { type: "button", class: "small", on: { click: run } },
    icon(picture), h("span", { text }));
  const fresh = button("Refresh", "retry", () => attempt(async () => {
    fresh.disabled = true;
    try { feed = await refreshList(feed); } finally { fresh.disabled = false; }
    announce(feed.error ? `It could not be read: ${feed.error.message}.`
      : `${feed.title ?? feed.source} was read: ${counted(feed.entries, "entry", "entries")}.`);
    fresh.focus({ preventScroll: true });
    reload();
  }));
  const all = button("Download all", "download", () => takeEntries(feed.id, null).then(reload));
  const gone = button("Remove", "delete", () => attempt(async () => {
    if (!confirm(`Follow “${feed.title ?? feed.source}” no longer? Its files stay.`)) return;
    await leave(feed);
    toast(`${feed.title ?? feed.source} is followed no longer. Its files stay.`);
    await reload();
    if (document.activeElement === document.body) byId("feeds-title").focus({ preventScroll: true });
  }));
  const details = h("details", { class: "more" }, h("summary", {}), entries, more);
  const element = h("li", { class: "card feed" }, h("div", { class: "part-head" }, title,
    h("div", { class: "part-tools" }, fresh, all, gone)),
    source, facts, why, details);

  async function load(from) {
    await attempt(async () => {
      // Read anew, as many are shown as were.
      const count = from === 0 ? Math.min(1000, Math.max(PAGE, entries.children.length)) : PAGE;
      const page = await entriesOf(feed, from, count);
      const held = entries.contains(document.activeElement) ? document.activeElement.closest("li")?.dataset.guid : null;
      if (from === 0) put(entries);
      entries.append(...page.entries.map((entry) => entryRow(feed, entry)));
      if (held) entries.querySelector(`[data-guid="${CSS.escape(held)}"] a`)?.focus({ preventScroll: true });
      if (!entries.children.length) entries.append(h("li", { class: "empty", text: "It offers nothing." }));
      offset = page.next;
      showMore(more, entries, offset !== null);
    });
  }
  details.addEventListener("toggle", () => { if (details.open) load(0); });
  more.addEventListener("click", () => load(offset));
  if (isOpen) details.open = true;
  return {
    element,
    update(row) {
      feed = row;
      element.dataset.id = row.id;
      const name = row.title ?? row.source;
      setText(title, name);
      for (const [each, words] of [[fresh, "Refresh"], [all, "Download all of"], [gone, "Remove"]]) {
        setAttr(each, "aria-label", `${words} ${name}`);
      }
      const href = safeLink(row.source);
      put(source, row.kind === "feed" ? "Feed, " : "Catalog, ",
        href ? h("a", { href, target: "_blank", rel: "noopener noreferrer", text: row.source }) : row.source);
      setText(facts, [
        counted(row.entries, "entry", "entries"), `${counted(row.downloaded, "file")} here`,
        `every ${duration(row.intervalSeconds)}`,
        row.auto ? "downloads by itself" : null, row.keep ? `keeps the newest ${row.keep}` : null,
        row.filter ? `only ${row.filter}` : null,
        row.group, row.refreshedAt ? `read ${moment(row.refreshedAt)}` : null, `next ${moment(row.nextAt)}`,
      ].filter(Boolean).join(" · "));
      show(why, Boolean(row.error));
      if (row.error) {
        setText(why, `It could not be read: ${row.error.message}. Check the address; it is tried again by itself.`);
      }
      setText(details.firstChild, `Entries (${row.entries})`);
      const key = `${row.entries}/${row.downloaded}/${row.refreshedAt}`;
      if (details.open && key !== seen) load(0);
      seen = key;
    },
  };
}

function entryRow(feed, entry) {
  const name = entry.title ?? entry.url;
  const isHere = entry.state === "completed";
  const isFree = entry.state === "available" || entry.state === "deleted" || entry.state === "cancelled";
  const key = entry.download && entry.state !== "deleted" ? entry.download.id : `l${entry.listing}:${entry.guid}`;
  return h("li", { data: { state: entry.state, guid: entry.guid } }, icon(entry.kind, "icon kind"),
    h("div", {}, h("a", { href: `#/feeds/${encodeURIComponent(key)}`, text: name }),
      h("p", { class: "row-meta" }, [KINDS[entry.kind], entry.length && size(entry.length),
        entry.durationSeconds && duration(entry.durationSeconds)]
        .filter(Boolean).join(" · "), entry.published && [" · ", time(entry.published, { day: true })])),
    isHere ? h("span", { class: "here" }, icon("here"), h("span", { text: "On this machine" }))
      : h("span", { class: "badge", text: STATES[entry.state] ?? entry.state }),
    isFree && h("button", {
      type: "button", class: "tool", title: "Download", aria: { label: `Download ${name}` },
      on: { click: (event) => {
        // Who holds the focus stays in the list when the button goes.
        event.currentTarget.closest("li").querySelector("a").focus({ preventScroll: true });
        event.currentTarget.disabled = true;
        takeEntries(feed.id, [entry.guid]);
      } },
    }, icon("download")));
}
