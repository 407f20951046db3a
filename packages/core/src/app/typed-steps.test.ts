// What a step reads, and the content that it takes, fit the steps before it and the workflow's contract: anything else does not compile.
import { expect, test } from "vitest";
import { z } from "zod";
import type { Job } from "../domain/content/job.ts";
import type { Situation, WorkflowRules } from "../domain/workflows/workflow-rules.ts";
import { type Contracts, defineContract, jobId, jobMembers } from "../messaging/contract.ts";
import { type AnyAgent, defineAgent } from "./define-agent.ts";
import { defineApp } from "./define-app.ts";
import { defineLocalAgent, rule } from "./define-local-agent.ts";
import { workflowsOf } from "./define-workflow.ts";

interface Loan extends Job {
  readonly jobId: string;
  readonly amount: number;
  readonly collaterals: readonly { readonly id: string }[];
}
interface Letter extends Job {
  readonly jobId: string;
  readonly text: string;
}

const job = { ...jobMembers("loan"), jobId };
const collaterals = z.array(z.object({ id: z.string() }));
const facts = { secrets: [], keys: [], keysOf: () => ({}) };
const loans = defineContract<Loan>({
  schema: z.strictObject({ ...job, amount: z.number(), collaterals }),
  ...facts,
});
const letters = defineContract<Letter>({ schema: z.strictObject({ ...job, text: z.string() }), ...facts });
const contracts = { usual: loans, usualWorkflow: "loan", of: { letter: letters } } satisfies Contracts;

const score = z.object({ score: z.number() });
const value = z.object({ value: z.number() });
const survey = z.object({
  collaterals,
  more: collaterals.nullable(),
  names: z.array(z.string()),
  place: z.object({ town: z.string() }),
});
const done = () => ({ path: "done", body: {} }) as const;
const service = (name: string) => ({ setting: `${name}Endpoints`, local: "http://127.0.0.1:7180" });
const seen = ({ jobId, amount }: Loan) => ({ jobId, amount });

const bureau = defineAgent({
  name: "bureau",
  service: service("Bureau"),
  seen,
  results: { rate: score, appraise: value, survey },
  operations: { rate: done, appraise: done, survey: done },
});
const bank = defineAgent({
  name: "bank",
  service: service("Bank"),
  seen,
  reads: { rate: score, appraise: z.array(value) },
  results: { pay: z.object({ payoutId: z.string() }) },
  operations: {
    pay: ({ results: { rate, appraise = [] } }) => {
      const values: number[] = appraise.map((one) => one.value);
      return { path: "payouts", body: { score: rate?.score ?? 0, values } };
    },
  },
});
const item = z.object({ id: z.string() });
const valuer = defineAgent({
  name: "valuer",
  service: service("Valuer"),
  seen,
  items: { weigh: item, unweigh: item, price: z.object({ price: z.number() }) },
  results: { weigh: value, unweigh: value, price: value, count: value },
  operations: {
    weigh: ({ item: one }) => {
      const id: string | undefined = one?.id;
      // @ts-expect-error the item has no such member
      return { path: "weights", body: { id, colour: one?.colour } };
    },
    unweigh: done,
    price: ({ item: one }) => {
      // @ts-expect-error it is a number
      const price: string | undefined = one?.price;
      return { path: "prices", body: { price } };
    },
    // What an operation does not declare may be anything.
    count: ({ item: one }) => ({ path: "counts", body: { colour: one?.["colour"] ?? null } }),
  },
});
const printer = defineAgent({
  name: "printer",
  service: service("Printer"),
  seen: ({ jobId, text }: Letter) => ({ jobId, text }),
  results: { print: z.object({}) },
  operations: { print: done },
});
const appraiser = rule({
  name: "appraiser",
  sees: seen,
  item: z.object({ price: z.number() }),
  result: value,
  run: ({ item: one }) => {
    // @ts-expect-error it is a number
    const price: string | undefined = one?.price;
    return { value: Number(price) };
  },
});
const archive = defineLocalAgent({
  name: "archive",
  seen,
  items: { keep: z.object({ price: z.number() }) },
  results: { keep: value, drop: value },
  operations: {
    keep: async ({ item: one }) => ({ kind: "done", result: { value: one?.price ?? 0 } }),
    drop: async ({ item: one }) => ({ kind: "done", result: { value: Number(one?.["price"] ?? 0) } }),
  },
});
const agents = [bureau, bank, printer, valuer, appraiser, archive] as const;

const rules = {
  conditions: {
    isGood: ({ results }: Situation<Loan, { rate: { score: number } }>) => (results.rate?.score ?? 0) > 500,
    isWorthy: ({ results }: Situation<Loan, { appraise: readonly { value: number }[] }>) =>
      (results.appraise ?? []).every((one) => one.value > 0),
    isNamed: ({ results }: Situation<Loan, { rate: { name: string } }>) => results.rate?.name !== undefined,
    isShort: ({ job: letter }: Situation<Letter>) => letter.text.length < 10,
    // @ts-expect-error it says nothing of what it reads
    isMisspelt: ({ results }: Situation<Loan>) => results["decid"] !== undefined,
    // @ts-expect-error it says that it reads rate
    isMisspeltToo: ({ results }: Situation<Loan, { rate: { score: number } }>) => results.rated !== undefined,
  },
  lists: {
    collaterals: (loan: Loan) => loan.collaterals.map(({ id }) => ({ id })),
    words: ({ text }: Letter) => text.split(" ").map((word) => ({ word })),
  },
} as const satisfies WorkflowRules;

const defineWorkflow = workflowsOf(agents, rules, contracts);
const policy = { failureThreshold: 3, waits: [], onExhausted: "compensate", onRejected: "compensate" } as const;
const head = { name: "loan", version: 1, policy } as const;
const times = { after: [], completeWithin: "PT10S", compensation: "nothing" } as const;
const rate = { ...times, name: "rate", agent: "bureau", operation: "rate" } as const;
const appraise = {
  ...times,
  name: "appraise",
  agent: "bureau",
  operation: "appraise",
  forEach: "collaterals",
} as const;
const pay = { ...times, name: "pay", agent: "bank", operation: "pay", after: ["rate", "appraise"] } as const;
const print = { ...times, name: "print", agent: "printer", operation: "print" } as const;

const look = { ...times, name: "look", agent: "bureau", operation: "survey" } as const;
const listed = { ...appraise, after: ["look"], forEach: "look.collaterals" } as const;

const appraisedOnce = { ...rate, name: "appraise", operation: "appraise" } as const;

const unweighed = { compensation: { operation: "unweigh", completeWithin: "PT10S" } } as const;
const weigh = { ...listed, ...unweighed, name: "weigh", agent: "valuer", operation: "weigh" } as const;
const price = { ...listed, name: "price", agent: "valuer", operation: "price" } as const;

const judge = { ...listed, name: "judge", agent: "appraiser", operation: "decide" } as const;
const keep = { ...listed, name: "keep", agent: "archive", operation: "keep" } as const;

const priced = { operation: "price", completeWithin: "PT10S" } as const;

const loan = defineWorkflow({ ...head, steps: [rate, appraise, { ...pay, when: "isGood" }] });
const letter = defineWorkflow({ ...head, name: "letter", steps: [{ ...print, forEach: "words" }] });

const approve = { ...rate, name: "approve", after: ["rate"], awaitWithin: "P2D" } as const;

const planted = [
  // @ts-expect-error there is no such condition
  () => defineWorkflow({ ...head, steps: [rate, { ...{ ...approve, when: "isGod" } }] }),
  // @ts-expect-error there is no such list
  () => defineWorkflow({ ...head, steps: [rate, { ...{ ...approve, forEach: "collateral" } }] }),
  // @ts-expect-error there is no such step
  () => defineWorkflow({ ...head, steps: [rate, { ...approve, otherwise: "rated" }] }),
  // @ts-expect-error no step has such a member
  () => defineWorkflow({ ...head, steps: [rate, { ...approve, assigned: "clerks" }] }),
  // @ts-expect-error the printer takes letters
  () => defineWorkflow({ ...head, steps: [print] }),
  // @ts-expect-error the bureau takes loans
  () => defineWorkflow({ ...head, name: "letter", steps: [rate] }),
  // @ts-expect-error a condition on letters
  () => defineWorkflow({ ...head, steps: [{ ...rate, when: "isShort" }] }),
  // @ts-expect-error a list of a letter's
  () => defineWorkflow({ ...head, steps: [{ ...rate, forEach: "words" }] }),
  // @ts-expect-error the condition reads a step that this workflow does not have
  () => defineWorkflow({ ...head, steps: [appraise, { ...pay, after: ["appraise"], when: "isGood" }] }),
  // @ts-expect-error the step that the condition reads does not come before it
  () => defineWorkflow({ ...head, steps: [rate, appraise, { ...pay, after: ["appraise"], when: "isGood" }] }),
  // @ts-expect-error the step that the condition reads has another result
  () => defineWorkflow({ ...head, steps: [rate, appraise, { ...pay, when: "isNamed" }] }),
  // @ts-expect-error the condition reads a list's results, and the step runs once
  () => defineWorkflow({ ...head, steps: [appraisedOnce, { ...look, after: ["appraise"], when: "isWorthy" }] }),
  // @ts-expect-error the agent reads a score, and this step records a value
  () => defineWorkflow({ ...head, steps: [{ ...rate, operation: "appraise" }, appraise, pay] }),
  // @ts-expect-error the agent reads a list's results, and the step runs once
  () => defineWorkflow({ ...head, steps: [rate, appraisedOnce, pay] }),
  // @ts-expect-error an item that is skipped has no result, and the agent expects one
  () => defineWorkflow({ ...head, steps: [rate, { ...appraise, optional: true }, pay] }),
  // @ts-expect-error the step with the list does not come before it
  () => defineWorkflow({ ...head, steps: [look, { ...listed, after: [] }] }),
  // @ts-expect-error there is no such step
  () => defineWorkflow({ ...head, steps: [look, { ...listed, forEach: "looked.collaterals" }] }),
  // @ts-expect-error its result has no such list
  () => defineWorkflow({ ...head, steps: [look, { ...listed, forEach: "look.collateral" }] }),
  // @ts-expect-error it is a list of texts
  () => defineWorkflow({ ...head, steps: [look, { ...listed, forEach: "look.names" }] }),
  // @ts-expect-error it is no list
  () => defineWorkflow({ ...head, steps: [look, { ...listed, forEach: "look.place" }] }),
  // @ts-expect-error the list may be null
  () => defineWorkflow({ ...head, steps: [look, { ...listed, forEach: "look.more" }] }),
  // @ts-expect-error the step with the list is done for each item
  () => defineWorkflow({ ...head, steps: [{ ...look, forEach: "collaterals" }, listed] }),
  // @ts-expect-error the items of the result have no price
  () => defineWorkflow({ ...head, steps: [look, price] }),
  // @ts-expect-error nor have those of the content
  () => defineWorkflow({ ...head, steps: [{ ...price, after: [], forEach: "collaterals" }] }),
  // @ts-expect-error nor can a rule have one
  () => defineWorkflow({ ...head, steps: [look, judge] }),
  // @ts-expect-error nor an agent of this app
  () => defineWorkflow({ ...head, steps: [look, keep] }),
  // @ts-expect-error its compensation takes items without an id
  () => defineWorkflow({ ...head, steps: [look, { ...weigh, operation: "count", compensation: priced }] }),
  // @ts-expect-error a step with a list has no one result
  () => defineWorkflow({ ...head, outputs: { value: "appraise.value" }, steps: [rate, appraise, pay] }),
];

const app = (all: readonly AnyAgent[]) => defineApp({ contracts, agents: all, workflows: [loan, letter], rules });

test("an agent that reads a step of no workflow does not compile", () => {
  const misspelt = defineAgent({
    name: "bank",
    service: service("Bank"),
    seen,
    reads: { rated: score },
    results: { pay: score },
    operations: { pay: done },
  });
  // @ts-expect-error no workflow has a step rated
  const defined = defineApp({ contracts, agents: [bureau, misspelt, printer], workflows: [loan, letter], rules });
  expect(defined.agents).toHaveLength(3);
});

test("what fits compiles: steps before it, their results, and those of a list as an array", () => {
  expect(app(agents).workflowNames).toEqual(["loan", "letter"]);
  const reaches = { ...pay, name: "reached", after: ["pay"], when: "isWorthy" } as const;
  expect(defineWorkflow({ ...head, steps: [rate, appraise, pay, reaches] }).steps).toHaveLength(4);
  expect(defineWorkflow({ ...head, steps: [look, rate, listed, pay, reaches] }).steps).toHaveLength(5);
  const later = { ...listed, after: ["rate"] } as const;
  expect(defineWorkflow({ ...head, steps: [look, { ...rate, after: ["look"] }, later] }).steps).toHaveLength(3);
  expect(defineWorkflow({ ...head, steps: [look, weigh] }).steps).toHaveLength(2);
  expect(defineWorkflow({ ...head, steps: [{ ...weigh, after: [], forEach: "collaterals" }] }).steps).toHaveLength(1);
  expect(defineWorkflow({ ...head, steps: [look, { ...price, operation: "count" }] }).steps).toHaveLength(2);
  expect(defineWorkflow({ ...head, steps: [look, { ...keep, operation: "drop" }] }).steps).toHaveLength(2);
  expect(defineWorkflow({ ...head, steps: [rate, { ...approve, assignee: "clerks" }] }).steps).toHaveLength(2);
  expect(planted).toHaveLength(28);
});
