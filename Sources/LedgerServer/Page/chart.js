// The throughput of the last two minutes, as a line.

import { h, setAttr, svg } from "./dom.js";
import { rate } from "./format.js";

const SECONDS = 120;
const HEIGHT = 40;

/** Makes a chart; `push(bytesPerSecond)` adds a second to it. */
export function throughputChart() {
  const area = svg("path", { class: "chart-area" });
  const line = svg("path", { class: "chart-line" });
  const picture = svg("svg", {
    class: "chart", viewBox: `0 0 ${SECONDS} ${HEIGHT}`, preserveAspectRatio: "none", role: "img",
    "aria-label": "Throughput of the last two minutes",
  }, area, line);
  const top = h("span", { class: "chart-top" });
  const element = h("div", { class: "chart-box" }, picture, top);
  const values = new Array(SECONDS + 1).fill(0);
  let beats = 0;
  return {
    element,
    push(value) {
      values.push(value);
      values.shift();
      const highest = Math.max(...values, 1024);
      const y = (each) => HEIGHT - 1 - (each / highest) * (HEIGHT - 4);
      const points = values.map((each, index) => `${index},${y(each).toFixed(2)}`);
      setAttr(line, "d", `M${points.join("L")}`);
      setAttr(area, "d", `M0,${HEIGHT}L${points.join("L")}L${SECONDS},${HEIGHT}Z`);
      top.textContent = highest > 1024 ? `highest ${rate(highest)}` : "";
      // Told anew now and then, and not each second.
      if (beats % 10 === 0) {
        setAttr(picture, "aria-label",
          `Throughput of the last two minutes: now ${rate(value)}, highest ${rate(highest > 1024 ? highest : 0)}`);
      }
      beats += 1;
    },
  };
}
