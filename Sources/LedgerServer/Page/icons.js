// Small pictures, drawn in lines of the colour of the text beside them.

import { svg } from "./dom.js";

const PATHS = {
  now: "M3 12h4l3-8 4 16 3-8h4",
  library: "M4 4h6v7H4zM14 4h6v7h-6zM4 15h6v5H4zM14 15h6v5h-6z",
  history: "M4 12a8 8 0 1 0 2.6-5.9M4 4v4h4M12 8v4l3 2",
  feeds: "M5 11a8 8 0 0 1 8 8M5 5a14 14 0 0 1 14 14M6 18h.01",
  settings: "M4 7h9M19 7h1M4 17h1M11 17h9M16 4.5v5M8 14.5v5",
  pause: "M8 5v14M16 5v14",
  resume: "M7 5l12 7-12 7z",
  retry: "M20 12a8 8 0 1 1-2.6-5.9M20 4v4h-4",
  cancel: "M6 6l12 12M18 6L6 18",
  delete: "M5 7h14M10 7V4h4v3M7 7l1 13h8l1-13M10.5 11v5M13.5 11v5",
  grip: "M9 6h.01M15 6h.01M9 12h.01M15 12h.01M9 18h.01M15 18h.01",
  add: "M12 5v14M5 12h14",
  search: "M11 4a7 7 0 1 0 0 14 7 7 0 0 0 0-14M16 16l4.5 4.5",
  here: "M5 12.5l4.5 4.5L19 7.5",
  warn: "M12 4L2.5 20h19zM12 10v4.5M12 17.200h.01",
  download: "M12 4v11M7 11l5 5 5-5M5 20h14",
  open: "M14 4h6v6M20 4l-9 9M18 14v6H4V6h6",
  pin: "M9 4h6l-1 6 3 3H7l3-3zM12 13v7",
  copy: "M9 9h11v11H9zM15 9V4H4v11h5",
  back: "M19 12H5M11 6l-6 6 6 6",
  on: "M5 12h14M13 6l6 6-6 6",
  up: "M12 19V5M6 11l6-6 6 6",
  down: "M12 5v14M6 13l6 6 6-6",
  key: "M8 12a4 4 0 1 0 0 .01M12 12h9M18 12v4",
  shield: "M12 3l8 3v6c0 5-3.5 8-8 9-4.5-1-8-4-8-9V6zM8.5 12l2.5 2.5 4.5-4.5",
  flag: "M6 21V4h11l-2 4 2 4H6",
  video: "M3 6h12v12H3zM15 10.5l6-3.5v10l-6-3.5z",
  audio: "M9 18V5l11-2v13M9 18a3 3 0 1 1-6 0 3 3 0 0 1 6 0M20 16a3 3 0 1 1-6 0 3 3 0 0 1 6 0",
  image: "M3 5h18v14H3zM3 16l5-5 5 5 3-3 5 5M15.5 9.5h.01",
  document: "M6 3h8l4 4v14H6zM14 3v4h4M9 12h6M9 16h6",
  archive: "M3 5h18v4H3zM5 9v11h14V9M10 13h4",
  other: "M6 3h8l4 4v14H6zM14 3v4h4",
};

/** A picture by its name; whoever reads the page aloud passes it over. */
export function icon(name, className = "icon") {
  return svg("svg", {
    class: className, viewBox: "0 0 24 24", width: 20, height: 20, "aria-hidden": "true", focusable: "false",
  }, svg("path", { d: PATHS[name] ?? PATHS.other }));
}

/** Makes a picture show another one. */
export function setIcon(element, name) {
  const path = element.firstElementChild;
  const d = PATHS[name] ?? PATHS.other;
  if (path.getAttribute("d") !== d) path.setAttribute("d", d);
}
