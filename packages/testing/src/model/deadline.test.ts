// The deadline of a whole job in the model (P35): it may pass whenever a sweep looks, and the domain decides what comes of it.
import { type JobDeadline, NOT_STARTED, type StateRecord } from "@scheduler-agent-supervisor/core/domain";
import type { Workflow } from "@scheduler-agent-supervisor/core/workflows";
import { expect, test } from "vitest";
import { LONG_AGO } from "./abstract-time.ts";
import { Coverage } from "./coverage.ts";
import { exploreStates, type Finding } from "./explorer.ts";
import { Model } from "./model.ts";
import type { Mutant } from "./mutant.ts";
import { type Bounds, NOTHING_GOES_WRONG, type Setting } from "./setting.ts";

const MOST_STATES = 50_000;

function chain(onExpired: JobDeadline["onExpired"], more: Partial<Workflow["steps"][number]> = {}): Workflow {
  const step = (name: string, after: readonly string[]) => ({
    ...{ name, agent: "service", operation: name, after, completeWithin: "PT30S" },
    compensation: { operation: `un${name}`, completeWithin: "PT30S" },
  });
  return {
    ...{ name: "model", version: 1, steps: [{ ...step("a", []), ...more }, step("b", ["a"])] },
    policy: { failureThreshold: 2, waits: ["PT30S"], onExhausted: "compensate", onRejected: "compensate" },
    deadline: { completeWithin: "P366D", onExpired },
  };
}

interface World extends Partial<Pick<Setting, "mutant" | "isCoarse" | "hosts" | "isUnreduced">> {
  readonly workflow: Workflow;
  readonly bounds?: Partial<Bounds>;
}

async function explored({ workflow, bounds = {}, ...more }: World) {
  const setting = { name: "deadline", workflow, hosts: ["east"], requests: [], ...more } satisfies Partial<Setting>;
  const model = new Model({ ...setting, bounds: { ...NOTHING_GOES_WRONG, deadlines: 1, ...bounds } });
  const coverage = new Coverage(model);
  const report = await exploreStates(model, { states: MOST_STATES, onState: (state) => coverage.add(state) });
  return { ...report, fault: inWords(report.finding), unseen: coverage.unseen() };
}

const inWords = (finding: Finding | undefined) => finding && `${finding.fault}\n${finding.trace.join("\n")}`;

test.each([
  { onExpired: "compensate", ends: ["Compensated", "Processed"] },
  { onExpired: "fail", ends: ["Error", "Processed"] },
] as const)("P35 the deadline passes at any time, and says what then: $onExpired", async ({ onExpired, ends }) => {
  for (const isCoarse of [true, false]) {
    const found = await explored({ workflow: chain(onExpired), isCoarse, bounds: { timeouts: isCoarse ? 1 : 0 } });
    expect(found.fault).toBeUndefined();
    expect({ complete: found.complete, ends: found.ends }).toEqual({ complete: true, ends });
    expect(found.unseen.faults).toEqual([]);
    expect(found.settled).toBe(found.states);
  }
});

test("P35 a step that waits is compensated beside one that is at work when the deadline passes, and is rejected", async () => {
  const { steps, ...workflow } = chain("compensate", { awaitWithin: "P1D" });
  const beside = { ...workflow, steps: steps.map((step) => ({ ...step, after: [] })) };
  const found = await explored({ workflow: beside, isCoarse: true, bounds: { rejections: 1, timeouts: 0 } });
  expect(found.fault).toBeUndefined();
  expect({ complete: found.complete, ends: found.ends }).toEqual({
    ...{ complete: true, ends: ["Compensated", "Error", "Processed"] },
  });
});

const sweepReads = (read: (record: StateRecord) => StateRecord): Mutant => ({
  reads: (record, operation) => (operation === "sweep" ? read(record) : record),
});
const withoutIts = ({ deadlineAt: _, ...record }: StateRecord): StateRecord => record;
const atDeadline = (change: (record: StateRecord) => StateRecord): Mutant => ({
  replaces: (record) => (record.history.at(-1)?.what.startsWith("its deadline") ? change(record) : record),
});
const asBefore = (record: StateRecord): StateRecord =>
  record.processState === "Processed" && record.outbox.length > 0
    ? { ...record, processState: "Pending", deadlineAt: LONG_AGO }
    : record;

test.each([
  { name: "a supervisor that knows no deadline", mutant: sweepReads(withoutIts), leadsTo: "has passed, and" },
  {
    name: "a deadline that is taken to have passed",
    mutant: sweepReads((record) => ({ ...record, deadlineAt: LONG_AGO })),
    leadsTo: "said to have passed that has not",
  },
  {
    name: "a deadline that hits a job which has ended",
    mutant: sweepReads(asBefore),
    bounds: { outages: 1 },
    leadsTo: "an ended job changed",
  },
  {
    name: "a deadline that stays when it has passed",
    mutant: atDeadline((record) => ({ ...record, deadlineAt: LONG_AGO })),
    leadsTo: "hits the job again",
  },
  {
    name: "a compensation at the deadline that forgets a step",
    mutant: atDeadline(forgetting),
    leadsTo: "the effects of a are left",
  },
] satisfies Planted[])("P35 planted, $name: it is found", async (planted: Planted) => {
  const { mutant, bounds = {}, leadsTo } = planted;
  const { fault } = await explored({ workflow: chain("compensate"), bounds, isCoarse: true, mutant });
  expect(fault ?? "").toContain(leadsTo);
});

interface Planted {
  readonly name: string;
  readonly mutant: Mutant;
  readonly leadsTo: string;
  readonly bounds?: Partial<Bounds>;
}

function forgetting(record: StateRecord): StateRecord {
  const { a } = record.steps;
  if (a?.state !== "Completed") return record;
  return { ...record, steps: { ...record.steps, a: { ...a, compensation: { ...NOT_STARTED, state: "Completed" } } } };
}
