// Which version of a record a caller wants to change, as entity tags (RFC 9110, 8.8.3 and 13.1.1).

/** What `If-Match` allows: any version, or one of these. */
export type WantedVersion = "any" | readonly string[];

/** Cosmos DB's own ETags are quoted already; others are not. */
export function entityTag(etag: string): string {
  return etag.startsWith('"') ? etag : JSON.stringify(etag);
}

/** A weak ETag (`W/"…"`) never matches: it does not guarantee that nothing has changed. */
export function isWantedVersion(etag: string, wanted: WantedVersion): boolean {
  return wanted === "any" || wanted.includes(entityTag(etag));
}
