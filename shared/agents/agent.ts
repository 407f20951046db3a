// What an agent is (P6): a wrapper round ONE remote service, which knows its rules and sees no store.
import type { Order } from "../domain/order.ts";
import type { StepResult } from "../domain/state-record.ts";

export interface AgentRequest {
  readonly order: Order;
  /** What the completed steps recorded, by step name. */
  readonly results: { readonly [step: string]: StepResult };
  /** The same for every try of every attempt of the step in its direction. */
  readonly idempotencyKey: string;
  /** Where to call: the service's base URL, with a slash at its end. */
  readonly endpoint: string;
  /** Aborts at complete-by. */
  readonly signal: AbortSignal;
  /** The trace that the call belongs to, for the service to go on with. */
  readonly traceparent?: string | undefined;
  /** For an operation that undoes a step: what the step recorded, null where its outcome is unknown, and the key it went under. */
  readonly undoes: { readonly result: StepResult | null; readonly idempotencyKey: string } | null;
}

export type AgentReply =
  | { readonly kind: "done"; readonly result: StepResult }
  /** The service refused for good: trying again would change nothing (P9). */
  | { readonly kind: "rejected"; readonly message: string }
  /** The service can't be reached or can't answer now: trying again may help. */
  | {
      readonly kind: "unavailable";
      readonly message: string;
      readonly retryAfterMs?: number;
      /** Nothing came back: what was asked may yet take effect. */
      readonly unanswered?: boolean;
    };

export type Operation = (request: AgentRequest) => Promise<AgentReply>;

export interface Agent {
  readonly name: string;
  readonly operations: { readonly [name: string]: Operation };
}

/** One place where an agent's service answers. */
export interface Endpoint {
  /** With a slash at its end. */
  readonly url: string;
  /** Calls that it may have under way at once from this process. */
  readonly capacity: number;
}

/** What came of an operation inside its time, and where it was sent and why (P19). */
export type BoundedReply =
  | { readonly kind: "done"; readonly result: StepResult; readonly endpoint: string; readonly because: string }
  | {
      readonly kind: "rejected";
      readonly message: string;
      readonly endpoint: string;
      readonly because: string;
      /** A try before the one that was refused got no answer: it may yet take effect. */
      readonly unsure?: boolean | undefined;
    }
  | { readonly kind: "expired"; readonly tries: number }
  /** It found no place in time, or whoever asked did not let it begin: nothing was sent. */
  | { readonly kind: "notTakenUp" };

export type RoutedRequest = Omit<AgentRequest, "signal" | "endpoint" | "traceparent">;

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
  call(operation: string, request: RoutedRequest, bounds: Bounds): Promise<BoundedReply>;
}
