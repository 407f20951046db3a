// Advice on times: what a workflow's steps took in a sample of its jobs, what their time limits could be, and what other limits would have done to
// these jobs. From the records alone: each keeps of a step the times of its last run, and counts those before it.
import {
  counted,
  durationMs,
  LONGEST_STEP_MS,
  policyFor,
  START_WITHIN,
  type StateRecord,
  type StepRun,
  stepOfRun,
  type Workflow,
} from "@scheduler-agent-supervisor/core/domain";
import { percentile } from "./sample.ts";

/** What is read of a job that has ended. */
export type EndedJob = Pick<StateRecord, "workflow" | "steps">;

/** In milliseconds. */
export interface Times {
  readonly count: number;
  readonly p50Ms: number;
  readonly p99Ms: number;
  readonly mostMs: number;
}

export interface Changes {
  readonly startWithinMs?: number | undefined;
  readonly completeWithinMs?: number | undefined;
  readonly failureThreshold?: number | undefined;
}

/** What the limits would have done to the jobs of the sample. */
export interface Outlook {
  readonly jobs: number;
  /** Jobs in which the step was taken up later than that: it would have been scheduled again, with no failure counted. */
  readonly startedLater: number;
  /** Jobs in which its last run took longer than that: it would have timed out. */
  readonly timedOut: number;
  /** Jobs in which its failures, with that one, would have reached the threshold. */
  readonly exhausted: number;
}

export interface StepAdvice {
  readonly step: string;
  readonly agent: string;
  /** From when it was scheduled until its agent took it up. */
  readonly start: Times | null;
  /** From then until its agent was done, or its service had accepted it. */
  readonly work: Times | null;
  /** Of a step that is done later: from its acceptance to its report. */
  readonly wait: Times | null;
  /** Attempts that ran out of time, and times at which no agent took it up, in all jobs of the sample. */
  readonly timeouts: number;
  readonly notTakenUp: number;
  readonly current: { readonly startWithin: string; readonly completeWithin: string };
  /** Null with the reason, if too little is known. */
  readonly proposed: { readonly startWithin: string; readonly completeWithin: string } | null;
  readonly because: string;
  readonly outlook: { readonly today: Outlook; readonly proposed: Outlook | null; readonly asked: Outlook | null };
}

/** With fewer runs, one slow call is the 99th percentile. */
const FEWEST_RUNS = 100;
/** The limit is for what is unusual: three times what 99 of 100 runs need. */
const MARGIN = 3;
const SHORTEST_COMPLETE_MS = 2000;
/** An instance that starts needs some seconds. */
const SHORTEST_START_MS = 10_000;
const LONGEST_START_MS = 120_000;
/** A share of attempts that ran out of time: beyond it the observed times are cut off at the limit. */
const CUT_OFF = 0.01;

/** The newest version's steps, in their sequence. @param jobs of any workflow; others than this one's are left out */
export function adviceOn(workflow: Workflow, jobs: readonly EndedJob[], changes: Changes = {}): StepAdvice[] {
  const own = jobs.filter((job) => job.workflow.name === workflow.name);
  return workflow.steps.map((step) => adviceOnStep(workflow, step, own, changes));
}

function adviceOnStep(
  workflow: Workflow,
  { name, agent, startWithin = START_WITHIN, completeWithin }: Workflow["steps"][number],
  jobs: readonly EndedJob[],
  changes: Changes,
): StepAdvice {
  const byJob = jobs.map(({ steps }) =>
    Object.keys(steps).flatMap((run) => (stepOfRun(run) === name ? [runIn(steps[run])] : [])),
  );
  const runs = byJob.flat();
  const start = timesOf(runs.flatMap(({ startMs }) => startMs ?? []));
  const work = timesOf(runs.flatMap(({ workMs }) => workMs ?? []));
  const timeouts = sum(runs.map(({ retries }) => retries));
  const current = { startWithin, completeWithin };
  const { failureThreshold } = policyFor(workflow, name);
  const today: Required<Limits> = {
    startWithinMs: durationMs(startWithin) ?? 0,
    completeWithinMs: durationMs(completeWithin) ?? 0,
    failureThreshold,
  };
  const { proposed, because } = proposalFor(start, work, timeouts, today);
  const isAsked = Object.values(changes).some((value) => value !== undefined);
  const known = Object.fromEntries(Object.entries(changes).filter(([, value]) => value !== undefined));
  return {
    ...{ step: name, agent, start, work },
    wait: timesOf(runs.flatMap(({ waitMs }) => waitMs ?? [])),
    ...{ timeouts, notTakenUp: sum(runs.map(({ waits }) => waits)), current },
    proposed: proposed && {
      startWithin: inWords(proposed.startWithinMs),
      completeWithin: inWords(proposed.completeWithinMs),
    },
    because,
    outlook: {
      today: outlookOf(byJob, today),
      proposed: proposed && outlookOf(byJob, { ...today, ...proposed }),
      asked: isAsked ? outlookOf(byJob, { ...today, ...known }) : null,
    },
  };
}

interface Limits {
  readonly startWithinMs: number;
  readonly completeWithinMs: number;
  readonly failureThreshold: number;
}

interface Run {
  readonly startMs: number | undefined;
  readonly workMs: number | undefined;
  readonly waitMs: number | undefined;
  readonly retries: number;
  readonly waits: number;
  readonly failures: number;
}

/** A skipped or unknown step has no times. */
function runIn(run: StepRun | undefined): Run {
  const { scheduledAt, startedAt, endedAt, accepted, retryCount = 0, waitCount = 0, failureCount = 0 } = run ?? {};
  return {
    startMs: between(scheduledAt, startedAt),
    workMs: between(startedAt, accepted?.at ?? endedAt),
    waitMs: between(accepted?.at, endedAt),
    ...{ retries: retryCount, waits: waitCount, failures: failureCount },
  };
}

/** Two clocks may differ by more than the time. */
function between(from: string | null | undefined, to: string | null | undefined): number | undefined {
  return from && to ? Math.max(0, Date.parse(to) - Date.parse(from)) : undefined;
}

function timesOf(values: readonly number[]): Times | null {
  if (values.length === 0) return null;
  const [p50Ms, p99Ms, mostMs] = [percentile(values, 0.5), percentile(values, 0.99), Math.max(...values)];
  return { count: values.length, p50Ms, p99Ms, mostMs };
}

const sum = (values: readonly number[]): number => values.reduce((total, one) => total + one, 0);

type Proposal = Pick<Limits, "startWithinMs" | "completeWithinMs">;

function proposalFor(
  start: Times | null,
  work: Times | null,
  timeouts: number,
  today: Limits,
): { readonly proposed: Proposal | null; readonly because: string } {
  const count = work?.count ?? 0;
  if (!work || count < FEWEST_RUNS)
    return { proposed: null, because: `${count} of at least ${FEWEST_RUNS} runs are known` };
  const isCutOff = timeouts / (count + timeouts) > CUT_OFF;
  const wanted = Math.max(MARGIN * work.p99Ms, SHORTEST_COMPLETE_MS, isCutOff ? today.completeWithinMs : 0);
  const completeWithinMs = Math.min(rounded(wanted), LONGEST_STEP_MS);
  // Without its times, or over a queue, nothing is known against today's.
  const startMs = start ? rounded(Math.max(MARGIN * start.p99Ms, SHORTEST_START_MS)) : today.startWithinMs;
  const startWithinMs = Math.min(startMs, LONGEST_START_MS);
  const because = isCutOff
    ? `${counted(timeouts, "attempt")} ran out of time, so longer runs are not seen: not shorter than today`
    : `${MARGIN} times the 99th percentile of ${counted(count, "run")}, rounded up`;
  return { proposed: { startWithinMs, completeWithinMs }, because };
}

const STEPS_MS = [1, 2, 3, 5, 10, 15, 20, 30, 45, 60, 90, 120, 180, 240].map((seconds) => seconds * 1000);

function rounded(ms: number): number {
  return STEPS_MS.find((step) => step >= ms) ?? ms;
}

function inWords(ms: number): string {
  return ms % 60_000 === 0 ? `PT${ms / 60_000}M` : `PT${ms / 1000}S`;
}

function outlookOf(byJob: readonly (readonly Run[])[], limits: Limits): Outlook {
  const { startWithinMs, completeWithinMs, failureThreshold } = limits;
  const isLong = ({ workMs = 0 }: Run) => workMs > completeWithinMs;
  const failuresOf = (run: Run) => run.failures + (isLong(run) ? 1 : 0);
  const jobs = byJob.filter((runs) => runs.length > 0);
  const count = (holds: (run: Run) => boolean) => jobs.filter((runs) => runs.some(holds)).length;
  return {
    jobs: jobs.length,
    startedLater: count(({ startMs = 0 }) => startMs > startWithinMs),
    timedOut: count(isLong),
    exhausted: count((run) => failuresOf(run) >= failureThreshold),
  };
}
