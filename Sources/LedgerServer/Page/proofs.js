// What shows that the log is whole, and what keeps it so.

import { post } from "./api.js";
import { h, put } from "./dom.js";
import { counted } from "./format.js";
import { icon } from "./icons.js";
import { announce, complain } from "./toast.js";

const WHAT_IT_IS = "Verify reads the log again, with every checksum and root. "
  + "A checkpoint is what you can hold it against later.";
const KEEP_IT = "Keep it elsewhere: 'ledger verify --against FILE' shows later that nothing before it was changed.";

/** Builds the part. */
export function proofs() {
  const files = h("input", { type: "checkbox", id: "verify-files" });
  const result = h("div", { class: "result", role: "status" });
  const working = async (button, words, work) => {
    button.disabled = true;
    put(result, h("p", { class: "hint", text: words }));
    try { await work(); } catch (error) { put(result); complain(error); }
    button.disabled = false;
    button.focus({ preventScroll: true });
  };
  const verify = h("button", { type: "button", class: "plain-button" }, icon("shield"), h("span", { text: "Verify" }));
  const checkpoint = h("button", { type: "button", class: "plain-button" }, icon("flag"),
    h("span", { text: "Checkpoint" }));
  const reading = () => (files.checked ? "Reading the whole log, and the files…" : "Reading the whole log…");
  verify.addEventListener("click", () => working(verify, reading(), async () => {
    const report = await post("/v1/verify", { data: files.checked });
    const isWhole = report.exitCode === 0;
    put(result, h("p", { class: isWhole ? "good" : "bad" }, icon(isWhole ? "here" : "warn"),
      h("b", { text: isWhole ? "Everything is as it was recorded."
        : `Something is not as it should be (exit code ${report.exitCode}).` })),
    h("ul", { class: "report" }, report.lines.map((line) => h("li", { text: line }))));
  }));
  checkpoint.addEventListener("click", () => working(checkpoint, "Making a checkpoint…", async () => {
    const made = await post("/v1/checkpoint");
    const text = h("textarea", { readonly: true, rows: 4, id: "checkpoint-text", class: "code",
      aria: { label: "The checkpoint" } });
    text.value = made.text;
    put(result, h("p", { class: "good" }, icon("here"),
      h("b", { text: `A checkpoint of ${counted(made.size, "event")}.` })),
      h("p", { class: "hint", text: KEEP_IT }),
      text, h("button", { type: "button", class: "plain-button", on: { click: () => copy(text) } }, icon("copy"),
        h("span", { text: "Copy" })));
  }));
  return h("section", { class: "card", aria: { labelledby: "proofs-title" } },
    h("h2", { id: "proofs-title", text: "Proof" }),
    h("p", { class: "hint", text: WHAT_IT_IS }),
    h("div", { class: "button-row" }, verify,
      h("label", { class: "check" }, files, h("span", { text: "the files on disk too" })), checkpoint), result);
}

async function copy(area) {
  try {
    await navigator.clipboard.writeText(area.value);
    announce("Copied.");
  } catch {
    area.focus();
    area.select();
    announce("The text is chosen: copy it with Control and C.");
  }
}
