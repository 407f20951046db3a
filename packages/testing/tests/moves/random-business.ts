// A business made from a seed: three agents whose services do work at once, report it later, or are polled for it; and a workflow of two to five steps.
import { defineAgent, idAs } from "@scheduler-agent-supervisor/core/agents";
import {
  type Business,
  defineApp,
  defineContract,
  type Job,
  jobId,
  jobMembers,
} from "@scheduler-agent-supervisor/core/app";
import type { RecoveryPolicy, Workflow, WorkflowStep } from "@scheduler-agent-supervisor/core/workflows";
import { z } from "zod";
import type { Dice } from "./dice.ts";

export interface Goods extends Job {
  readonly jobId: string;
  readonly items: readonly { readonly part: string }[];
  readonly isWanted: boolean;
}

/** Where the app's code is asked, and may throw. */
export const PLACES = ["seen", "condition", "list"] as const;
type Place = (typeof PLACES)[number];

/** `now`: at once. `told`: its service reports later. `asked`: its service is polled. */
export const AGENTS = ["now", "told", "asked"] as const;
export type AgentName = (typeof AGENTS)[number];

const NAME = "random";
/** Below the time of a poll that is missed, above it, and so long that an absence of the app is short. */
const WAITS = ["PT8M", "PT40M", "PT6H"] as const;

export interface RandomBusiness {
  readonly business: Business;
  readonly workflow: Workflow;
  readonly content: Goods;
  /** Where the app's code throws now. */
  readonly bugs: Set<Place>;
}

/** @param hasLists whether some step runs for each item of a list */
export function randomBusiness(dice: Dice, hasLists: boolean): RandomBusiness {
  const bugs = new Set<Place>();
  const at = (place: Place): void => {
    if (bugs.has(place)) throw new TypeError(`a bug in ${place}`);
  };
  const contract = defineContract<Goods>({
    schema: z.strictObject({ ...jobMembers(NAME), jobId, items: z.array(part), isWanted: z.boolean() }),
    ...{ secrets: [], keys: [], keysOf: () => ({}) },
  });
  const workflow = randomWorkflow(dice, hasLists);
  const rules = {
    conditions: {
      isWanted: ({ job }: { readonly job: Goods }) => {
        at("condition");
        return job.isWanted;
      },
    },
    lists: {
      items: ({ items }: Goods) => {
        at("list");
        return items;
      },
    },
  };
  const agents = AGENTS.map((name, index) => agentOf(name, 7300 + index, () => at("seen")));
  const contracts = { usual: contract, usualWorkflow: NAME, of: {} };
  const business = defineApp({ contracts, agents, workflows: [workflow], rules: rules as never });
  return { business, workflow, content: randomContent(dice), bugs };
}

const part = z.object({ part: z.string() });

export function randomContent(dice: Dice): Goods {
  const items = Array.from({ length: dice.upTo(4) }, (_, index) => ({ part: `part-${index}` }));
  return { workflow: NAME, priority: "normal", jobId: "job-1", items, isWanted: dice.isBelow(0.8) };
}

function agentOf(name: AgentName, port: number, seen: () => void) {
  const asks = ({ completion, compensates }: Asked) => ({
    path: "work",
    body: { reportTo: completion?.url ?? null, undoes: compensates?.idempotencyKey ?? null },
    ...(name !== "now" && { mayBeDoneLater: true }),
  });
  const poll = (_: unknown, reference = "") => ({ path: `work/${encodeURIComponent(reference)}` });
  return defineAgent({
    name,
    service: { setting: `Random${port}Endpoints`, local: `http://127.0.0.1:${port}` },
    seen: ({ jobId: id }: Goods) => {
      seen();
      return { jobId: id };
    },
    answers: [{ status: 422, means: "rejected" }],
    results: { make: idAs("madeId"), list: z.object({ id: z.string(), parts: z.array(part) }), undo: idAs("undoneId") },
    operations: { make: asks, list: asks, undo: asks } as never,
    ...(name === "asked" && { policies: { make: { poll }, list: { poll }, undo: { poll } } as never }),
  });
}

interface Asked {
  readonly completion?: { readonly url: string };
  readonly compensates: { readonly idempotencyKey: string } | null;
}

function randomWorkflow(dice: Dice, hasLists: boolean): Workflow {
  const count = 2 + dice.upTo(3);
  const listed = hasLists ? dice.upTo(count - 1) : undefined;
  const steps: WorkflowStep[] = [];
  for (let at = 0; at < count; at += 1) steps.push(randomStep(at, steps, listed === at, dice));
  const deadline = dice.isBelow(0.2)
    ? { completeWithin: dice.oneOf(["PT30M", "PT8H"]), onExpired: dice.oneOf(["compensate", "fail"] as const) }
    : undefined;
  return { name: NAME, version: 1, policy: randomPolicy(dice), steps, ...(deadline && { deadline }) };
}

function randomPolicy(dice: Dice, mayWait = true): RecoveryPolicy {
  const onAwaitExpired = mayWait && dice.oneOf([undefined, "retry", "fail", "compensate"] as const);
  return {
    failureThreshold: 1 + dice.upTo(2),
    waits: dice.oneOf([[], ["PT1M"], ["PT1M", "PT5M"]]),
    onExhausted: dice.oneOf(["fail", "compensate"] as const),
    onRejected: dice.oneOf(["fail", "compensate"] as const),
    ...(onAwaitExpired && { onAwaitExpired }),
  };
}

function randomStep(at: number, before: readonly WorkflowStep[], isListed: boolean, dice: Dice): WorkflowStep {
  const agent = dice.oneOf(AGENTS);
  const isOptional = dice.isBelow(0.15);
  const later = agent === "now" ? {} : { awaitWithin: dice.oneOf(WAITS) };
  const within = { completeWithin: "PT10S" };
  // Beside the step before it, or after it.
  const previous = before.at(-1);
  const preceding = previous === undefined ? [] : dice.isBelow(0.3) ? previous.after : [previous.name];
  const lists = preceding.filter((name) => before.some((one) => one.name === name && one.operation === "list"));
  const source = lists.length > 0 && dice.isBelow(0.8) ? `${lists[0]}.parts` : "items";
  const forEach = isListed || (lists.length > 0 && dice.isBelow(0.6)) ? source : undefined;
  const compensation = dice.isBelow(0.85)
    ? { operation: "undo", ...within, ...(dice.isBelow(0.4) && later) }
    : isOptional
      ? "nothing"
      : dice.oneOf(["nothing", "manual"] as const);
  return {
    ...{ name: `s${at}`, agent, operation: forEach === undefined && dice.isBelow(0.4) ? "list" : "make" },
    ...{ after: preceding, ...within, ...later, compensation },
    ...(dice.isBelow(0.35) && { transport: "queue" as const }),
    ...(isOptional && { optional: true }),
    ...(dice.isBelow(0.15) && { when: "isWanted" }),
    ...(forEach !== undefined && { forEach }),
    ...(forEach?.includes(".") && { needs: lists.slice(0, 1) }),
    ...(dice.isBelow(0.2) && { policy: randomPolicy(dice, agent !== "now") }),
  };
}
