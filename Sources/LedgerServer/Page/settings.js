// The fifth view: limits, the token, the keys, and what runs here.

import { ask, get, patch } from "./api.js";
import { h, put, setText, show } from "./dom.js";
import { counted, rate, size, time, typed } from "./format.js";
import { keysAreOn, setKeys } from "./keys.js";
import { askForToken, forgetData } from "./session.js";
import { attempt, toast } from "./toast.js";

/** Builds the view into its section. */
export function buildSettings(section) {
  const jobs = input("jobs", "Downloads at once", { type: "number", min: 1, max: 1024, required: true });
  const perHost = input("perHost", "Of one host at once", { type: "number", min: 1, max: 1024, required: true });
  const maxRate = input("maxRate", "Highest rate of all", { placeholder: "no limit" },
    "bytes a second, such as 10M; empty for no limit");
  const limits = h("form", { class: "card", aria: { labelledby: "limits-title" } },
    h("h2", { id: "limits-title", text: "Limits" }),
    h("p", { class: "hint", text: "They hold until the program ends; the configuration says what it begins with." }),
    h("div", { class: "fields" }, jobs.element, perHost.element, maxRate.element),
    h("button", { type: "submit", class: "primary", text: "Save" }));
  limits.addEventListener("submit", (event) => {
    event.preventDefault();
    attempt(async () => {
      drawLimits(await patch("/v1/limits", {
        jobs: Number(jobs.field.value), perHost: Number(perHost.field.value),
          maxRate: maxRate.field.value.trim() || null,
      }));
      toast("The limits are saved.");
    });
  });

  const access = h("p", {});
  const enter = h("button", { type: "button", class: "plain-button", text: "Enter a token",
    on: { click: () => askForToken() } });
  const leave = h("button", { type: "button", class: "plain-button", text: "Forget the token",
    on: { click: () => attempt(async () => {
    await ask("DELETE", "/v1/session");
    await forgetData();
    location.reload();
  }) } });
  const keys = h("input", { type: "checkbox", id: "keys-on" });
  keys.addEventListener("change", () => { setKeys(keys.checked); toast(keys.checked ? "Single keys work."
    : "Single keys do nothing."); });
  const facts = h("dl", { class: "facts" });

  section.append(h("div", { class: "view-head" }, h("h1", { id: "settings-title", tabindex: -1, text: "Settings" })),
    h("div", { class: "settings" }, limits,
      h("section", { class: "card", aria: { labelledby: "access-title" } },
        h("h2", { id: "access-title", text: "Access" }), access,
        h("div", { class: "button-row" }, enter, leave)),
      h("section", { class: "card", aria: { labelledby: "keys-title" } }, h("h2", { id: "keys-title", text: "Keys" }),
        h("label", { class: "check" }, keys, h("span", { text: "Single keys do things; ? shows which" }))),
      h("section", { class: "card", aria: { labelledby: "about-title" } },
        h("h2", { id: "about-title", text: "This ledger" }), facts)));

  function drawLimits(now) {
    jobs.field.value = now.jobs;
    perHost.field.value = now.perHost;
    maxRate.field.value = now.maxRate ? typed(now.maxRate) : "";
  }

  async function load() {
    keys.checked = keysAreOn();
    await attempt(async () => {
      const [session, status, limit, log] = await Promise.all([get("/v1/session"), get("/v1/status"), get("/v1/limits"),
        get("/v1/log")]);
      drawLimits(limit);
      setText(access, session.required ? `This browser may ${SCOPES[session.scope] ?? "do nothing yet"}.`
        : "No token is needed: only this machine is listened to. 'ledger token NAME' issues one.");
      show(enter, session.required);
      show(leave, session.required && session.scope !== null);
      put(facts, [
        ["Version", status.version], ["Running since", time(status.startedAt)], ["Process", String(status.processId)],
        ["Folder", h("code", { text: status.root })], ["Rate now", rate(status.rate)],
        ["Log", `${counted(log.last, "event")}, ${size(log.bytes)} in ${counted(log.segments, "file")}`],
          ["Identity", h("code", { text: log.identity })],
      ].map(([name, value]) => h("div", {}, h("dt", { text: name }), h("dd", {}, value))));
    });
  }
  return { open: load };
}

const SCOPES = { read: "look at everything and change nothing", write: "do everything but change limits",
  admin: "do everything" };

function input(name, label, props, hint = null) {
  const field = h("input", { name, id: `limit-${name}`, autocomplete: "off", ...props });
  return { field, element: h("label", { class: "field" }, h("span", { text: label }), field,
    hint && h("small", { text: hint })) };
}
