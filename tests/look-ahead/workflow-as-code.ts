// A look ahead (ADR 25): a workflow as a generator. Its steps are recorded in the same state record, and it is run again against the record to learn
// what comes next: the record alone is the job's memory. Nothing of it ships.

import type { Workflow, WorkflowStep } from "@scheduler-agent-supervisor/core/internal/domain/definition/workflow";
import type {
  StateRecord,
  StepRecord,
  StepResult,
  Steps,
} from "@scheduler-agent-supervisor/core/internal/domain/record/state-record";
import { NOT_STARTED } from "@scheduler-agent-supervisor/core/internal/domain/record/state-record";

/** A step's declaration without its place: the code says when it begins. */
export type Asked = Omit<WorkflowStep, "name" | "after" | "optional" | "when" | "needs" | "otherwise" | "forEach">;

type Command =
  | { readonly kind: "step"; readonly name: string; readonly asked: Asked }
  | { readonly kind: "all"; readonly branches: readonly Flow<unknown>[] };

/** What a workflow's code is: it yields commands, and gets their results, or the error of a step that was given up. */
export type Flow<Result> = Generator<Command, Result, unknown>;
export type Code<Content> = (content: Content) => Flow<unknown>;

/** The step was rejected, or its attempts are used up: its possible effect is compensated. */
export class StepFailed extends Error {
  override readonly name = "StepFailed";
  readonly step: string;
  constructor(step: string, message: string) {
    super(message);
    this.step = step;
  }
}

/** Runs one step. @param name unique in its job: in a loop it contains the round */
export function* step(name: string, asked: Asked): Flow<StepResult> {
  return (yield { kind: "step", name, asked }) as StepResult;
}

/** Runs several side by side, and waits for all. */
export function* all<Result>(branches: readonly Flow<Result>[]): Flow<readonly Result[]> {
  return (yield { kind: "all", branches }) as readonly Result[];
}

/** What the code has asked for so far, in this job. */
export interface Replayed {
  readonly workflow: Workflow;
  readonly end:
    | { readonly kind: "waits" }
    | { readonly kind: "returned" }
    | { readonly kind: "threw"; readonly cause: unknown };
}

type Base = Pick<Workflow, "name" | "version" | "policy">;

/** The code's answer changed: it does not ask for a step that its job has. The job must not go on with it. */
export class OtherCode extends Error {
  override readonly name = "OtherCode";
}

/** Runs the code against the record. @throws OtherCode */
export function replay<Content>(code: Code<Content>, content: Content, base: Base, steps: Steps): Replayed {
  const found: WorkflowStep[] = [];
  const run = advance(code(content), [], steps, found);
  const names = new Set(found.map(({ name }) => name));
  if (names.size < found.length) throw new OtherCode("two steps of the code have one name");
  const lost = Object.keys(steps).filter((name) => !names.has(name));
  // Steps after one that was caught differently, or the content, or the code.
  if (lost.length > 0) throw new OtherCode(`the code does not ask for ${lost.join(", ")}, which the job has`);
  return { workflow: { ...base, steps: found }, end: run.end };
}

interface Advanced {
  readonly end: Replayed["end"];
  readonly value?: unknown;
  /** What comes next comes after these. */
  readonly last: readonly string[];
}

function advance(flow: Flow<unknown>, before: readonly string[], steps: Steps, found: WorkflowStep[]): Advanced {
  let last = before;
  let resume = () => flow.next();
  for (;;) {
    let next: IteratorResult<Command, unknown>;
    try {
      next = resume();
    } catch (cause) {
      return { end: { kind: "threw", cause }, last };
    }
    if (next.done) return { end: { kind: "returned" }, value: next.value, last };
    const command = next.value;
    const answered =
      command.kind === "step" ? oneStep(command, last, steps, found) : several(command.branches, last, steps, found);
    const { end, value } = answered;
    if (end.kind === "waits") return { end, last };
    last = answered.last;
    resume = end.kind === "threw" ? () => flow.throw(end.cause) : () => flow.next(value);
  }
}

function oneStep(
  { name, asked }: Extract<Command, { kind: "step" }>,
  after: readonly string[],
  steps: Steps,
  found: WorkflowStep[],
): Advanced {
  const record = steps[name];
  // Only a step that was given up, and whose job went on, was caught.
  found.push({ ...asked, name, after, ...(record?.state === "Skipped" && { optional: true }) });
  const last = [name];
  switch (record?.state) {
    case "Completed":
    case "Compensated":
      return { end: { kind: "returned" }, value: record.result ?? {}, last };
    case "Skipped":
    case "Failed":
      return {
        end: { kind: "threw", cause: new StepFailed(name, record.skipped?.message ?? record.error ?? "") },
        last,
      };
    default:
      return { end: { kind: "waits" }, last };
  }
}

function several(
  branches: readonly Flow<unknown>[],
  after: readonly string[],
  steps: Steps,
  found: WorkflowStep[],
): Advanced {
  const runs = branches.map((branch) => advance(branch, after, steps, found));
  const waits = runs.find(({ end }) => end.kind === "waits");
  const threw = runs.find(({ end }) => end.kind === "threw");
  const last = runs.flatMap((run) => run.last);
  // A branch that failed is known when the others have ended too: nothing runs on unseen.
  if (waits) return { end: waits.end, last };
  return threw ? { end: threw.end, last } : { end: { kind: "returned" }, value: runs.map(({ value }) => value), last };
}

/** The record with an entry for each step that the code asks for. */
export function withSteps(record: StateRecord, { steps }: Workflow): StateRecord {
  const added = steps.flatMap(({ name, agent, assignee }): [string, StepRecord][] => {
    const fresh = { ...NOT_STARTED, agent, result: null, compensation: null, generation: 1 };
    return record.steps[name] ? [] : [[name, assignee ? { ...fresh, assignee } : fresh]];
  });
  return added.length === 0 ? record : { ...record, steps: { ...record.steps, ...Object.fromEntries(added) } };
}

/** Whether the code goes on if that step is given up: its own `try` decides, asked by a run with that end. */
export function catches<Content>(
  code: Code<Content>,
  content: Content,
  base: Base,
  steps: Steps,
  name: string,
): boolean {
  const own = steps[name];
  if (!own) return false;
  const failed: StepRecord = { ...own, state: "Failed", error: "if it were given up" };
  return replay(code, content, base, { ...steps, [name]: failed }).end.kind !== "threw";
}

/** The workflow as the scheduler takes it when that step may end badly. */
export function withCatch(workflow: Workflow, name: string, isCaught: boolean): Workflow {
  const steps = workflow.steps.map((each) => (each.name === name && isCaught ? { ...each, optional: true } : each));
  return { ...workflow, steps };
}
