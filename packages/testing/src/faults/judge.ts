// What has to be true of a job's life when it is over, wherever its host died: it rests, no effect twice, none left, all of it published.
import { hasEnded, type StateRecord, type StepRecord, stepOfRun } from "@scheduler-agent-supervisor/core/domain";
import type { Workflow } from "@scheduler-agent-supervisor/core/workflows";
import type { Evidence, ServiceEffect } from "./evidence.ts";
import { publishedFaults } from "./published.ts";

/** What a life was like in which no process died: one in which some die has to be the same. */
export interface Alone {
  readonly processState: StateRecord["processState"];
  readonly error: string | undefined;
  /** Effects under keys that name no step: whose they are is not known, so they are counted. */
  readonly nameless: readonly string[];
}

/** The effects that one run of a step has, by `openAccount:forward`. */
export type UsualEffects = ReadonlyMap<string, readonly string[]>;

type Direction = "forward" | "compensate";
const labelOf = (run: string, direction: Direction): string => `${stepOfRun(run)}:${direction}`;

/** In words; empty where all is as it has to be. */
export function faultsOfLife(
  workflow: Workflow,
  { record, effects, published, running }: Evidence,
  usual: UsualEffects,
  alone?: Alone,
): string[] {
  if (!record) return ["there is no record"];
  return [
    ...restFaults(record, running),
    ...(alone ? differences(record, effects, alone) : []),
    ...Object.entries(record.steps).flatMap(([run, step]) => effectFaults(run, step, record, effects, usual)),
    ...leftovers(workflow, record),
    ...publishedFaults(workflow, record, published),
  ];
}

/** Of a job that is over nobody has anything left to do. */
export function restFaults(record: StateRecord, running: readonly string[]): string[] {
  const { processState, lockedBy, dueAt, outbox } = record;
  return [
    ...(hasEnded(processState) ? [] : [`it has not ended: it is ${processState}`]),
    ...(lockedBy === null ? [] : [`${lockedBy} still holds it`]),
    ...(dueAt === undefined ? [] : [`it is still due at ${dueAt}`]),
    ...(outbox.length === 0 ? [] : [`not published: ${outbox.map(({ status }) => status).join(", ")}`]),
    ...running.map((attempt) => `an orchestration still runs: ${attempt}`),
  ];
}

export function aloneOf({ record, effects }: Evidence): Alone | undefined {
  if (!record) return undefined;
  return {
    processState: record.processState,
    error: record.error?.kind,
    nameless: namelessOf(record, effects),
  };
}

/** If the host is not killed and no service fails, a job is processed. */
export function unprocessed({ record }: Evidence): string[] {
  if (!record || !hasEnded(record.processState) || record.processState === "Processed") return [];
  const { processState, error } = record;
  return [
    `the host was not killed, and the job ended ${processState}: ${error?.message}. Give content that goes through.`,
  ];
}

/** The effects of the steps in runs in which the host was not killed. */
export function usualOf(evidence: readonly Evidence[]): UsualEffects {
  const usual = new Map<string, readonly string[]>();
  for (const { record, effects } of evidence) {
    for (const run of Object.keys(record?.steps ?? {})) {
      for (const direction of ["forward", "compensate"] as const) {
        const own = effectsOf(run, direction, effects);
        if (own.length > 0) usual.set(labelOf(run, direction), own);
      }
    }
  }
  return usual;
}

/** A key is `<job>:<run>:<direction>`, with what the agent and the generation put behind it. */
function effectsOf(run: string, direction: Direction, effects: readonly ServiceEffect[]): string[] {
  return effects.filter(({ key }) => isOf(key, run, direction)).map(effectInWords);
}

function isOf(key: string, run: string, direction: Direction): boolean {
  const [, ownRun, word = ""] = key.split(":");
  return ownRun === run && (direction === "forward" ? word === "forward" : word !== "" && word !== "forward");
}

/** Whether a run of the step had it, forward. */
export const isForward = ({ key }: ServiceEffect, step: string): boolean => {
  const [, run = "", word] = key.split(":");
  return stepOfRun(run) === step && word === "forward";
};

export const effectInWords = ({ service, path, action }: ServiceEffect): string => `${service} ${path} ${action}`;

function namelessOf({ steps }: StateRecord, effects: readonly ServiceEffect[]): string[] {
  const runs = Object.keys(steps);
  return effects
    .filter(({ key }) => !runs.some((run) => isOf(key, run, "forward") || isOf(key, run, "compensate")))
    .map(effectInWords)
    .sort();
}

/** The run of an operation that is done at most once, or cannot be found: it was cut off, and it is not tried again. */
function isOfUnknownOutcome({ state, outcomeUnknown, compensation }: StepRecord): boolean {
  const isForward = outcomeUnknown === true && ["Failed", "Skipped"].includes(state);
  return isForward || (compensation?.outcomeUnknown === true && compensation.state === "Failed");
}

/** A job whose step has an unknown outcome may wait in Error for a person, wherever it would have ended. */
function mayWaitForPerson({ processState, error, steps }: StateRecord): boolean {
  if (processState !== "Error" || error === null) return false;
  return Object.values(steps).some(isOfUnknownOutcome);
}

function differences(record: StateRecord, effects: readonly ServiceEffect[], alone: Alone): string[] {
  const nameless = namelessOf(record, effects);
  if (mayWaitForPerson(record)) {
    const twice = nameless.filter(
      (effect, index) => nameless.indexOf(effect) !== index && !alone.nameless.includes(effect),
    );
    return twice.length === 0 ? [] : [`effects under keys that name no step were had twice: ${list(unique(twice))}`];
  }
  const found = `${record.processState} ${record.error?.kind ?? ""}`.trim();
  const wanted = `${alone.processState} ${alone.error ?? ""}`.trim();
  return [
    ...(found === wanted ? [] : [`it ended ${found}, and without a fault ${wanted}`]),
    ...(same(nameless, alone.nameless)
      ? []
      : [`effects under keys that name no step: ${list(nameless)}, and without a fault ${list(alone.nameless)}`]),
  ];
}

function effectFaults(
  run: string,
  step: StepRecord,
  { jobId }: StateRecord,
  effects: readonly ServiceEffect[],
  usual: UsualEffects,
): string[] {
  const own = effects.filter(({ key }) => key.startsWith(`${jobId}:`));
  const forward = effectsOf(run, "forward", own);
  const compensated = effectsOf(run, "compensate", own);
  const once = (direction: Direction, found: readonly string[]) => usual.get(labelOf(run, direction)) ?? unique(found);
  const did = [once("forward", forward), [] as readonly string[]] as const;
  const tookBack = [once("forward", forward), once("compensate", compensated)] as const;
  const nothing = [[], []] as const;
  // Whether it was done is not known, and a person settles it: it was done once, or not at all.
  if (isOfUnknownOutcome(step)) {
    const isOnce = (all: readonly string[]) => all.length === unique(all).length;
    if (isOnce(forward) && isOnce(compensated)) return [];
    return [`${run} was done twice, and its outcome is unknown: ${list([...forward, ...compensated])}`];
  }
  const isCompensated = step.state === "Compensated" || step.compensation?.state === "Completed";
  if (isCompensated && forward.length > 0 && compensated.length === 0)
    return [`${run} is compensated, and what it did stands: ${list(forward)}`];
  // What had no effect is compensated by none.
  const allowed = isCompensated ? [tookBack, nothing] : step.state === "Completed" ? [did] : [nothing];
  if (allowed.some(([one, other]) => same(one, forward) && same(other, compensated))) return [];
  const [[wantedForward, wantedCompensated]] = allowed as [readonly [readonly string[], readonly string[]]];
  return [
    `${run} is ${step.state}: its effects are ${list(forward)}, not ${list(wantedForward)}` +
      `; those of its compensation ${list(compensated)}, not ${list(wantedCompensated)}`,
  ];
}

/** After a compensation nothing stands that could be compensated. */
function leftovers({ steps }: Workflow, record: StateRecord): string[] {
  if (!["Compensated", "Cancelled"].includes(record.processState)) return [];
  return Object.entries(record.steps).flatMap(([run, { state }]) => {
    const compensation = steps.find(({ name }) => name === stepOfRun(run))?.compensation;
    return state === "Completed" && typeof compensation === "object"
      ? [`${run} is left after the compensation: it is still Completed`]
      : [];
  });
}

const unique = (all: readonly string[]): string[] => [...new Set(all)];
const same = (one: readonly string[], other: readonly string[]): boolean =>
  one.length === other.length && one.toSorted().join("\n") === other.toSorted().join("\n");
const list = (all: readonly string[]): string => (all.length === 0 ? "none" : `[${all.join(", ")}]`);
