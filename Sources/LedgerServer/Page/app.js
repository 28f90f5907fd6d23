// The page: its views, which of them is shown, and whether the ledger can be reached.

import { whenRefused } from "./api.js";
import { buildDetail, closeDetail, openDetail } from "./detail.js";
import { byId, h, put, schedule, setAttr, setText, show } from "./dom.js";
import { follow, lose, tryNow } from "./events.js";
import { buildFeeds } from "./feeds.js";
import { rate } from "./format.js";
import { buildHistory } from "./history.js";
import { icon } from "./icons.js";
import { listenToKeys, showKeys } from "./keys.js";
import { buildLibrary } from "./library.js";
import { buildNow } from "./now.js";
import { askForToken } from "./session.js";
import { buildSettings } from "./settings.js";
import { on, store } from "./store.js";
import { announce, toast } from "./toast.js";

const VIEWS = [
  ["now", "Now", buildNow], ["library", "Library", buildLibrary], ["history", "History", buildHistory],
  ["feeds", "Feeds", buildFeeds], ["settings", "Settings", buildSettings],
];
/** How long after the start the library is fetched ahead, in milliseconds. */
const AHEAD_MS = 3000;
const views = new Map();
let current = null;

for (const [name, title, build] of VIEWS) {
  const section = document.querySelector(`[data-view="${name}"]`);
  const tab = h("a", { href: `#/${name}`, class: "tab" }, icon(name), h("span", { text: title }));
  byId("tabs").append(h("li", {}, tab));
  views.set(name, { section, tab, title, ...(build(section) ?? {}) });
}
const detail = buildDetail(() => {
  if (route().key) history.replaceState(null, "", `#/${current}`);
});

// `#/view`, `#/view/item`, `#/view?at=7`.
function route() {
  const [path, query] = location.hash.replace(/^#\/?/, "").split("?");
  const [name, ...rest] = path.split("/");
  let key = rest.join("/");
  try { key = decodeURIComponent(key); } catch { key = ""; }
  return { name: views.has(name) ? name : "now", key, query: new URLSearchParams(query ?? "") };
}

function go() {
  const { name, key, query } = route();
  const isOther = name !== current;
  const view = views.get(name);
  if (isOther) {
    for (const [each, { section, tab }] of views) {
      show(section, each === name);
      setAttr(tab, "aria-current", each === name ? "page" : null);
    }
    const isFirst = current === null;
    current = name;
    document.title = `${view.title} – Ledger`;
    if (!isFirst) {
      scrollTo(0, 0);
      view.section.querySelector("h1").focus({ preventScroll: true });
    }
  }
  if (!key) closeDetail();
  if (isOther || !key && !detail.open) view.open?.(query);
  if (key) openDetail(name, key, { withStory: name === "history" });
}

const banner = byId("offline-banner");
let clock = 0;
let isAhead = false;
function lost(seconds) {
  if (banner.textContent.startsWith("A token")) show(banner, false);
  let left = seconds;
  const wait = h("span", { aria: { hidden: "true" } });
  const count = () => { setText(wait, left > 0 ? ` Next try in ${left} s.` : " Trying now…"); left -= 1; };
  clearInterval(clock);
  clock = setInterval(count, 1000);
  count();
  if (banner.hidden) {
    warn("Offline: ledger can not be reached.", "Try now", tryNow, wait);
  } else {
    banner.querySelector(":scope > span")?.replaceWith(wait);
  }
}

function warn(words, text, run, wait = null) {
  put(banner, icon("warn"), h("p", {}, h("b", { text: words }), " What is shown is what was known last."), wait,
    h("button", { type: "button", class: "plain-button", text, on: { click: run } }));
  show(banner, true);
  document.body.classList.add("offline");
}

// Who closes the dialog without a token still sees what is missing.
function needToken() {
  clearInterval(clock);
  warn("A token is needed.", "Enter a token", askForToken);
  askForToken();
}

function back() {
  clearInterval(clock);
  // The library is fetched ahead, once: so it is there offline, too, whether it was looked at or not.
  if (!isAhead) setTimeout(() => views.get("library").open(), AHEAD_MS);
  isAhead = true;
  if (banner.hidden) return;
  show(banner, false);
  document.body.classList.remove("offline");
  announce("Connected again.");
  views.get(current).open?.(route().query);
}

on("rows", () => schedule(drawNote));
on("figures", () => schedule(drawNote));
function drawNote() {
  const runs = store.running.size;
  setText(byId("side-note"), runs ? `${runs} running, ${rate(store.rate)}` : store.isLoaded ? "Idle" : "");
  const view = views.get(current);
  document.title = runs ? `${rate(store.rate)} – ${view.title} – Ledger` : `${view.title} – Ledger`;
}

byId("help-open").addEventListener("click", showKeys);
byId("skip").addEventListener("click", (event) => {
  event.preventDefault();
  byId("main").focus();
});
// Views are shown by their addresses, a moment later.
function goTo(name, field) {
  location.hash = `#/${name}`;
  setTimeout(() => byId(field).focus(), 60);
}

listenToKeys({
  go: (index) => { location.hash = `#/${VIEWS[index][0]}`; },
  search: () => (current === "now" ? byId("queue-search").focus() : goTo("library", "library-search")),
  add: () => goTo("now", "add-urls"),
});
whenRefused({ token: needToken, lost: lose, slow: () => toast("It takes a while, and goes on.") });
addEventListener("hashchange", go);
go();
follow({ lost, back, token: needToken, asleep: () => { document.title = `${views.get(current).title} – Ledger`; } });

if ("serviceWorker" in navigator) {
  navigator.serviceWorker.register("/app/worker.js", { scope: "/" })
    .catch(() => { /* The page works without it, but not offline. */ });
}
