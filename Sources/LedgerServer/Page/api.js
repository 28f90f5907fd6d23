// Asks the server. What it refuses comes back as an error in words.

/** What went wrong, why, and what to do next. */
class Refusal extends Error {
  constructor(status, body) {
    super(body.detail ?? body.title ?? `the server answered ${status}`);
    this.status = status;
    this.code = body.code ?? "";
    this.cause = body.cause ?? null;
    this.next = body.next ?? null;
    this.refused = body.refused ?? [];
  }

  /** Everything it says, as sentences. */
  get words() { return sentences(this.message, this.cause, this.next); }
}

/** Sentences of parts, each with a capital and a full stop. */
export function sentences(...parts) {
  return parts.filter(Boolean).map((part) => {
    const text = part.charAt(0).toUpperCase() + part.slice(1);
    return /[.!?…]$/.test(text) ? text : `${text}.`;
  }).join(" ");
}

/** What any error says to a person. */
export function wordsOf(error) {
  if (error instanceof Refusal) return error.words;
  if (error instanceof TypeError) return "Ledger can not be reached. It is tried again by itself; nothing was lost.";
  return sentences(error?.message ?? String(error));
}

const listeners = { token: () => {}, lost: () => {}, slow: () => {} };
/** How long a wish may go unanswered before that is said, in milliseconds. */
const SLOW_MS = 2500;

/** Says who is told when a token is needed (`token`), nothing answers (`lost`) or something takes its time (`slow`). */
export function whenRefused(calls) { Object.assign(listeners, calls); }

/**
 * Asks for something.
 * @returns the JSON of the answer; null when it has none. With `lines`, a list of the values of its lines.
 */
export async function ask(method, path, body, { signal, lines = false } = {}) {
  const headers = {};
  if (body !== undefined) headers["Content-Type"] = "application/json";
  // A request that is sent twice because its answer was lost is done once.
  if (method === "POST") headers["Idempotency-Key"] = key();
  let answer;
  // What is only read is fetched again by itself.
  const slow = method === "GET" ? 0 : setTimeout(listeners.slow, SLOW_MS);
  try {
    answer = await fetch(path, {
      method, headers, signal, body: body === undefined ? undefined : JSON.stringify(body), credentials: "same-origin",
    });
  } catch (error) {
    if (error.name !== "AbortError") listeners.lost();
    throw error;
  } finally {
    clearTimeout(slow);
  }
  // What the worker kept is shown, and is no news.
  if (answer.headers.has("X-Kept")) listeners.lost();
  if (answer.ok) {
    if (answer.status === 204) return null;
    const text = await answer.text();
    if (lines) return text.split("\n").filter(Boolean).map((line) => JSON.parse(line));
    return text ? JSON.parse(text) : null;
  }
  const refusal = new Refusal(answer.status, await answer.json().catch(() => ({})));
  if (answer.status === 401) listeners.token(refusal);
  throw refusal;
}

export const get = (path, options) => ask("GET", path, undefined, options);
export const post = (path, body = {}, options) => ask("POST", path, body, options);
export const patch = (path, body) => ask("PATCH", path, body);
export const putJSON = (path, body) => ask("PUT", path, body);
export const remove = (path) => ask("DELETE", path);

/** A path with a query; what is null, undefined or empty is left out. */
export function withQuery(path, values) {
  const query = new URLSearchParams();
  for (const [name, value] of Object.entries(values)) {
    if (value !== null && value !== undefined && value !== "") query.set(name, value);
  }
  const text = query.toString();
  return text ? `${path}?${text}` : path;
}

function key() {
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  return [...bytes].map((byte) => byte.toString(16).padStart(2, "0")).join("");
}
