// An agent (P6): a wrapper around ONE remote service. It knows the service's rules and has no access to a store.
import type { z } from "zod";
import type {
  Awaited,
  CompensationTarget,
  Completion,
  ReadResult,
  ReadResults,
  StepResult,
} from "../domain/record/state-record.ts";

/** The members of a job's content that an agent has declared; the id if it declares none. */
export type JobView = object;

/** A step's request to an agent that receives `Seen` of the job, and `Read` of other steps' results. */
export interface AgentRequest<Seen extends JobView = JobView, Read = ReadResults, Item = StepResult> {
  readonly job: Seen;
  readonly results: Read;
  /** The item of a step with `forEach`. */
  readonly item?: Item | undefined;
  /** The same for every try of every attempt of the step in its direction. */
  readonly idempotencyKey: string;
  /** For a compensation: the step's result, null if its outcome is unknown, and its idempotency key. */
  readonly compensates: CompensationTarget | null;
  /** An earlier attempt sent this request, and its outcome is unknown. */
  readonly mayHaveHappened?: boolean | undefined;
  /** No earlier attempt sent a try after this instant (its complete-by). If absent, assume that one did until now. */
  readonly triedUntil?: string | undefined;
  /** For a step that may be done later: where to report. Absent: the operation may answer neither `accepted` nor `pending`. */
  readonly completion?: Completion | undefined;
  /** The service accepted the operation: its `poll` is called instead. */
  readonly awaited?: Awaited | undefined;
}

/** The argument of an operation for one try. */
export interface AgentCall<Seen extends JobView = JobView, Read = ReadResults, Item = StepResult>
  extends AgentRequest<Seen, Read, Item> {
  /** Where to call: the service's base URL, with a slash at its end. */
  readonly endpoint: string;
  /** Undefined for an endpoint that needs none. */
  readonly credential?: Credential | undefined;
  /** After this instant the answer is ignored. */
  readonly completeBy: string;
  /** Aborts at complete-by, or at the end of the try's own time. */
  readonly signal: AbortSignal;
  /** The trace of the call, for the service to continue. */
  readonly traceparent?: string | undefined;
  /** What is known of the request while there is no answer: kept up to date by what sends it. */
  readonly wire?: Wire | undefined;
}

/** Whether anything may have reached the service yet. */
export interface Wire {
  isSent: boolean;
}

/** A header that identifies the caller. Its value is a secret: it is written into the request only. */
export interface Credential {
  readonly header: string;
  readonly value: string;
  /** After a 401: another value, or undefined if there is none. */
  renew(): Promise<string | undefined>;
}

/** The result of one try. An operation throws only for bugs. */
export type AgentReply =
  | { readonly kind: "done"; readonly result: StepResult }
  /** The service does it later and reports the result: see `Completion`. */
  | {
      readonly kind: "accepted";
      /** The service's own id for the work, at most 1,000 characters. */
      readonly reference?: string | undefined;
    }
  | Pending
  /** The service rejected permanently: a retry does not help (P9). */
  | { readonly kind: "rejected"; readonly message: string }
  /** The service cannot be reached or cannot answer now: a retry may help. */
  | {
      readonly kind: "unavailable";
      readonly message: string;
      readonly retryAfterMs?: number;
      /** The request may have taken effect, or may still do so. */
      readonly mayHaveHappened?: boolean;
      /** The request, the endpoint's address or the app's credential is wrong: a person has to fix it. */
      readonly misconfigured?: boolean;
      /** What the answer is about. Absent: the endpoint. */
      readonly about?: Subject;
      /** The fault without any text of the service's answer: for the records of other jobs that wait for the endpoint. */
      readonly inShort?: string;
    };

/**
 * `request`: this job's request alone, so the health of the endpoint does not change. `either`: the endpoint, if several jobs in a row get the same
 * answer; the request otherwise.
 */
export type Subject = "endpoint" | "request" | "either";

/** The service does it later and is polled: see `Poll`. */
export interface Pending {
  readonly kind: "pending";
  /** The time until the next poll. The app may poll later if the step has waited for long. */
  readonly retryAfterMs: number;
  /** The service's own id for the work, at most 1,000 characters. In a poll: unchanged if absent. */
  readonly reference?: string | undefined;
}

/** Queries the state of work that the service accepted. It must have no effect. After `unavailable` the app polls again later. */
export type Poll<Seen extends JobView = JobView, Read = ReadResults> = (
  call: AgentCall<Seen, Read>,
  reference: string | undefined,
) => Promise<Exclude<AgentReply, { kind: "accepted" }>>;

/** One operation of an agent. It is called for each try, with the same idempotency key, until `completeBy` at the latest. */
export type Operation<Seen extends JobView = JobView, Read = ReadResults> = (
  call: AgentCall<Seen, Read>,
) => Promise<AgentReply>;

/** The result of a query for the effect of a request. `absent`: no effect so far. */
export type Finding = AgentReply | { readonly kind: "absent" };

/** How an operation is tried. The settings are the defaults. */
export type OperationPolicy<Seen extends JobView = JobView, Read = ReadResults> = {
  /** A try without an answer is aborted after this time. */
  readonly tryTimeoutMs?: number;
  /** The maximum number of tries in one attempt. Absent: as many as fit before complete-by. */
  readonly tries?: number;
  /** `firstMs` limits the first wait between tries. The limit doubles for each further wait, up to `longestMs`. */
  readonly backoff?: { readonly firstMs: number; readonly longestMs: number };
  /** An operation without it may not answer `pending`. */
  readonly poll?: Poll<Seen, Read>;
} & (
  | {
      /** No second try after one that may have taken effect, in this attempt or a later one. */
      readonly atMostOnce?: boolean;
      /**
       * The longest time after which a try without an answer may still take effect: the compensation of a step whose outcome is unknown waits for it.
       * Absent: the service does not do what was compensated before.
       */
      readonly settlesWithinMs?: number;
      readonly find?: never;
    }
  | {
      /** Called before the operation is tried again, if a try may have taken effect. */
      readonly find: Find<Seen, Read>;
      readonly atMostOnce?: never;
      readonly settlesWithinMs?: never;
    }
);

/** For a service without idempotency keys that supports a query for its effects. */
export interface Find<Seen extends JobView = JobView, Read = ReadResults> {
  readonly ask: (call: AgentCall<Seen, Read>) => Promise<Finding>;
  /** The longest time after which an aborted try may still take effect. `absent` is accepted only after it, and so is a compensation begun. */
  readonly settlesWithinMs: number;
}

/** @template Seen the members of a job that it receives. `Agent<never>`: any. */
export interface Agent<Seen extends JobView = JobView> {
  readonly name: string;
  readonly operations: { readonly [name: string]: Operation<Seen> };
  /** By operation. The settings are the defaults. */
  readonly policies?: { readonly [operation: string]: OperationPolicy<Seen> };
  /** The schemas of its operations' results: another result counts as an unreadable answer. Results of operations that are not named here are not checked. */
  readonly results?: { readonly [operation: string]: z.ZodType<StepResult> };
  /** The schemas of other steps' results that it reads, by step: a result that does not fit is left out. Absent: all results, unchecked. */
  readonly reads?: { readonly [step: string]: z.ZodType<ReadResult> };
  /** The schemas of the items of steps with `forEach`, by operation: one that does not fit is a fault of the code. */
  readonly items?: { readonly [operation: string]: z.ZodType<StepResult> };
}

/** The authentication at an endpoint: a header whose value is in another setting, or a token of the app's identity. */
export type Authentication =
  | { readonly kind: "header"; readonly header: string; readonly setting: string }
  | { readonly kind: "token"; readonly scope: string };

/** One address of an agent's service. */
export interface Endpoint {
  /** With a slash at its end. */
  readonly url: string;
  /** The maximum number of concurrent calls from this process. */
  readonly capacity: number;
  readonly authentication?: Authentication;
}

/** The last technical error, for the record. */
export interface LastError {
  readonly endpoint: string;
  /** A status or an error's text, at most 1,000 characters. */
  readonly message: string;
  /** The request, the endpoint's address or the app's credential is wrong. */
  readonly misconfigured?: boolean;
  /** It may be this job's request alone. Absent: the address or the credential. */
  readonly ofRequest?: boolean;
  /** The app's own code threw: `endpoint` is the place. */
  readonly ofCode?: boolean;
}

/** The result of an operation within its time, its endpoint, and the reason for this endpoint (P19). */
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
      /** An earlier try may have taken effect, or may still do so. */
      readonly outcomeUnknown?: boolean | undefined;
    }
  /** Complete-by has passed, or the policy's tries are used up. */
  | {
      readonly kind: "expired";
      /** 0: nothing was sent. */
      readonly tries: number;
      readonly lastError?: LastError | undefined;
      /** A try may have taken effect, or may still do so. */
      readonly outcomeUnknown?: boolean | undefined;
    }
  /** There was no capacity in time, or `takeUp` did not allow the start: nothing was sent. */
  | { readonly kind: "notTakenUp" };

/** What is known of a call that is not done. */
export interface Fault {
  /** 0: nothing was sent. */
  readonly tries: number;
  readonly lastError: LastError;
}

/** The start of a call. */
export interface Start {
  readonly completeBy: string;
  /** Another run of the same task took the step up before, and may send tries until then, if its process lives. */
  readonly triedUntil?: string | undefined;
}

/** The deadlines of one call, and what no answer to it may repeat. */
export interface Bounds {
  /** The values of the job's secrets: they are removed from whatever the service says. None if absent. */
  readonly secrets?: readonly string[] | undefined;
  readonly priority: "normal" | "high";
  /** Until when the call may wait for capacity at an endpoint (start-by). It does not wait for an endpoint that is down. */
  readonly startBy: string;
  /** Called once, when there is capacity. Resolves to undefined if the call may not start any more. */
  takeUp(): Promise<Start | undefined>;
  /** Called once if the call takes long. Never throws. */
  stillAtWork(): Promise<void>;
  /** Called once if the call is not done shortly before complete-by: after complete-by an agent says nothing. Never throws. */
  noteFault?(fault: Fault): Promise<void>;
}

/** An agent with its endpoints. It calls an operation with retries and routing, until complete-by. */
export interface RoutedAgent {
  readonly name: string;
  readonly operationNames: readonly string[];
  /** Whether a try that may have taken effect must not be repeated: the record then contains the start before the first try. Absent: never. */
  isNotRepeated?(operation: string): boolean;
  call(operation: string, request: AgentRequest<JobView>, bounds: Bounds): Promise<BoundedReply>;
}
