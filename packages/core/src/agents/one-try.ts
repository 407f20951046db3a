// One try at an operation (P6, P8): its time, its credential, and its result for the endpoint's health.
import { CUT_OFF, inWords } from "../domain/thrown.ts";
import { startTimer } from "../domain/timer.ts";
import type { AgentCall, AgentRequest, Credential, Finding, LastError, Subject, Wire } from "./agent.ts";
import type { Authenticate } from "./authentication.ts";
import { bounded, boundedPause, MESSAGE_LIMIT } from "./bounds.ts";
import type { Deadline } from "./deadline.ts";
import type { EndpointPool, Lease } from "./endpoint-pool.ts";

type Unavailable = Extract<Finding, { kind: "unavailable" }>;

export interface Trial {
  readonly run: (call: AgentCall) => Promise<Finding>;
  readonly request: AgentRequest;
  readonly completeBy: string;
  readonly timeoutMs: number;
  readonly authenticate: Authenticate | undefined;
}

/** `cutOff`: complete-by passed. */
export type Tried = Finding | { readonly kind: "cutOff"; readonly mayHaveHappened: boolean };

/** Returns the endpoint's place after any outcome. Throws an error that is a bug in the operation, as is an answer that is none. */
export async function tryOnce(trial: Trial, lease: Lease, deadline: Deadline, pool: EndpointPool): Promise<Tried> {
  const { timeoutMs } = trial;
  const wire: Wire = { isSent: false };
  let isBegun = false;
  let taken: Finding | undefined;
  try {
    const reply = await deadline.within<Finding>((settle, fail) => {
      const cancel = new AbortController();
      const timer = startTimer(timeoutMs, () => {
        cancel.abort(new Error("the try took too long"));
        const message = `no answer within ${timeoutMs} ms`;
        settle({ kind: "unavailable", message, inShort: message, mayHaveHappened: wire.isSent });
      });
      const begin = async () => {
        try {
          const credential = trial.authenticate && (await trial.authenticate(cancel.signal));
          if (cancel.signal.aborted) return;
          if (deadline.passed) return deadline.pass();
          isBegun = true;
          // Its own code may send anything at once. A request that it describes is sent by `exchange`, which knows when.
          wire.isSent = true;
          settle(await send(trial, lease.url, credential, cancel.signal, wire));
        } catch (cause) {
          if (isBegun) fail(cause);
          else settle(noCredential(cause));
        } finally {
          timer.end();
        }
      };
      void begin();
      return () => {
        timer.end();
        cancel.abort(new Error("complete-by has passed"));
      };
    });
    taken = reply && withinBounds(reply);
  } catch (cause) {
    pool.release(lease, "unclear", bounded(`the operation failed: ${inWords(cause)}`));
    throw cause;
  }
  if (!taken) {
    pool.release(lease, "unclear", CUT_OFF);
    return { kind: "cutOff", mayHaveHappened: wire.isSent };
  }
  if (taken.kind === "unavailable") releaseFailed(taken, trial.request, lease, pool);
  else pool.release(lease, "answered", taken.kind);
  return taken;
}

/** Other jobs see what the endpoint's health is, and none of the words that this one's request was answered with. */
function releaseFailed(
  { about, inShort = "the last call failed", retryAfterMs, misconfigured }: Unavailable,
  { idempotencyKey }: AgentRequest,
  lease: Lease,
  pool: EndpointPool,
): void {
  const why = bounded(inShort);
  const error = { endpoint: lease.url, message: why, ...faultOf(misconfigured, about) };
  if (about === "request") pool.release(lease, "answered", why);
  else if (about === "either") pool.release(lease, "odd", why, { error, key: idempotencyKey });
  else pool.release(lease, "failed", why, { error, restMs: retryAfterMs });
}

function noCredential(cause: unknown): Unavailable {
  const message = bounded(`no credential: ${inWords(cause)}`);
  return { kind: "unavailable", message, inShort: message, misconfigured: true };
}

export function lastErrorOf({ message, misconfigured, about }: Unavailable, { url }: Lease): LastError {
  return { endpoint: url, message, ...faultOf(misconfigured, about) };
}

function faultOf(
  misconfigured: boolean | undefined,
  about: Subject = "endpoint",
): Pick<LastError, "misconfigured" | "ofRequest"> {
  return misconfigured ? { misconfigured, ...(about !== "endpoint" && { ofRequest: true }) } : {};
}

function send(
  { run, request, completeBy }: Trial,
  endpoint: string,
  credential: Credential | undefined,
  signal: AbortSignal,
  wire: Wire,
): Promise<Finding> {
  return run({ ...request, endpoint, credential, completeBy, signal, wire });
}

const UNREADABLE = {
  kind: "unavailable",
  inShort: "an answer over the limits",
  mayHaveHappened: true,
  misconfigured: true,
  about: "either",
} as const;

const referenceOf = ({ reference }: { readonly reference?: string | undefined }) =>
  reference === undefined ? {} : { reference: bounded(reference) };

/** A service's text is written to records and messages, which have their own limits. */
function withinBounds(reply: Finding): Finding {
  switch (reply.kind) {
    case "absent":
      return reply;
    case "accepted":
      return { ...reply, ...referenceOf(reply) };
    case "pending":
      return { ...reply, ...referenceOf(reply), retryAfterMs: boundedPause(reply.retryAfterMs) ?? 0 };
    case "rejected":
      return { ...reply, message: bounded(reply.message) };
    case "unavailable": {
      const { retryAfterMs: asked, ...rest } = reply;
      const retryAfterMs = boundedPause(asked);
      return { ...rest, message: bounded(reply.message), ...(retryAfterMs !== undefined && { retryAfterMs }) };
    }
    case "done": {
      const long = Object.entries(reply.result).find(
        ([, value]) => typeof value === "string" && value.length > MESSAGE_LIMIT,
      );
      if (!long) return reply;
      const message = `${long[0]} in the answer is over ${MESSAGE_LIMIT} characters`;
      return { ...UNREADABLE, message };
    }
    default:
      return reply satisfies never;
  }
}
