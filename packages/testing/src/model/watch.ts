// What must hold of every write, message and call, and what the client is still owed.

import {
  type Direction,
  expiresAt,
  hasEnded,
  idempotencyKey,
  isInHand,
  isTakenUp,
  NOT_STARTED,
  pausesOf,
  runOf,
  runsInHand,
  type StateRecord,
  type StepRecord,
  type StepRun,
  stepOfRun,
  transitions,
} from "@scheduler-agent-supervisor/core/domain";
import type { Workflow } from "@scheduler-agent-supervisor/core/workflows";
import { NOW_MS } from "./abstract-time.ts";
import type { OperationName } from "./operation-name.ts";
import { act, liveSteps, type RecordedOutcome, type ServedCall, type ServiceState, stepOf } from "./service.ts";

export interface Writer {
  readonly operation: OperationName;
  /** Of a claim and of an agent: the attempt, and the name under which it holds the job. */
  readonly attempt?: number;
  readonly holder?: string;
  /** Of who reports what came of a step: its run. */
  readonly own?: { readonly step: string; readonly direction: Direction; readonly attempt: number } | undefined;
  /** Of a sweep: it has found the job past its deadline, and going forward. */
  readonly isPastDeadline?: true;
  /** What the clock shows, where it moves. */
  readonly nowMs?: number;
  /** Agents are known to be absent: a step that they do not take up fails. */
  readonly isNobodyThere?: boolean;
  /** Of a reply: the step that it is for, and what the clock showed when it was accepted. */
  readonly reply?: { readonly step: string; readonly direction: Direction; readonly acceptedAt: string };
}

type Step = [name: string, before: StepRecord, after: StepRecord];

/** What is wrong with a write; undefined if nothing is. */
export function faultOfWrite(before: StateRecord, after: StateRecord, writer: Writer): string | undefined {
  const operator = writer.operation === "operateJob";
  const next = after.attempt !== before.attempt;
  // Notices are cleared at the version read, by whoever told them.
  if (essence(before) === essence(after)) return undefined;
  if (isEnded(before) && !operator && !isOnlyStepOf(before, after, writer)) return "an ended job changed";
  if (after.attempt < before.attempt || after.attempt > before.attempt + 1)
    return "attempts are not counted one by one";
  if (before.processState === "Processing" && after.processState === "Pending" && !next)
    return "a job went back to Pending in the same attempt";
  if (!mayPass(before, after)) return `there is no transition from ${before.processState} to ${after.processState}`;
  if ((after.lockedBy !== null) !== (after.processState === "Processing"))
    return "a lock without an attempt, or none with one";
  if (writer.own) {
    const fault = faultOfReport(before, after, writer.own);
    if (fault !== undefined) return fault;
  } else if (writer.attempt !== undefined) {
    if (writer.attempt !== before.attempt) return `attempt ${writer.attempt}, which is superseded, writes`;
    const holder = after.lockedBy ?? writer.holder;
    if (holder !== writer.holder && !isEnded(before)) return `${writer.holder} writes, and ${holder} holds the job`;
  }
  if (writer.reply && isLate(before, writer.reply)) return "a reply that came after complete-by is recorded";
  const failed = runsThatFailed(before, after);
  const failures = Math.max(0, ...failed.map(({ times }) => times));
  if (failures > 0) {
    if (failures > 1 || writer.operation !== "sweep" || before.processState !== "Processing")
      return "a step's failureCount rose by something else than one expiry";
    if (!next) return "a step's failureCount rose without another attempt";
    const isAtWork = (run: StepRun | null) => run !== null && (isTakenUp(run) || writer.isNobodyThere === true);
    if (!failed.every(({ name, way }) => isAtWork(runOf(before.steps[name], way))))
      return "a failure is counted of a step that no agent took up";
  }
  const ofDeadline = faultOfDeadline(before, after, writer);
  if (ofDeadline !== undefined) return ofDeadline;
  const { nowMs = NOW_MS } = writer;
  const isOverdue = writer.operation === "sweep" && !writer.isPastDeadline;
  if (isOverdue && before.processState === "Processing" && after.processState !== "Processing") {
    if (before.dueAt === undefined || Date.parse(before.dueAt) > nowMs)
      return "called overdue before its time on every clock";
    const cut = runsInHand(before.steps).find(
      ({ step, direction, run }) => Date.parse(expiresAt(run)) > nowMs && !isSameRun(after.steps[step], direction, run),
    );
    if (cut) return `${cut.step} is called overdue while it has time`;
  }
  const shorter = runsInHand(before.steps).find(({ step, direction, run }) =>
    isShortened(run, runOf(after.steps[step], direction)),
  );
  if (shorter) return `the time that ${shorter.step} may wait is cut short`;
  if (cutsShort(before, after, nowMs)) return "the time that an operator gave is cut short";
  const isLeft = (name: string) => !mayMakePlace(before, name) && !saysDoneManually(before, after);
  const gone = Object.keys(before.steps).find((name) => after.steps[name] === undefined && isLeft(name));
  if (gone) return `step ${gone} is gone, and may have had an effect`;
  const steps = Object.entries(before.steps).flatMap(([name, step]): Step[] => {
    const is = after.steps[name];
    return is ? [[name, step, is]] : [];
  });
  const recorded = operator ? outcomeRecorded(before, after) : undefined;
  return first(steps, (step) => faultOfStep(step, before, recorded?.step === step[0]));
}

/** The supervisor acts on a deadline once, when it has passed, and before anything else that is due of the job. */
function faultOfDeadline(before: StateRecord, after: StateRecord, { isPastDeadline }: Writer): string | undefined {
  const known = [before.error?.kind, before.error?.cause?.kind];
  const isSaid = after.error?.kind === "deadlinePassed" && !known.includes("deadlinePassed");
  if (isSaid && !isPastDeadline) return "a deadline is said to have passed that has not, or that hits nothing any more";
  if (!isPastDeadline) return undefined;
  if (!isSaid) return "the deadline has passed, and the supervisor lets the job go on";
  return after.deadlineAt ? "a deadline that has passed hits the job again" : undefined;
}

/** What an operator's write records of a step (docs/reference/operator-api.md). */
export function outcomeRecorded(before: StateRecord, after: StateRecord): RecordedOutcome | undefined {
  const said = after.history.slice(before.history.length).map(({ what }) => RECORDED.exec(what)?.groups);
  const { way, step, not } = said.find((groups) => groups !== undefined) ?? {};
  return step === undefined ? undefined : { step, direction: way ? "compensate" : "forward", isDone: !not };
}

const RECORDED = /^(?<way>compensation of )?(?<step>\S+): recorded as (?<not>not )?done: /;

const EXTENDED = /^time extended to (\S+):/;

/** The job is due when an operator said, and comes due before, while that time lasts and it is still at the same steps. */
function cutsShort(before: StateRecord, after: StateRecord, nowMs: number): boolean {
  const until = before.history.map(({ what }) => EXTENDED.exec(what)?.[1]).findLast((at) => at !== undefined);
  if (until === undefined || before.dueAt !== until || after.dueAt === undefined || after.dueAt >= until) return false;
  if (Date.parse(until) < nowMs) return false;
  // It is due for a poll that may be missed, and no time of a step ends then.
  const { dueAt } = after;
  const isPolled = ({ accepted, completeBy }: StepRun) =>
    (accepted?.pollAt ?? dueAt) < dueAt && dueAt < (completeBy ?? "");
  if (inHand(after).some(isPolled)) return false;
  // What a claim gave to a step may be as long as what was given to the claim.
  if (inHand(before).some((run) => expiresAt(run) >= until)) return false;
  const isOn = after.processState === before.processState && after.attempt === before.attempt;
  // The steps that come next have a time of their own.
  return (
    isOn &&
    Object.entries(after.steps).every(
      ([name, step]) => !runs(step, after) || runs(before.steps[name] as StepRecord, before),
    )
  );
}

/** Whoever does a step later has the time that it was given, or more. */
function isShortened(before: StepRun, after: StepRun | null): boolean {
  if (before.state !== "Awaiting" || after?.state !== "Awaiting" || before.attempt !== after.attempt) return false;
  return (after.completeBy ?? "") < (before.completeBy ?? "");
}

/** Each run that failed once more, or oftener. In a compensation nobody asks what a step failed on its way forward. */
export function runsThatFailed(before: StateRecord, after: StateRecord) {
  const ways = after.direction === "forward" ? (["forward", "compensate"] as const) : (["compensate"] as const);
  return Object.keys(before.steps).flatMap((name) =>
    ways.flatMap((way) => {
      const times = failuresOf(after.steps[name], way) - failuresOf(before.steps[name], way);
      return times > 0 ? [{ name, way, times }] : [];
    }),
  );
}

function failuresOf(step: StepRecord | undefined, way: Direction): number {
  return runOf(step, way)?.failureCount ?? 0;
}

function inHand({ steps }: StateRecord): StepRun[] {
  return runsInHand(steps).map(({ run }) => run);
}

function isSameRun(step: StepRecord | undefined, direction: Direction, run: StepRun): boolean {
  const { state, attempt, startBy, completeBy } = runOf(step, direction) ?? NOT_STARTED;
  return (
    state === run.state &&
    (!isInHand(run) || attempt === run.attempt) &&
    startBy === run.startBy &&
    completeBy === run.completeBy
  );
}

/** Who reports what came of a step's run may record that, and schedule what follows in the name of the attempt that holds the job. */
function faultOfReport(
  before: StateRecord,
  after: StateRecord,
  { step: name, direction, attempt }: NonNullable<Writer["own"]>,
): string | undefined {
  const own = runOf(before.steps[name], direction);
  if (!isInHand(own) || own.attempt !== attempt)
    return `${name} is recorded by attempt ${attempt}, which does not run it`;
  // The end of a compensation behind which an operator wants the job forward: each step begins anew, or keeps its result.
  if (before.thenForward && after.direction === "forward")
    return inHand(after).length > 0 ? "a job goes forward again while a step is in hand" : undefined;
  for (const [other, step] of Object.entries(after.steps)) {
    for (const way of ["forward", "compensate"] as const) {
      const [was, is] = [runOf(before.steps[other], way), runOf(step, way)];
      const isOwn = other === name && (way === direction || direction === "compensate");
      if (isOwn || isSameRun(step, way, was ?? NOT_STARTED)) continue;
      const isScheduled =
        is?.state === "Scheduled" && is.attempt === before.attempt && before.processState === "Processing";
      // A step that needs the one that is skipped, or need not stand in for the one that is done.
      if (is?.state === "Skipped" && was?.state === "NotStarted") continue;
      // A compensation does not wait for a step that is done later.
      if (way === "forward" && was?.state === "Awaiting" && isTakenBack(step, before)) continue;
      if (!isScheduled || isInHand(was)) return `who records ${name} changes ${other}`;
    }
  }
  return undefined;
}

/** Its compensation is scheduled for the attempt that holds the job, and its outcome counts as unknown. */
function isTakenBack(
  { state, outcomeUnknown, compensation }: StepRecord,
  { attempt, direction }: StateRecord,
): boolean {
  const isUnknown = state === "NotStarted" && outcomeUnknown === true;
  return (
    isUnknown && direction === "compensate" && compensation?.state === "Scheduled" && compensation.attempt === attempt
  );
}

/** What was at work beside the step that ended a job in Error is recorded when it is done. */
function isOnlyStepOf(before: StateRecord, after: StateRecord, { own }: Writer): boolean {
  const rest = ({ steps, ...record }: StateRecord) => essence({ ...record, steps: {} });
  return own !== undefined && isEnded(before) && before.processState !== "Processed" && rest(before) === rest(after);
}

function isLate(before: StateRecord, { step, direction, acceptedAt }: NonNullable<Writer["reply"]>): boolean {
  const run = runOf(before.steps[step], direction);
  return isInHand(run) && run.completeBy !== null && acceptedAt > run.completeBy;
}

function faultOfStep([name, before, after]: Step, { direction }: StateRecord, isRecorded: boolean): string | undefined {
  if (after.generation !== before.generation) return undefined;
  const isBackward = (one: string | undefined, other: string | undefined) =>
    one === "Completed" && other !== "Completed" && other !== "Compensated";
  if (before.state === "Skipped" && after.state !== "Skipped" && after.state !== "Compensated")
    return `step ${name} runs again after it was skipped`;
  if (before.state === "Compensated" && after.state !== "Compensated")
    return `step ${name} runs again after it was compensated`;
  if (isBackward(before.state, after.state)) return `step ${name}, which is completed, runs again`;
  if (isBackward(before.compensation?.state, after.compensation?.state))
    return `the compensation of ${name}, which is completed, runs again`;
  if (after.state === "Completed" && ["NotStarted", "Failed", "Compensated"].includes(before.state) && !isRecorded)
    return `step ${name} is completed, and was not in hand`;
  if (!isInHand(before) && isInHand(after) && direction === "compensate") return `step ${name} runs in a compensation`;
  if (after.compensation && isInHand(after.compensation) && isInHand(after))
    return `step ${name} is compensated while it is at work`;
  return undefined;
}

const ROWS: ReadonlySet<string> = new Set(Object.values(transitions).map(({ from, to }) => `${from}>${to}`));

function mayPass(before: StateRecord, after: StateRecord): boolean {
  const stays = before.processState === after.processState;
  return stays || ROWS.has(`${before.processState}>${after.processState}`);
}

/** All of a record but what is still to be told of it. */
function essence({ outbox, dueAt, ...rest }: StateRecord): string {
  return JSON.stringify(rest);
}

export function isEnded({ processState }: StateRecord): boolean {
  return hasEnded(processState);
}

/** What is wrong with a call that would change the service's audit log. */
export function faultOfCall(
  call: ServedCall,
  serviceState: ServiceState,
  record: StateRecord,
  attempt: number,
  hasNoKeys: boolean,
): string | undefined {
  if (call.isQuery || call.isPoll) return undefined;
  const name = stepOf(call.key);
  const step = record.steps[name];
  const run = runOf(step, call.compensates === null ? "forward" : "compensate");
  const isOwn = isInHand(run) && run.attempt === attempt;
  if (call.compensates === null && serviceState[call.key] === "compensated" && isOwn && record.lockedBy !== null)
    return `attempt ${attempt}, whose step ${name} is, calls the service under a key that is compensated`;
  if (hasNoKeys && call.compensates === null && serviceState[call.key] === "live")
    return `step ${name} takes effect twice`;
  if (hasNoKeys && call.compensates !== null && serviceState[call.compensates] === "compensated")
    return `step ${name} is compensated twice`;
  if (act(serviceState, call).serviceState[call.compensates ?? call.key] === serviceState[call.compensates ?? call.key])
    return undefined;
  if (call.compensates === null) {
    if (liveSteps(serviceState).includes(name)) return `step ${name} takes effect twice`;
  } else if (step && neverBegan(step)) return `${name} is compensated, and it can't have had an effect`;
  if (record.attempt > attempt && record.lockedBy !== null && !isOwn)
    return `attempt ${attempt} calls the service for ${name} while attempt ${record.attempt} holds the job`;
  return undefined;
}

/** Runs of a list are recorded in the place of another record, and make place for it: what was done for an item stays known. */
function mayMakePlace({ steps }: StateRecord, name: string): boolean {
  const step = steps[name];
  return step !== undefined && (neverBegan(step) || step.state === "Compensated" || isReversed(step));
}

const isReversed = ({ compensation }: StepRecord) => compensation?.state === "Completed";

function neverBegan({ state, scheduledAt, retryCount, outcomeUnknown = false }: StepRecord): boolean {
  if (retryCount > 0 || outcomeUnknown) return false;
  return state === "Failed" || state === "Skipped" || (state === "NotStarted" && scheduledAt === null);
}

/** What is wrong with a state as such. */
export function faultOfState(record: StateRecord, serviceState: ServiceState, workflow: Workflow): string | undefined {
  const live = liveSteps(serviceState);
  const lacking = Object.entries(record.steps).find(([name, step]) => {
    const { state } = step;
    const key = idempotencyKey(record.jobId, name, "forward", step);
    return state === "Completed" && record.direction === "forward" && serviceState[key] !== "live";
  });
  if (
    record.processState === "Processing" &&
    inHand(record).length === 0 &&
    pausesOf(record.steps, record.direction).length === 0
  )
    return "an attempt holds the job, and no step runs";
  if (lacking) return `step ${lacking[0]} is completed and has no effect`;
  // What a skipped step left behind is compensated by then, or left to a person.
  const isMeant = (step: StepRecord | undefined) =>
    step?.state === "Completed" || (step?.state === "Skipped" && step.compensation?.state === "Failed");
  const isKept = (name: string) => isMeant(record.steps[name]) || compensationOf(workflow, name) === "nothing";
  const isOdd = !live.every(isKept);
  const isOpen = Object.values(record.steps).some(({ state }) => state !== "Completed" && state !== "Skipped");
  if (record.processState === "Processed" && (isOdd || isOpen))
    return `processed, with the effects of ${live.join(", ")}`;
  if (
    (record.processState === "Compensated" || record.processState === "Cancelled") &&
    live.some((name) => compensationOf(workflow, name) !== "nothing")
  )
    return `compensated, and the effects of ${live.join(", ")} are left (${record.error?.message ?? ""})`;
  return undefined;
}

function runs(step: StepRecord, { direction }: StateRecord): boolean {
  return isInHand(runOf(step, direction));
}

/** What is wrong with how a job is said to have been compensated: of the raw record, whose message names what is left. */
export function faultOfCompensated(
  record: StateRecord,
  serviceState: ServiceState,
  workflow: Workflow,
): string | undefined {
  // In normal form there is no message: it was looked at when it was written.
  if (record.error?.kind !== "compensationIncomplete" || record.error.message === "") return undefined;
  const lists = record.error.message.matchAll(/(?:not compensated|to be compensated manually): ([^;]*)/g);
  const named = [...lists].flatMap(([, names = ""]) => names.split(", "));
  const left = liveSteps(serviceState).filter(
    (name) => compensationOf(workflow, name) !== "nothing" && !named.includes(name),
  );
  return left.length > 0
    ? `the effects of ${left.join(", ")} are left, and nobody is told to compensate them`
    : undefined;
}

/** Whether the operator says that a person has compensated the rest (docs/reference/operator-api.md). */
export function saysDoneManually(before: StateRecord, after: StateRecord): boolean {
  const isSaid = /, the rest compensated manually, attempt \d+/.test(after.history.at(-1)?.what ?? "");
  return isSaid && isResubmitted(before, after);
}

export function isResubmitted(before: StateRecord, after: StateRecord): boolean {
  return (
    isEnded(before) &&
    before.processState !== "Processed" &&
    after.processState === "Pending" &&
    after.direction === "forward"
  );
}

function compensationOf(workflow: Workflow, name: string) {
  return workflow.steps.find((step) => step.name === stepOfRun(name))?.compensation;
}

function first<T>(items: readonly T[], faultOf: (item: T) => string | undefined): string | undefined {
  for (const item of items) {
    const fault = faultOf(item);
    if (fault !== undefined) return fault;
  }
  return undefined;
}
