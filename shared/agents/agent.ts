// What an agent is (P6): a wrapper round ONE remote service, which knows its rules and sees no store.
import type { Order } from "../domain/order.ts";
import type { StepResult } from "../domain/state-record.ts";

export interface AgentRequest {
  readonly order: Order;
  /** What the steps before recorded, by step name. */
  readonly results: { readonly [step: string]: StepResult };
  /** The same for every try of every attempt of the step. */
  readonly idempotencyKey: string;
  /** Aborts at complete-by. */
  readonly signal: AbortSignal;
}

export type AgentReply =
  | { readonly kind: "done"; readonly result: StepResult; readonly endpoint: string }
  /** The service refused for good: trying again would change nothing (P9). */
  | { readonly kind: "rejected"; readonly message: string; readonly endpoint: string }
  /** The service can't be reached or can't answer now: trying again may help. */
  | {
      readonly kind: "unavailable";
      readonly message: string;
      readonly endpoint: string;
      readonly retryAfterMs?: number;
    };

export interface Agent {
  readonly name: string;
  call(request: AgentRequest): Promise<AgentReply>;
}
