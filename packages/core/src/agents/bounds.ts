// Limits for the text that is kept of a remote service's answer: nothing limits it before this point.
import type { Readable } from "node:stream";
import { brotliDecompressSync, gunzipSync, inflateRawSync, inflateSync, zstdDecompressSync } from "node:zlib";
import { LONGEST_WAIT_MS } from "../domain/definition/workflow.ts";

export const BODY_LIMIT_BYTES = 1_048_576;
export const MESSAGE_LIMIT = 1000;
export const ID_LIMIT = 200;

export function bounded(message: string): string {
  // A cut within a character would make a text that the store rejects.
  return message.length <= MESSAGE_LIMIT ? message : message.slice(0, MESSAGE_LIMIT).toWellFormed();
}

/**
 * How long a service or its agent's code asks to wait, whatever it said: whole milliseconds, and no longer than any step waits. Undefined if it is no
 * number.
 */
export function boundedPause(ms: unknown): number | undefined {
  if (typeof ms !== "number" || Number.isNaN(ms)) return undefined;
  return Math.round(Math.min(Math.max(ms, 0), LONGEST_WAIT_MS));
}

/** The start of a body. The rest is not read: the exit from the loop ends the stream, and undici closes the connection. */
export async function readStart(body: Readable): Promise<{ readonly bytes: Buffer; readonly isWhole: boolean }> {
  const chunks: Buffer[] = [];
  let length = 0;
  for await (const chunk of body as AsyncIterable<Buffer>) {
    length += chunk.length;
    chunks.push(chunk);
    if (length > BODY_LIMIT_BYTES) break;
  }
  return { bytes: Buffer.concat(chunks).subarray(0, BODY_LIMIT_BYTES), isWhole: length <= BODY_LIMIT_BYTES };
}

type Unpack = (bytes: Buffer, options: { readonly maxOutputLength: number }) => Buffer;

/** The content codings of RFC 9110 section 8.4.1, and of RFC 7932 and RFC 8878. Named where they are called: a browser has none. */
const CODINGS: { readonly [coding: string]: Unpack } = {
  gzip: (bytes, options) => gunzipSync(bytes, options),
  "x-gzip": (bytes, options) => gunzipSync(bytes, options),
  br: (bytes, options) => brotliDecompressSync(bytes, options),
  zstd: (bytes, options) => zstdDecompressSync(bytes, options),
  // Some servers leave out the header that zlib begins with.
  deflate: (bytes, options) => (((bytes[0] ?? 0) & 15) === 8 ? inflateSync : inflateRawSync)(bytes, options),
};

/** A body without its content codings; or why it has none that can be read. */
export function unpacked(bytes: Buffer, contentEncoding: string): Buffer | "too long" | `is ${string}` {
  let left = bytes;
  for (const coding of contentEncoding
    .toLowerCase()
    .split(/[\s,]+/)
    .reverse()) {
    if (coding === "" || coding === "identity" || left.length === 0) continue;
    const unpack = Object.hasOwn(CODINGS, coding) ? CODINGS[coding] : undefined;
    if (!unpack) return `is compressed with ${coding.slice(0, 40)}: send it uncompressed`;
    try {
      left = unpack(left, { maxOutputLength: BODY_LIMIT_BYTES });
    } catch (cause) {
      const isTooLong = cause instanceof Error && "code" in cause && cause.code === "ERR_BUFFER_TOO_LARGE";
      return isTooLong ? "too long" : `is not valid ${coding}`;
    }
  }
  return left;
}
