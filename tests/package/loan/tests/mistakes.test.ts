// What does not fit this app's contract, agents and rules does not compile, by the types of the packages as they are packed.
import { rule } from "@scheduler-agent-supervisor/core/agents";
import { defineApp } from "@scheduler-agent-supervisor/core/app";
import { expect, test } from "vitest";
import { z } from "zod";
import { seen } from "../shared/agents/seen.ts";
import { agents } from "../shared/agents.ts";
import { contracts } from "../shared/contract.ts";
import { defineWorkflow } from "../shared/define-workflow.ts";
import { rules } from "../shared/rules.ts";
import { loans } from "../shared/workflows/loan.ts";

const policy = { failureThreshold: 3, waits: [], onExhausted: "compensate", onRejected: "compensate" } as const;
const head = { name: "loan", version: 2, policy } as const;
const plain = { after: [], completeWithin: "PT10S", compensation: "nothing" } as const;
const identity = { ...plain, name: "identity", agent: "registry", operation: "identity" } as const;
const score = { ...plain, name: "score", agent: "bureau", operation: "score", transport: "queue" } as const;
const appraise = {
  ...{ ...plain, name: "appraise", agent: "surveyor", operation: "appraise", forEach: "collaterals" },
} as const;
const decide = {
  ...{ ...plain, name: "decide", agent: "decision", operation: "decide", after: ["score", "appraise"] },
} as const;
const approve = {
  ...{ ...plain, name: "approve", agent: "office", operation: "approve", after: ["decide"], when: "isRisky" },
} as const;
const all = [identity, score, appraise, decide] as const;

const reader = rule({
  ...{ name: "reader", sees: seen, reads: { scored: z.object({ score: z.int() }) } },
  ...{ result: z.object({}), run: () => ({}) },
});
const others = { contracts, workflows: loans, rules };

const planted = [
  // @ts-expect-error no such agent
  () => defineWorkflow({ ...head, steps: [{ ...identity, agent: "registri" }] }),
  // @ts-expect-error no such operation
  () => defineWorkflow({ ...head, steps: [{ ...identity, operation: "identify" }] }),
  // @ts-expect-error no such step before it
  () => defineWorkflow({ ...head, steps: [identity, { ...score, after: ["identify"] }] }),
  // @ts-expect-error no such condition
  () => defineWorkflow({ ...head, steps: [...all, { ...approve, when: "isRisk" }] }),
  // @ts-expect-error no such list
  () => defineWorkflow({ ...head, steps: [{ ...appraise, forEach: "colaterals" }] }),
  // @ts-expect-error the compensation is another agent's operation
  () => defineWorkflow({ ...head, steps: [{ ...appraise, compensation: { operation: "release", ...plain } }] }),
  // @ts-expect-error the condition reads a step that is not there
  () => defineWorkflow({ ...head, steps: [identity, { ...approve, after: ["identity"] }] }),
  // @ts-expect-error the step that the condition reads does not come before it
  () => defineWorkflow({ ...head, steps: [...all, { ...approve, after: ["score"] }] }),
  // @ts-expect-error the rule reads a list's results, and the step runs once
  () => defineWorkflow({ ...head, steps: [score, { ...identity, name: "appraise" }, decide] }),
  // @ts-expect-error an item that is skipped has no result, and the rule expects one
  () => defineWorkflow({ ...head, steps: [score, { ...appraise, optional: true }, decide] }),
  // @ts-expect-error the step that the rule reads records something else
  () => defineWorkflow({ ...head, steps: [{ ...identity, name: "score" }, appraise, decide] }),
  // @ts-expect-error no step has this result
  () => defineWorkflow({ ...head, outputs: { payout: "score.payoutId" }, steps: all }),
  // @ts-expect-error an agent reads a step that no workflow has
  () => defineApp({ ...others, agents: [...agents, reader] }),
];

test("as many mistakes are planted as there are lines that do not compile", () => {
  expect(planted).toHaveLength(13);
});
