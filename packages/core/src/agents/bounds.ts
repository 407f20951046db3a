// Limits for the text that is kept of a remote service's answer: nothing limits it before this point.
import type { Readable } from "node:stream";
import { LONGEST_WAIT_MS } from "../domain/definition/workflow.ts";

export const BODY_LIMIT_BYTES = 65_536;
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
