// Figures and times as people read them.

import { h, setAttr, setText } from "./dom.js";

const UNITS = ["B", "KiB", "MiB", "GiB", "TiB", "PiB"];

/** A number of bytes: `1.4 GiB`. */
export function size(bytes) {
  if (bytes === null || bytes === undefined) return "size not known";
  let [value, unit] = [Number(bytes), 0];
  while (value >= 1023.5 && unit < UNITS.length - 1) [value, unit] = [value / 1024, unit + 1];
  const digits = unit === 0 || value >= 100 ? 0 : value >= 10 ? 1 : 2;
  return `${value.toFixed(digits)} ${UNITS[unit]}`;
}

/** A number of bytes as it can be typed in again, to the last of them: `20GiB`, `1500000`. */
export function typed(bytes) {
  let [value, unit] = [Number(bytes), 0];
  while (value > 0 && value % 1024 === 0 && unit < UNITS.length - 1) [value, unit] = [value / 1024, unit + 1];
  return unit ? `${value}${UNITS[unit]}` : String(value);
}

/** Bytes a second: `3.2 MiB/s`. */
export const rate = (bytes) => `${size(bytes)}/s`;

/** A whole number with its thousands apart. */
export const count = (number) => Number(number ?? 0).toLocaleString();

/** A number of things: `1 file`, `2 files`. */
export const counted = (number, one, many = `${one}s`) => `${count(number)} ${Number(number) === 1 ? one : many}`;

/** A length of time in seconds: `45 s`, `3 min 20 s`, `2 h 5 min`. */
export function duration(seconds) {
  const all = Math.max(0, Math.round(seconds));
  if (all < 60) return `${all} s`;
  if (all < 3600) return `${Math.floor(all / 60)} min${all % 60 && all < 600 ? ` ${all % 60} s` : ""}`;
  const days = Math.floor(all / 86400);
  const hours = Math.floor((all % 86400) / 3600);
  const minutes = Math.floor((all % 3600) / 60);
  if (days) return hours ? `${days} d ${hours} h` : `${days} d`;
  return minutes ? `${hours} h ${minutes} min` : `${hours} h`;
}

/** A place in a film: `1:02:03`. */
export function clock(seconds) {
  const all = Math.max(0, Math.floor(seconds));
  const two = (number) => String(number).padStart(2, "0");
  const [hours, minutes] = [Math.floor(all / 3600), Math.floor((all % 3600) / 60)];
  return hours ? `${hours}:${two(minutes)}:${two(all % 60)}` : `${minutes}:${two(all % 60)}`;
}

const sameDay = new Intl.DateTimeFormat(undefined, { hour: "2-digit", minute: "2-digit", second: "2-digit" });
const otherDay = new Intl.DateTimeFormat(undefined, {
  year: "numeric", month: "short", day: "numeric", hour: "2-digit", minute: "2-digit",
});
const whole = new Intl.DateTimeFormat(undefined, { dateStyle: "full", timeStyle: "medium" });
const dayOnly = new Intl.DateTimeFormat(undefined, { year: "numeric", month: "short", day: "numeric" });

/** An instant in local time; of today without the day. */
export function moment(text) {
  const date = new Date(text);
  if (Number.isNaN(date.getTime())) return String(text ?? "");
  return (date.toDateString() === new Date().toDateString() ? sameDay : otherDay).format(date);
}

/** A `<time>` of an instant; `day` shows no hour. */
export function time(text, { day = false } = {}) {
  const element = h("time", {});
  setTime(element, text, { day });
  return element;
}

/** Makes a `<time>` show an instant. */
export function setTime(element, text, { day = false } = {}) {
  const date = new Date(text);
  setAttr(element, "datetime", text);
  setAttr(element, "title", Number.isNaN(date.getTime()) ? null : whole.format(date));
  setText(element, day ? dayOnly.format(date) : moment(text));
}

/** What people call a download or an item of the library. */
export function nameOf(row) {
  return row.title || fileName(row.path) || fileName(row.url) || `download ${row.id}`;
}

/** The last part of a path or a URL. */
function fileName(path) {
  const last = String(path ?? "").split(/[?#]/)[0].split("/").filter(Boolean).pop() ?? "";
  try { return decodeURIComponent(last); } catch { return last; }
}

/** The host of a URL; empty when it has none. */
export function host(url) {
  try { return new URL(url).host; } catch { return ""; }
}

/** A URL if it is one that a link may lead to; else null. */
export function safeLink(url) {
  try {
    const { protocol, href } = new URL(url);
    return protocol === "http:" || protocol === "https:" ? href : null;
  } catch { return null; }
}
