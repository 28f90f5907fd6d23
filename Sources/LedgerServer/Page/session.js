// A token, when this ledger is opened with one.

import { post, wordsOf } from "./api.js";
import { h, setText, show } from "./dom.js";
import { tryNow } from "./events.js";
import { icon } from "./icons.js";
import { clearErrors, reshelve, toast } from "./toast.js";

let dialog = null;

/** Asks for a token, once however often it is called. */
export function askForToken() {
  if (dialog) return;
  const field = h("input", { type: "password", id: "token", name: "token", required: true,
    autocomplete: "current-password", aria: { describedby: "token-why" } });
  const why = h("p", { class: "row-why", id: "token-why", role: "alert", hidden: true });
  const submit = h("button", { type: "submit", class: "primary" }, icon("key"), h("span", { text: "Open" }));
  const form = h("form", { class: "dialog-body" },
    h("p", { class: "hint", text: "This ledger is opened with a token. 'ledger token NAME' issues one there." }),
    h("label", { class: "field" }, h("span", { text: "Token" }), field), why, submit);
  const box = dialog = h("dialog", { class: "dialog", id: "token-dialog", aria: { labelledby: "token-title" } },
    h("div", { class: "dialog-head" }, h("h2", { id: "token-title", text: "Enter a token" })), form);
  form.addEventListener("submit", async (event) => {
    event.preventDefault();
    submit.disabled = true;
    try {
      await post("/v1/session", { token: field.value.trim() });
      box.close();
      clearErrors();
      toast("Opened.");
      tryNow();
      dispatchEvent(new Event("hashchange"));
    } catch (error) {
      setText(why, error.status === 401 ? "This token is none of this ledger's." : wordsOf(error));
      show(why, true);
      field.focus();
      field.select();
    }
    submit.disabled = false;
  });
  box.addEventListener("close", () => { box.remove(); dialog = null; reshelve(); });
  document.body.append(box);
  box.showModal();
}

/** Forgets what was kept of the ledger's lists for when it can not be reached. */
export async function forgetData() {
  if (!window.caches) return;
  for (const name of await caches.keys()) if (name.startsWith("ledger-data")) await caches.delete(name);
}
