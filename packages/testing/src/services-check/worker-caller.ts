// One request to an agent outside this app, by its queue, as the scheduler sends it: what its worker's reply comes to, and no second request.
import { randomUUID } from "node:crypto";
import type { AgentRequest } from "@scheduler-agent-supervisor/core/agents";
import { durationMs } from "@scheduler-agent-supervisor/core/domain";
import {
  type AgentReplyMessage,
  type AgentRequestMessage,
  parseAgentReply,
} from "@scheduler-agent-supervisor/core/messaging";
import type { WorkflowStep } from "@scheduler-agent-supervisor/core/workflows";
import { type Seen, type ServiceCaller, seenOf } from "./service-caller.ts";

/**
 * Sends a request to an agent's queue, and hands on each body that is replied with its ticket until `isLast` holds.
 * @returns false where that did not come before the request's complete-by
 */
export type AskByQueue = (
  agent: string,
  request: AgentRequestMessage,
  isLast: (reply: unknown) => boolean,
) => Promise<boolean>;

const START_WITHIN_MS = 15_000;
const COMPLETE_WITHIN = "PT30S";

/** @param jobId of the job of the check */
export function openWorkerCaller(agent: string, step: WorkflowStep, jobId: string, ask: AskByQueue): ServiceCaller {
  return {
    async call(operation, request) {
      let seen: Seen | undefined;
      const message = messageOf(step, jobId, operation, request);
      const replied = await ask(agent, message, (body) => {
        seen = seenIn(body) ?? seen;
        return seen !== undefined;
      });
      if (replied && seen) return seen;
      return { kind: "none", message: `no reply by ${message.completeBy}` };
    },
    find: () => Promise.reject(new Error(`${agent} is asked by its queue, and has no find`)),
  };
}

function messageOf(step: WorkflowStep, jobId: string, operation: string, request: AgentRequest): AgentRequestMessage {
  const direction = request.compensates === null ? "forward" : "compensate";
  const now = Date.now();
  const completeWithin = step.completeWithin ?? COMPLETE_WITHIN;
  return {
    // Each request has a nonce of its own, by which its reply is known.
    ticket: { jobId, attempt: 1, step: step.name, direction, lockedBy: "services-check", nonce: randomUUID() },
    operation,
    ...request,
    startBy: new Date(now + START_WITHIN_MS).toISOString(),
    completeWithin,
    completeBy: new Date(now + START_WITHIN_MS + (durationMs(completeWithin) ?? 0)).toISOString(),
    priority: "normal",
  };
}

/** Undefined: more is to come. */
function seenIn(body: unknown): Seen | undefined {
  const parsed = parseAgentReply(body);
  if (parsed.kind === "invalid")
    return { kind: "none", message: `a reply that can't be read: ${parsed.faults.join("; ")}` };
  return cameTo(parsed.reply);
}

function cameTo(reply: AgentReplyMessage): Seen | undefined {
  switch (reply.kind) {
    case "done":
    case "accepted":
    case "pending":
    case "rejected":
      return seenOf(reply);
    case "unavailable":
      return { kind: "none", message: reply.message };
    case "started":
    case "progress":
      return undefined;
    default:
      return reply satisfies never;
  }
}
