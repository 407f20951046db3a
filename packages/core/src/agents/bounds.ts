// Limits for the text that is kept of a remote service's answer: nothing limits it before this point.
import type { Readable } from "node:stream";

export const BODY_LIMIT_BYTES = 65_536;
export const MESSAGE_LIMIT = 1000;
export const ID_LIMIT = 200;

export function bounded(message: string): string {
  // A cut within a character would make a text that the store rejects.
  return message.length <= MESSAGE_LIMIT ? message : message.slice(0, MESSAGE_LIMIT).toWellFormed();
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
