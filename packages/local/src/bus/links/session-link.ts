// A client's receiving link on a queue with sessions: bound to one session, named or the next that is free.

import type { Typed } from "rhea";
import type { Queue } from "../queue/queue.ts";
import type { HeldSession, SessionClaimant, Sessions } from "../queue/sessions.ts";
import { type SenderLink, type Terminus, types } from "../rhea-internals.ts";
import type { Log } from "./link-faults.ts";
import { ReceiveLink } from "./receive-link.ts";

export const SESSION_FILTER = "com.microsoft:session-filter";
const LOCKED_UNTIL = "com.microsoft:locked-until-utc";
const TIMEOUT = "com.microsoft:timeout";
/** Of a source (part 3, section 3.5.3). */
const SOURCE = 0x28;
const FILTER_FIELD = 7;
const DEFAULT_WAIT_MS = 60_000;
const MAX_WAIT_MS = 2 ** 31 - 1;

/** .NET counts 100 ns from the year 1. */
const TICKS_AT_1970 = 621_355_968_000_000_000n;
const TICKS_PER_MS = 10_000n;

/** What a session filter asks for: a session by its id, or the next one that is free. */
interface WantedSession {
  readonly id: string | undefined;
  /** Clients that keep to AMQP's filters send a described value (part 3, section 3.5.8), and look for one in the answer. */
  readonly descriptor: Typed | undefined;
}

/** @returns undefined where the value is neither an id nor null. */
export function readWanted(filter: unknown): WantedSession | undefined {
  const isDescribed = typeof filter === "object" && filter !== null && "descriptor" in filter;
  const { descriptor, value } = isDescribed ? (filter as Typed & { descriptor: Typed }) : { value: filter };
  if (value === null || value === undefined) return { id: undefined, descriptor };
  return typeof value === "string" ? { id: value, descriptor } : undefined;
}

export class SessionLink implements SessionClaimant {
  readonly queue: Queue;
  readonly direction = "receive";
  readonly #link: SenderLink;
  readonly #sessions: Sessions;
  readonly #log: Log;
  readonly #wanted: WantedSession;
  #receiving: ReceiveLink | undefined;
  #waiting: NodeJS.Timeout | undefined;

  constructor(link: SenderLink, queue: Queue, sessions: Sessions, log: Log, wanted: WantedSession) {
    this.queue = queue;
    this.#link = link;
    this.#sessions = sessions;
    this.#log = log;
    this.#wanted = wanted;
    if (wanted.id !== undefined) this.#claim(wanted.id);
    else this.#claimNext();
  }

  accept(session: HeldSession): void {
    clearTimeout(this.#waiting);
    this.#waiting = undefined;
    this.#link.local.attach.source = withFilter(this.#link.remote.attach.source, session.id, this.#wanted);
    Object.assign(this.#link.local.attach, {
      properties: { [LOCKED_UNTIL]: types.wrap_long(ticks(session.lockedUntil)) },
    });
    this.#link.open();
    this.#receiving = new ReceiveLink(this.#link, this.queue, this.#log, session.lane);
  }

  lost(): void {
    this.end("com.microsoft:session-lock-lost", "The session lock has expired. Accept the session again.");
  }

  leave(): void {
    if (this.#waiting) {
      // The client gave up: it still expects an attach to its attach, and a detach to its detach.
      clearTimeout(this.#waiting);
      this.#link.open();
    }
    this.#receiving?.leave();
    this.#sessions.leave(this);
  }

  end(condition: string, description: string): void {
    this.leave();
    this.#link.close({ condition, description });
  }

  #claim(id: string): void {
    const session = this.#sessions.claim(id, this);
    if (session) this.accept(session);
    else this.#refuse("com.microsoft:session-cannot-be-locked", `Another receiver has the session '${id}'.`);
  }

  #claimNext(): void {
    const session = this.#sessions.claimNext(this);
    if (session) {
      this.accept(session);
      return;
    }
    withholdAttach(this.#link);
    const { [TIMEOUT]: timeoutMs } = this.#link.properties ?? {};
    const waitMs = typeof timeoutMs === "number" ? Math.min(timeoutMs, MAX_WAIT_MS) : DEFAULT_WAIT_MS;
    this.#waiting = setTimeout(() => this.#giveUp(), waitMs);
  }

  #giveUp(): void {
    this.#waiting = undefined;
    this.#sessions.leave(this);
    this.#link.open();
    this.#refuse("com.microsoft:timeout", "No session with messages became free in time.");
  }

  /** Not in the tick of the attach, which the client could not bear; but soon, as it looks for the reason 1 ms after the attach. */
  #refuse(condition: string, description: string): void {
    setImmediate(() => this.#link.close({ condition, description }));
  }
}

/** rhea answers an attach of itself; an attach without a session would tell the client that there is none. */
function withholdAttach(link: SenderLink): void {
  link.state.open_requests = 0;
  link.state.local_open = false;
}

function ticks(instant: number): Buffer {
  const bytes = Buffer.alloc(8);
  bytes.writeBigInt64BE(TICKS_AT_1970 + BigInt(instant) * TICKS_PER_MS);
  return bytes;
}

/** The client's own source, as some clients compare its address, with the session that it got as the filter. */
function withFilter(asked: Terminus | null | undefined, sessionId: string, { descriptor }: WantedSession): Typed {
  const fields: unknown[] = [...(asked?.value ?? [])];
  while (fields.length < FILTER_FIELD) fields.push(null);
  const id = types.wrap_string(sessionId);
  fields[FILTER_FIELD] = types.wrap_symbolic_map({
    [SESSION_FILTER]: descriptor ? types.described(descriptor, id) : id,
  });
  return types.described(types.wrap_ulong(SOURCE), types.wrap_list(fields));
}
