// What Microsoft's host refuses of a request before a function is looked for. Source: Kestrel's limits, and its refusal of a null character.
import type { IncomingMessage } from "node:http";
import { HOST_LIMITS } from "../limits.ts";

/** Above what any request may have, so that this host answers and not Node. */
export const MOST_HEADER_BYTES = 128 * 1024;
const VERSION = " HTTP/1.1\r\n".length;
/** Between a header's name and its value, and behind it. */
const SEPARATORS = 4;

/** The status of the refusal; undefined lets the request in. */
export function requestRefusal({ method = "", url = "", rawHeaders }: IncomingMessage): 400 | 414 | 431 | undefined {
  if (method.length + 1 + Buffer.byteLength(url) + VERSION > HOST_LIMITS.requestLineBytes.value) return 414;
  const texts = rawHeaders.reduce((sum, text) => sum + text.length, 0);
  const headers = rawHeaders.length / 2;
  if (headers > HOST_LIMITS.headers.value || texts + SEPARATORS * headers > HOST_LIMITS.headersBytes.value) return 431;
  const [path = ""] = url.split("?", 1);
  return path.includes("%00") ? 400 : undefined;
}
