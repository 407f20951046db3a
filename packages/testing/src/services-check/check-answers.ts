// The checks of one operation of an agent that calls no service (P34): it is pure, so the same request has the same answer at any time.
import { setTimeout as sleep } from "node:timers/promises";
import type { AgentRequest, LocalAgent } from "@scheduler-agent-supervisor/core/agents";
import { canonicalJson, messageOf } from "@scheduler-agent-supervisor/core/domain";
import { createMemoryJobStore } from "../memory/memory-job-store.ts";
import { type CheckCase, NotChecked } from "./check-operation.ts";

/** @throws NotChecked where it can't be asked */
export async function checkAnswers(
  agent: LocalAgent,
  operation: string,
  request: AgentRequest,
  lateAfterMs: number,
): Promise<CheckCase[]> {
  const asked = () => answerOf(agent, operation, request);
  const first = await asked();
  const again = await asked();
  await sleep(lateAfterMs);
  return [
    { check: "repeated", ...verdictOn(first, again) },
    { check: "late", ...verdictOn(first, await asked()) },
  ];
}

const WITHIN_MS = 60_000;

/** Of a new instance, with a store that is empty: what an earlier call has left is not there. */
async function answerOf(agent: LocalAgent, operation: string, request: AgentRequest): Promise<string> {
  const completeBy = new Date(Date.now() + WITHIN_MS).toISOString();
  const bounds = {
    ...{ secrets: [], priority: "normal" as const, startBy: completeBy },
    takeUp: async () => ({ completeBy }),
    stillAtWork: async () => undefined,
  };
  try {
    const own = agent.create({ store: createMemoryJobStore(), now: Date.now, send: async () => undefined });
    return canonicalJson(await own.call(operation, structuredClone(request), bounds));
  } catch (cause) {
    throw new NotChecked(`its code failed: ${messageOf(cause)}`);
  }
}

const verdictOn = (first: string, again: string): Omit<CheckCase, "check"> =>
  first === again
    ? { verdict: "holds", seen: `the same answer: ${first}` }
    : { verdict: "fails", seen: `first ${first}; then ${again}` };
