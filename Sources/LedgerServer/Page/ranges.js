// The bar of a download: which of its bytes are here.

import { setAttr, show, svg, h } from "./dom.js";

const WIDTH = 1000;

/** Makes a bar; `update(row)` draws it. */
export function rangesBar() {
  const picture = svg("svg", { class: "bar", viewBox: `0 0 ${WIDTH} 10`, preserveAspectRatio: "none",
    "aria-hidden": "true" });
  const element = h("div", { class: "bar-box", role: "progressbar", aria: { valuemin: 0, valuemax: 100 } }, picture);
  let drawn = "";
  return {
    element,
    update(row, name) {
      const isKnown = row.size > 0;
      show(element, row.state !== "completed" && (row.state === "running" || row.received > 0));
      setAttr(element, "aria-label", `Received of ${name}`);
      setAttr(element, "aria-valuenow", isKnown ? Math.floor((row.received / row.size) * 100) : null);
      element.classList.toggle("bar-unknown", !isKnown && row.state === "running");
      const parts = isKnown ? spans(row) : [];
      const key = parts.map(([from, to]) => `${from.toFixed(1)}-${to.toFixed(1)}`).join();
      if (key === drawn) return;
      drawn = key;
      while (picture.children.length > parts.length) picture.lastElementChild.remove();
      parts.forEach(([from, to], index) => {
        const rect = picture.children[index] ?? picture.appendChild(svg("rect", { y: 0, height: 10 }));
        rect.setAttribute("x", from.toFixed(1));
        // A range of a few bytes is seen too.
        rect.setAttribute("width", Math.max(2, to - from).toFixed(1));
      });
    },
  };
}

// One range from the start grows with what is received; of several, those that are safe on the disk are drawn.
function spans(row) {
  const at = (byte) => Math.min(1, byte / row.size) * WIDTH;
  const ranges = row.ranges ?? [];
  if (ranges.length === 0) return row.received > 0 ? [[0, at(row.received)]] : [];
  if (ranges.length === 1 && ranges[0][0] === 0) return [[0, at(Math.max(ranges[0][1], row.received))]];
  return ranges.map(([from, to]) => [at(from), at(to)]);
}
