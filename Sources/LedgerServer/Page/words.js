// What states, failures and events are called, and what to do about a failure.

/** States in words. */
export const STATES = {
  queued: "Queued", running: "Running", waiting: "Waiting", paused: "Paused", completed: "Finished", failed: "Failed",
  cancelled: "Cancelled", deleted: "Deleted", missing: "Missing", altered: "Altered", available: "Available",
};

/** Whether nothing more happens to it by itself. */
export const isEnd = (state) =>
  ["completed", "failed", "cancelled", "deleted", "missing", "altered"].includes(state);

/** Whether it can not go on without somebody. */
export const needsHelp = (state) => ["failed", "missing", "altered"].includes(state);

/** Kinds in words. */
export const KINDS = {
  video: "Video", audio: "Audio", image: "Picture", document: "Document", archive: "Archive", other: "File",
};

// By the codes of failures: what to do next.
const NEXT = {
  unreachable: "Check that this machine is online and that the address is right, then retry.",
  "name-not-resolved": "Check the spelling of the host and that this machine has DNS, then retry.",
  "connect-timeout": "The server may be busy or behind a firewall. Retry later, or add a mirror.",
  silence: "The server stopped sending. Retry: it goes on from the last byte that is on the disk.",
  "low-speed": "The server was slower than it may be. Retry later, or add a mirror.",
  "connection-lost": "Retry: it goes on from the last byte that is on the disk.",
  tls: "The certificate could not be trusted. Check the address and this machine's clock before you retry.",
  protocol: "The server answered in a way that makes no sense. Retry, or try another mirror.",
  redirect: "The link leads round in circles or somewhere it may not. Open it in a browser and add the final address.",
  "digest-mismatch": "The file is not the one that the checksum promises. Check the checksum, or take another mirror.",
  "entity-changed": "The file changed at the server while it was fetched. Retry: it is fetched anew.",
  suspicious: "The server sent something other than the file, such as a login page. Open the link in a browser.",
  "disk-full": "Make room on the disk (Library, Storage), then retry.",
  disk: "Check the disk and the permissions of the folder, then retry.",
  "destination-taken": "Another file has this name. Move it away, or add the download with another name.",
  "secrets-missing": "Its password or token is not on this machine any more. Add the download again with it.",
  "part-lost": "The half-finished file is gone from the disk. Retry: it is fetched anew.",
  unsupported: "This kind of link is not supported. Add an http or https link to the file itself.",
  evicted: "The queue was full, and this one made room for another. Retry when the queue is shorter.",
};

/** What to do about a row that can not go on; null when there is nothing to do. */
export function advice(row) {
  if (row.state === "missing") return "The file is gone from its place, or another took it. Retry to fetch it anew.";
  if (row.state === "altered") return "Another file stands in its place. Move it away and retry to fetch it anew.";
  if (!row.error) return null;
  if (row.error.code === "status") return afterStatus(Number(/\b[1-5]\d\d\b/.exec(row.error.message)?.[0] ?? 0));
  return NEXT[row.error.code] ?? (row.error.retryable ? "Retry." : "Check the link, then retry.");
}

// What an answer of a server means to the one who asked.
function afterStatus(status) {
  if ([401, 403, 407].includes(status)) {
    return "It may need a login, or the link has run out. Open it in a browser, or add it with what it asks for.";
  }
  if ([404, 410].includes(status)) return "The file is not there any more. Check the link, or look for a new one.";
  if (status === 429) return "Too much was asked of the server at once. Retry later.";
  if (status >= 500) return "The server is in trouble. Retry later.";
  return "Open the link in a browser to see whether it still works, then retry.";
}

// By the types of events: what happened.
const HAPPENED = {
  enqueued: "was added", resolved: "was found at its server", progressed: "got on", verified: "was checked",
  completed: "was finished", failed: "did not get on", paused: "was paused", resumed: "was resumed",
  cancelled: "was cancelled", retried: "was tried again", moved: "was moved", changed: "was changed",
  deleted: "was deleted", restored: "was brought back", missing: "was found missing", altered: "was found altered",
  found: "was found on the disk", rechecked: "was asked about anew", unchanged: "had not changed at its server",
  used: "was used", pinned: "was pinned or let go", blamed: "had trouble with a mirror", taken: "was taken from a feed",
};
const HAPPENED_TO_LOG = {
  compacted: "The log was compacted", checkpointed: "A checkpoint was made", repaired: "The log was repaired",
  redacted: "An event was redacted", limited: "A group was limited", followed: "A feed was followed",
  unfollowed: "A feed was left", listed: "A feed offered something", delisted: "A feed withdrew something",
  refreshed: "A feed was read", hooked: "A hook was set", delivered: "A hook was told",
};

/** An event as a sentence; `name` is that of its download. */
export function sentence(event, name) {
  const verb = HAPPENED[event.type];
  if (event.id && verb) return `${name ?? `#${event.id}`} ${verb}`;
  return HAPPENED_TO_LOG[event.type] ?? event.type;
}
