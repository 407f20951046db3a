// What an agent is (P6): a wrapper round ONE remote service, which knows its rules and sees no store.
import type { z } from "zod";
import type { Awaited, CompensationTarget, Completion, StepResult } from "../domain/state-record.ts";

/** What an agent gets of a job's content: what it has declared, and where it declares nothing the id. */
export type JobView = object;

/** What the completed steps recorded, by step name. */
export type Results = { readonly [step: string]: StepResult };

/** What a step asks of an agent that gets `Seen` of the job, and reads `Read` of other steps' results. */
export interface AgentRequest<Seen extends JobView = JobView, Read = Results> {
  readonly job: Seen;
  readonly results: Read;
  /** Of a step that is done for each item of a list. */
  readonly item?: StepResult | undefined;
  /** The same for every try of every attempt of the step in its direction. */
  readonly idempotencyKey: string;
  /** For an operation that compensates a step: what the step recorded, null where its outcome is unknown, and the key it went under. */
  readonly compensates: CompensationTarget | null;
  /** An earlier attempt asked for this, and its outcome is unknown. */
  readonly mayHaveHappened?: boolean | undefined;
  /** No earlier attempt tried after this instant (its complete-by). Absent: as if one had tried until now. */
  readonly triedUntil?: string | undefined;
  /** Of a step that may be done later: for whoever does it. Absent: the operation may answer neither `accepted` nor `pending`. */
  readonly completion?: Completion | undefined;
  /** What the operation asked for was accepted: its `poll` is called in its place. */
  readonly awaited?: Awaited | undefined;
}

/** What an operation gets for one try. */
export interface AgentCall<Seen extends JobView = JobView, Read = Results> extends AgentRequest<Seen, Read> {
  /** Where to call: the service's base URL, with a slash at its end. */
  readonly endpoint: string;
  /** Undefined for an endpoint that wants none. */
  readonly credential?: Credential | undefined;
  /** Past this instant nobody waits for the answer. */
  readonly completeBy: string;
  /** Aborts at complete-by, or earlier where the try's own time is over. */
  readonly signal: AbortSignal;
  /** The trace that the call belongs to, for the service to go on with. */
  readonly traceparent?: string | undefined;
}

/** A header that shows the service who calls. Its value is a secret: it goes into the request and nowhere else. */
export interface Credential {
  readonly header: string;
  readonly value: string;
  /** After a 401: another value, or undefined where there is none. */
  renew(): Promise<string | undefined>;
}

/** What an operation answers to one try. An operation throws for bugs alone. */
export type AgentReply =
  | { readonly kind: "done"; readonly result: StepResult }
  /** The service does it later, and what came of it is reported: see `Completion`. */
  | {
      readonly kind: "accepted";
      /** The service's own name for what it does, at most 1,000 characters. */
      readonly reference?: string | undefined;
    }
  | Pending
  /** The service rejected for good: trying again would change nothing (P9). */
  | { readonly kind: "rejected"; readonly message: string }
  /** The service can't be reached or can't answer now: trying again may help. */
  | {
      readonly kind: "unavailable";
      readonly message: string;
      readonly retryAfterMs?: number;
      /** What was asked may yet take effect, or has. */
      readonly mayHaveHappened?: boolean;
      /** The endpoint's address or our credential for it is wrong: a person has to fix that. */
      readonly misconfigured?: boolean;
    };

/** The service does it later, and is asked for it: see `Poll`. */
export interface Pending {
  readonly kind: "pending";
  /** When to ask, from now. The app may ask later, and does where it has waited for long. */
  readonly retryAfterMs: number;
  /** The service's own name for what it does, at most 1,000 characters. Of a poll: absent, it stays as it was. */
  readonly reference?: string | undefined;
}

/** Asks the service what has become of what it accepted, and changes nothing there. `unavailable` is asked again later. */
export type Poll<Seen extends JobView = JobView, Read = Results> = (
  call: AgentCall<Seen, Read>,
  reference: string | undefined,
) => Promise<Exclude<AgentReply, { kind: "accepted" }>>;

/** One thing that an agent can be asked to do. It is called for each try: with the same idempotency key, and until `completeBy` at the longest. */
export type Operation<Seen extends JobView = JobView, Read = Results> = (
  call: AgentCall<Seen, Read>,
) => Promise<AgentReply>;

/** What a service says it did under a request's reference. `absent`: nothing so far. */
export type Finding = AgentReply | { readonly kind: "absent" };

/** How an operation is tried. What is absent is as the settings say for all. */
export type OperationPolicy<Seen extends JobView = JobView, Read = Results> = {
  /** A try without an answer is given up after so long. */
  readonly tryTimeoutMs?: number;
  /** The most tries of one call. Absent: as many as fit before complete-by. */
  readonly tries?: number;
  /** The first pause is below `firstMs`, each further one below twice the last limit, up to `longestMs`. */
  readonly backoff?: { readonly firstMs: number; readonly longestMs: number };
  /** An operation without it may not answer `pending`. */
  readonly poll?: Poll<Seen, Read>;
} & (
  | {
      /** No second try after one that may have had its effect, in this call or a later one. */
      readonly atMostOnce?: boolean;
      readonly find?: never;
    }
  | {
      /** Asked before the operation is tried again, where a try may have had its effect. */
      readonly find: Find<Seen, Read>;
      readonly atMostOnce?: never;
    }
);

/** For a service without idempotency keys that can be asked what it did. */
export interface Find<Seen extends JobView = JobView, Read = Results> {
  readonly ask: (call: AgentCall<Seen, Read>) => Promise<Finding>;
  /** The longest after which a try that was given up may still take effect: `absent` counts from then on. */
  readonly settlesWithinMs: number;
}

/** @template Seen what it gets of a job. `Agent<never>`: whatever it gets. */
export interface Agent<Seen extends JobView = JobView> {
  readonly name: string;
  readonly operations: { readonly [name: string]: Operation<Seen> };
  /** By operation; those that are not named here go as the settings say. */
  readonly policies?: { readonly [operation: string]: OperationPolicy<Seen> };
  /** What its operations record, by operation: anything else counts as an answer that can't be read. Of one that is not named here anything is recorded. */
  readonly results?: { readonly [operation: string]: z.ZodType<StepResult> };
  /** What it reads of other steps' results, by step: what does not fit is left out. Absent: all of them, as they are. */
  readonly reads?: { readonly [step: string]: z.ZodType<StepResult> };
}

/** How an endpoint knows its caller: a header whose value is in another setting, or a token of the app's identity. */
export type Authentication =
  | { readonly kind: "header"; readonly header: string; readonly setting: string }
  | { readonly kind: "token"; readonly scope: string };

/** One place where an agent's service answers. */
export interface Endpoint {
  /** With a slash at its end. */
  readonly url: string;
  /** Calls that it may have under way at once from this process. */
  readonly capacity: number;
  readonly authentication?: Authentication;
}

/** The last technical error, for the record. */
export interface LastError {
  readonly endpoint: string;
  /** A status or an error's text, at most 1,000 characters. */
  readonly message: string;
  /** The endpoint's address or our credential for it is wrong. */
  readonly misconfigured?: boolean;
}

/** What came of an operation inside its time, and where it was sent and why (P19). */
export type BoundedReply =
  | { readonly kind: "done"; readonly result: StepResult; readonly endpoint: string; readonly because: string }
  | {
      readonly kind: "accepted";
      readonly reference?: string | undefined;
      readonly endpoint: string;
      readonly because: string;
    }
  | (Pending & { readonly endpoint: string; readonly because: string })
  | {
      readonly kind: "rejected";
      readonly message: string;
      readonly endpoint: string;
      readonly because: string;
      /** A try before the one that was rejected may yet take effect, or has. */
      readonly outcomeUnknown?: boolean | undefined;
    }
  /** Complete-by has passed, or the policy's tries are used up. */
  | {
      readonly kind: "expired";
      /** 0: nothing was sent. */
      readonly tries: number;
      readonly lastError?: LastError | undefined;
      /** A try may yet take effect, or has. */
      readonly outcomeUnknown?: boolean | undefined;
    }
  /** It found no place in time, or whoever asked did not let it begin: nothing was sent. */
  | { readonly kind: "notTakenUp" };

/** The times of one call, and who keeps them. */
export interface Bounds {
  readonly priority: "normal" | "high";
  /** Until when the call may wait for a place at an endpoint (schedule-to-start). An endpoint that is down is not waited for. */
  readonly startBy: string;
  /** Asked once, when there is a place: the instant by which the call has to be done; undefined where it may not begin any more. */
  takeUp(): Promise<string | undefined>;
  /** Called once where the call takes longer than most, at the latest when its time is over. Never throws. */
  stillAtWork(): Promise<void>;
}

/** An agent with its endpoints: calls an operation, retried, routed and bounded by complete-by. */
export interface RoutedAgent {
  readonly name: string;
  readonly operationNames: readonly string[];
  call(operation: string, request: AgentRequest<JobView>, bounds: Bounds): Promise<BoundedReply>;
}
