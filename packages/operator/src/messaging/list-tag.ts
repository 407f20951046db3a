// The version of a list (RFC 9110, 8.8.3 and 13.1.2): a caller that has it already gets 304, without a body.
import { createHash } from "node:crypto";

/** Weak: the time of the read is not included. */
export function listTag(body: object): string {
  const content = JSON.stringify({ ...body, asOf: undefined });
  return `W/"${createHash("sha256").update(content).digest("base64url").slice(0, 22)}"`;
}

/** @param header `If-None-Match`: weak and strong tags compare alike there */
export function isKnown(tag: string, header: string | null): boolean {
  if (header === null) return false;
  const opaque = (text: string) => text.trim().replace(/^W\//, "");
  return header.split(",").some((one) => one.trim() === "*" || opaque(one) === opaque(tag));
}
