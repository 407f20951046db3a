// One try of an agent's own operation at its service: its request, its authentication, its reading of the answer, and no second try.

import {
  type Agent,
  type AgentCall,
  type AgentRequest,
  type Authenticators,
  type Endpoint,
  type Finding,
  type OperationPolicy,
  routeAgent,
  type ServiceAgent,
  type StepResult,
} from "@scheduler-agent-supervisor/core/agents";
import { canonicalJson, messageOf } from "@scheduler-agent-supervisor/core/domain";

/** What one call came to, for the agent. */
export type Seen =
  | { readonly kind: "done"; readonly result: StepResult }
  /** It is done later. */
  | { readonly kind: "accepted"; readonly reference: string }
  | { readonly kind: "absent" }
  | { readonly kind: "rejected"; readonly message: string }
  /** No answer, or none that says what was done. */
  | { readonly kind: "none"; readonly message: string };

export interface ServiceCaller {
  call(operation: string, request: AgentRequest): Promise<Seen>;
  /** The query of the operation's `find`. */
  find(operation: string, request: AgentRequest): Promise<Seen>;
}

const TRY_TIMEOUT_MS = 15_000;
const CALL_WITHIN_MS = 120_000;

/** @param secrets the values that nothing it returns may contain */
export function openCaller(
  agent: ServiceAgent,
  endpoint: Endpoint,
  authenticators: Authenticators | undefined,
  secrets: readonly string[],
): ServiceCaller {
  const options = { now: Date.now, authenticators, breaker: { failures: Number.MAX_SAFE_INTEGER } };
  const declared = agent as unknown as Agent<never>;
  const call = async (asked: Agent<never>, operation: string, request: AgentRequest): Promise<Seen> => {
    const completeBy = new Date(Date.now() + CALL_WITHIN_MS).toISOString();
    const bounds = {
      ...{ secrets, priority: "normal" as const, startBy: completeBy },
      takeUp: async () => ({ completeBy }),
      stillAtWork: async () => undefined,
    };
    try {
      const reply = await routeAgent(asked, [endpoint], options).call(operation, request, bounds);
      switch (reply.kind) {
        case "done":
        case "accepted":
        case "pending":
        case "rejected":
          return seenOf(reply);
        case "expired":
          return { kind: "none", message: reply.lastError?.message ?? "no answer" };
        case "notTakenUp":
          return { kind: "none", message: "it was not sent" };
        default:
          return reply satisfies never;
      }
    } catch (cause) {
      return { kind: "none", message: `the agent's code failed: ${messageOf(cause)}` };
    }
  };
  return {
    call: (operation, request) => call(triedOnce(declared), operation, request),
    async find(operation, request) {
      const { find } = (declared.policies?.[operation] ?? {}) as OperationPolicy<never>;
      if (!find) throw new Error(`${agent.name} ${operation} has no find`);
      let finding: Finding | undefined;
      const ask = async (asked: AgentCall<never>) => {
        finding = await find.ask(asked);
        return finding.kind === "absent" ? ({ kind: "rejected", message: "absent" } as const) : finding;
      };
      const asking = triedOnce({ ...declared, operations: { [operation]: ask } });
      const seen = await call(asking, operation, request);
      return finding?.kind === "absent" ? { kind: "absent" } : seen;
    },
  };
}

type Answered =
  | { readonly kind: "done"; readonly result: StepResult }
  | { readonly kind: "accepted" | "pending"; readonly reference?: string | undefined }
  | { readonly kind: "rejected"; readonly message: string };

/** What an agent's answer comes to, by whatever way it came. */
export function seenOf(answer: Answered): Seen {
  switch (answer.kind) {
    case "done":
      return { kind: "done", result: answer.result };
    case "accepted":
    case "pending":
      return { kind: "accepted", reference: answer.reference ?? "" };
    case "rejected":
      return { kind: "rejected", message: answer.message };
    default:
      return answer satisfies never;
  }
}

/** A second try would hide what the first one came to. */
function triedOnce(agent: Agent<never>): Agent<never> {
  const once = Object.keys(agent.operations).map((name) => {
    const { poll, tryTimeoutMs = TRY_TIMEOUT_MS } = (agent.policies?.[name] ?? {}) as OperationPolicy<never>;
    return [name, { tryTimeoutMs, tries: 1, ...(poll && { poll }) }] as const;
  });
  return { ...agent, policies: Object.fromEntries(once) };
}

/** Whether both answers are of one effect; undefined if they don't say. */
export function isSameEffect(one: Seen, other: Seen): boolean | undefined {
  if (one.kind === "done" && other.kind === "done") return canonicalJson(one.result) === canonicalJson(other.result);
  if (one.kind === "accepted" && other.kind === "accepted") return one.reference === other.reference;
  const accepted = [one, other].find((seen) => seen.kind === "accepted");
  const done = [one, other].find((seen) => seen.kind === "done");
  if (!accepted || !done || accepted.reference === "") return undefined;
  // What was accepted at first may be done by now: services that name both by one id say so.
  return Object.values(done.result).includes(accepted.reference) ? true : undefined;
}

/** Whether the answer names what was made: equal answers without a name may be of two effects. */
export function namesEffect(seen: Seen, request: AgentRequest): boolean {
  if (seen.kind === "accepted") return seen.reference !== "";
  if (seen.kind !== "done") return false;
  const known = JSON.stringify([request.job, request.item ?? null]);
  // What the service alone can have made: not a word such as "done", and nothing of the request.
  return Object.entries(seen.result).some(
    ([name, value]) => /id$/i.test(name) && typeof value === "string" && !known.includes(JSON.stringify(value)),
  );
}

export function inWords(seen: Seen): string {
  switch (seen.kind) {
    case "done":
      return `done ${JSON.stringify(seen.result)}`;
    case "accepted":
      return `accepted ${seen.reference}`;
    case "absent":
      return "absent";
    case "rejected":
      return `rejected: ${seen.message}`;
    case "none":
      return `no answer that says what was done: ${seen.message}`;
    default:
      return seen satisfies never;
  }
}
