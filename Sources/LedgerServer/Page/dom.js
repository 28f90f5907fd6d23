// Builds the page. Text goes in as text and never as markup, so whatever a title says stays words.

const SVG = "http://www.w3.org/2000/svg";

/**
 * Makes an element.
 * `props`: `class`, `text`, `data: {}`, `aria: {}`, `on: {event: listener}`; all else is an attribute, where `true`
 * stands for an empty one and `false`, `null` and `undefined` for none.
 */
export function h(tag, props, ...children) {
  return fill(document.createElement(tag), props, children);
}

/** Makes an element of a picture. */
export function svg(tag, props, ...children) {
  return fill(document.createElementNS(SVG, tag), props, children);
}

function fill(element, props, children) {
  for (const [name, value] of Object.entries(props ?? {})) {
    if (name === "text") element.textContent = value ?? "";
    else if (name === "class") element.setAttribute("class", value);
    else if (name === "data") Object.assign(element.dataset, value);
    else if (name === "aria") for (const [key, word] of Object.entries(value)) setAttr(element, `aria-${key}`, word);
    else if (name === "on") for (const [event, call] of Object.entries(value)) element.addEventListener(event, call);
    else setAttr(element, name, value);
  }
  element.append(...present(children));
  return element;
}

// `condition && child` leaves nothing where there is none.
function present(children) {
  return children.flat(9).filter((child) => child !== null && child !== undefined && child !== false && child !== "");
}

/** Sets an attribute if it differs; `null`, `undefined` and `false` take it away. */
export function setAttr(element, name, value) {
  if (value === null || value === undefined || value === false) {
    if (element.hasAttribute(name)) element.removeAttribute(name);
  } else {
    const text = value === true ? "" : String(value);
    if (element.getAttribute(name) !== text) element.setAttribute(name, text);
  }
}

/** Sets the text if it differs. */
export function setText(element, text) {
  const words = text ?? "";
  if (element.textContent !== words) element.textContent = words;
}

/** Shows or hides, and leaves what is as it should be alone. */
export function show(element, isShown) {
  if (element.hidden === isShown) element.hidden = !isShown;
}

/** Shows or hides the button that shows more of a list; the focus goes from a hidden one to the end of the list. */
export function showMore(button, list, isShown) {
  if (!isShown && document.activeElement === button) {
    list.lastElementChild?.querySelector("a[href], button")?.focus({ preventScroll: true });
  }
  show(button, isShown);
}

/** The element of an id. */
export const byId = (id) => document.getElementById(id);

/** Replaces what stands in an element. */
export function put(parent, ...children) {
  parent.replaceChildren(...present(children));
  return parent;
}

// Drawing is done once a frame, however many rows change meanwhile.
const waiting = new Set();
let asked = false;

/** Calls a function before the next frame is drawn, once. */
export function schedule(draw) {
  waiting.add(draw);
  if (asked) return;
  asked = true;
  requestAnimationFrame(() => {
    asked = false;
    const calls = [...waiting];
    waiting.clear();
    for (const call of calls) call();
  });
}

/** Calls a function no more often than every so many milliseconds; the last call is never lost. */
export function throttled(milliseconds, call) {
  let timer = 0, last = 0;
  return () => {
    if (timer) return;
    const wait = Math.max(0, last + milliseconds - Date.now());
    timer = setTimeout(() => {
      timer = 0;
      last = Date.now();
      call();
    }, wait);
  };
}

/** Calls a function once nothing was asked for so many milliseconds. */
export function debounced(milliseconds, call) {
  let timer = 0;
  return (...values) => {
    clearTimeout(timer);
    timer = setTimeout(() => call(...values), milliseconds);
  };
}

/**
 * Puts elements into a parent in an order, touching only what is out of place. Whoever has the focus keeps it; when
 * its element goes away, the neighbour gets it. `elsewhere` holds what goes to another parent right after.
 */
export function arrange(parent, elements, elsewhere = new Set()) {
  const focused = parent.contains(document.activeElement) ? document.activeElement : null;
  const wanted = new Set(elements);
  const old = [...parent.children];
  const gone = old.filter((child) => !wanted.has(child) && !elsewhere.has(child));
  const lost = focused && gone.find((child) => child.contains(focused));
  const heir = lost ? neighbour(old, old.indexOf(lost), wanted) : null;
  for (const child of gone) child.remove();
  let place = parent.firstElementChild;
  for (const element of elements) {
    if (element === place) {
      place = place.nextElementSibling;
    } else {
      move(parent, element, place);
    }
  }
  if (heir) (heir.querySelector("button:not([hidden]), a[href]") ?? heir).focus({ preventScroll: true });
}

function neighbour(list, from, wanted) {
  for (let step = 1; step < list.length; step += 1) {
    for (const child of [list[from + step], list[from - step]]) if (child && wanted.has(child)) return child;
  }
  return null;
}

function move(parent, element, place) {
  const active = document.activeElement;
  const holds = element.isConnected && element.contains(active);
  if (holds && parent.moveBefore && element.ownerDocument === parent.ownerDocument) {
    parent.moveBefore(element, place);
  } else {
    parent.insertBefore(element, place);
    if (holds && active !== document.activeElement) active.focus({ preventScroll: true });
  }
}
