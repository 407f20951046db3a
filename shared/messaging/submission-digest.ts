// Tells apart the submissions of one order id, in ids of messages that answer them.
import { createHash } from "node:crypto";

const LENGTH = 16;

/** The same for the same submission: 16 hexadecimal digits. */
export function submissionDigest(submission: string): string {
  return createHash("sha256").update(submission).digest("hex").slice(0, LENGTH);
}
