// What the app notes on a message that it keeps in the quarantine, in addition to its faults, and what is taken off again when it is sent back.
import { createHash } from "node:crypto";
import type { ServiceBusMessage } from "@azure/service-bus";
import { CAME_BY } from "./came-by.ts";

/** The subject of the message itself: in the quarantine its subject is why it is there. */
export const SENT_SUBJECT = "sentSubject";
/** When its time to live ends; an ISO 8601 instant. The quarantine keeps it longer. */
export const EXPIRES_AT = "expiresAt";
/** Of a body that can't be read: its SHA-256 in hex, and its length. The body is whole where it has this length, and else its start. */
const BODY_DIGEST = "bodySha256";
export const BODY_BYTES = "bodyBytes";
/** The start of a body that is kept where the whole has no place beside its faults. */
export const PREFIX_BYTES = 4096;

export function digestOf(bytes: Buffer): { readonly [BODY_DIGEST]: string; readonly [BODY_BYTES]: number } {
  return { [BODY_DIGEST]: createHash("sha256").update(bytes).digest("hex"), [BODY_BYTES]: bytes.length };
}

type Properties = NonNullable<ServiceBusMessage["applicationProperties"]>;

const NOTED: ReadonlySet<string> = new Set([CAME_BY, SENT_SUBJECT, EXPIRES_AT, BODY_DIGEST, BODY_BYTES, "faultCount"]);

/** The properties of the message itself. */
export function withoutQuarantine(properties: Properties): Properties {
  const own = Object.entries(properties).filter(([name]) => !NOTED.has(name) && !/^fault\d+$/.test(name));
  return Object.fromEntries(own);
}
