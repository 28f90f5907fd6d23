// Feeds and catalogs: what is known of them, and what is asked of them.

import { get, post, remove, withQuery } from "./api.js";
import { counted } from "./format.js";
import { refreshSoon, take } from "./store.js";
import { attempt, toast } from "./toast.js";
import { sentences } from "./api.js";

let known = [];

/** Everything that is followed, read anew. */
export async function listings() {
  const [feeds, catalogs] = await Promise.all([get("/v1/feeds"), get("/v1/catalogs")]);
  known = [...feeds.feeds, ...catalogs.catalogs].sort((one, other) => one.id - other.id);
  return known;
}

const root = (listing) => `/v1/${listing.kind === "feed" ? "feeds" : "catalogs"}/${listing.id}`;

async function find(id) {
  return known.find((each) => each.id === id) ?? (await listings()).find((each) => each.id === id);
}

/** Follows a feed or a catalog. */
export const followList = (kind, order) => post(`/v1/${kind === "feed" ? "feeds" : "catalogs"}`, order);

/** Reads it now. */
export const refreshList = (listing) => post(`${root(listing)}/refresh`);

/** Follows it no longer; its downloads stay. */
export const leave = (listing) => remove(root(listing));

/** A page of its entries. */
export const entriesOf = (listing, offset, limit) => get(withQuery(`${root(listing)}/entries`, { offset, limit }));

/** Downloads entries by their names in the list; all that are on offer when none is named. */
export function takeEntries(listingID, guids) {
  return attempt(async () => {
    const listing = await find(listingID);
    const answer = await post(`${root(listing)}/take`, guids ? { guids } : {});
    for (const row of answer.downloads) take(row);
    const refused = answer.refused.length ? ` ${answer.refused.length} not: ${sentences(answer.refused[0].detail)}`
      : "";
    toast(`${counted(answer.downloads.length, "download")} added.${refused}`,
      { isError: !answer.downloads.length && refused });
    refreshSoon();
  });
}
