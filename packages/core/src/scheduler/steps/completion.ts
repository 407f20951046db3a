// The address for the report of a step that is done later: it can't be guessed, and it is the same for each try of the step.

import { createHash } from "node:crypto";
import { z } from "zod";
import { lostOf, parseExactly } from "../../domain/content/exact-json.ts";
import { COMPLETIONS_PATH } from "../../domain/content/redactor.ts";
import { type Address, type AgentReplyMessage, parseAgentReply } from "../../messaging/agent-messages.ts";
import { jobId as jobIdSchema } from "../../messaging/contract.ts";

/** Below the app's address; the rest identifies the step, with a nonce that only the request and the record contain. */
export { COMPLETIONS_PATH };
/** The maximum size of a report, in bytes. */
export const REPORT_LIMIT = 65_536;

/** The app's public address: from its setting, or the host's own name. Without a slash at its end. */
export function publicUrlOf(settings: {
  readonly PublicUrl?: string | undefined;
  readonly WEBSITE_HOSTNAME?: string | undefined;
}): string {
  const { PublicUrl: url, WEBSITE_HOSTNAME: host = "localhost:7071" } = settings;
  return (url ?? `${isThisMachine(host) ? "http" : "https"}://${host}`).replace(/\/+$/, "");
}

/** @param host with its port, if it has one */
export function isThisMachine(host: string): boolean {
  return /^(localhost|127(\.\d+){3}|\[::1\])(:\d+)?$/i.test(host);
}

/** @param app the app's address, without a slash at its end */
export function completionUrl(app: string, { jobId, step, direction, nonce }: Address): string {
  const address = { jobId, step, direction, nonce };
  return `${app}/${COMPLETIONS_PATH}/${Buffer.from(JSON.stringify(address)).toString("base64url")}`;
}

export type Report = Without<AgentReplyMessage, "ticket"> & { readonly address: Address };
type Without<Message, Name extends PropertyKey> = Message extends unknown ? Omit<Message, Name> : never;

export type ParsedReport =
  | { readonly kind: "valid"; readonly report: Report }
  | { readonly kind: "invalid"; readonly faults: readonly string[] }
  /** The app has never issued this address. */
  | { readonly kind: "unknown" };

/** An address of the app has at most a third of this. */
const TICKET_LIMIT = 1000;

const reportKind = z.object({ kind: z.enum(["done", "rejected", "progress"]) });

/** @param ticket the address's last part */
export function parseReport(ticket: string, body: string): ParsedReport {
  const shown = addressIn(ticket);
  if (!shown) return { kind: "unknown" };
  const report = jsonIn(body);
  if (!isObject(report)) return { kind: "invalid", faults: ["the body: must be a JSON object"] };
  const { repeated } = lostOf(body);
  if (repeated.length > 0) return { kind: "invalid", faults: repeated.map((place) => `${place}: is there twice`) };
  if (!reportKind.safeParse(report).success) {
    return { kind: "invalid", faults: ['kind: must be "done", "rejected" or "progress"'] };
  }
  const parsed = parseAgentReply({ ...report, ticket: { ...shown, ...ANY_ATTEMPT } });
  if (parsed.kind === "valid") {
    // Where the work was done and why is the app's to say: of an operator's report it names the operator.
    const { ticket: address, endpoint: _endpoint, because: _because, ...rest } = parsed.reply;
    const { jobId, step, direction, nonce } = address;
    return { kind: "valid", report: { ...rest, address: { jobId, step, direction, nonce } } };
  }
  // The caller can't fix a fault in the address.
  return parsed.faults.some((fault) => fault.startsWith("ticket")) ? { kind: "unknown" } : parsed;
}

/** Every address has a nonce and the id of a job: without them nothing is read. */
function addressIn(ticket: string): object | undefined {
  if (ticket.length > TICKET_LIMIT) return undefined;
  const address = jsonIn(Buffer.from(ticket, "base64url").toString("utf8"));
  if (!isObject(address)) return undefined;
  return address["nonce"] && jobIdSchema.safeParse(address["jobId"]).success ? address : undefined;
}

/** A report names no workflow. */
const ANY_ATTEMPT = { attempt: 1, lockedBy: "any" };

/** A number beyond 2^53 is its text: it is an id, which goes back to its service as it came. */
function jsonIn(text: string): unknown {
  try {
    return parseExactly(text);
  } catch {
    return undefined;
  }
}

function isObject(value: unknown): value is { readonly [name: string]: unknown } {
  return value !== null && typeof value === "object" && !Array.isArray(value);
}

/** A read in another region, or of another session, is behind by less. */
const STALE_FOR_MS = 20_000;
/** Longer than whoever reports waits between two tries. */
const KEPT_FOR_MS = 3_600_000;
/** More are forgotten, the oldest first: then the caller has to ask again once more. About 1 MB. */
const MOST = 10_000;

/** Addresses for reports that a read did not know: the read may be stale, so "nobody waits" is only said once that can't be the reason. */
export interface DoubtedAddresses {
  /**
   * Whether an unknown address may still be one that was only just given to somebody. What is kept of it does not depend on its length.
   * @param now milliseconds since 1970
   */
  mayBeNew(address: string, now: number): boolean;
}

/** Of one process. Another one asks for one more try. */
export function createDoubtedAddresses(most = MOST): DoubtedAddresses {
  /** When each was first asked for, the oldest first. */
  const since = new Map<string, number>();
  return {
    mayBeNew(address, now) {
      for (const [oldest, at] of since) {
        if (now - at < KEPT_FOR_MS) break;
        since.delete(oldest);
      }
      const digest = createHash("sha256").update(address).digest("base64");
      const known = since.get(digest);
      if (known !== undefined) return now - known < STALE_FOR_MS;
      for (const oldest of since.keys()) {
        if (since.size < most) break;
        since.delete(oldest);
      }
      since.set(digest, now);
      return true;
    },
  };
}
