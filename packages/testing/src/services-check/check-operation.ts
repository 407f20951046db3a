// The checks of one operation (P34): its service is asked as a crash, a late try or a late compensation would have it asked, and its effects are counted.
import { setTimeout as sleep } from "node:timers/promises";
import type { AgentRequest, CompensationTarget } from "@scheduler-agent-supervisor/core/agents";
import type { CheckVerdict, ServiceCheck } from "@scheduler-agent-supervisor/core/app";
import { inWords, isSameEffect, namesEffect, type Seen } from "./service-caller.ts";

/** What was seen of one question. */
export interface CheckCase {
  readonly check: ServiceCheck;
  readonly verdict: CheckVerdict;
  readonly seen: string;
}

/** The calls for one new job. */
export interface CheckedJob {
  readonly request: AgentRequest;
  ask(): Promise<Seen>;
  /** Absent: nothing compensates the operation. */
  readonly compensate?: (target: CompensationTarget) => Promise<Seen>;
  /** Absent: its policy has no `find`. */
  readonly find?: () => Promise<Seen>;
  /** Undefined if the service has no list. */
  effects(): Promise<number | undefined>;
}

export interface OperationChecks {
  /** @throws NotChecked if what comes before it can't be done */
  begin(): Promise<CheckedJob>;
  /** The time until the late request. */
  readonly lateAfterMs: number;
}

/** Nothing could be seen: the service did not do what it was asked for the first time. */
export class NotChecked extends Error {
  override readonly name = "NotChecked";
}

const PAUSE_MS = 500;
const MOST_PAUSES = 6;

/** @throws NotChecked */
export async function checkOperation({ begin, lateAfterMs }: OperationChecks): Promise<CheckCase[]> {
  const first = await begin();
  const { cases, effectsOfOne } = await checkRepeats(first, lateAfterMs);
  cases.splice(1, 0, await checkConcurrent(await begin(), effectsOfOne));
  if (!first.compensate) return cases;
  const { compensate, ...job } = await begin();
  return compensate ? [...cases, await checkCompensatedFirst(job, compensate)] : cases;
}

/** One job: requested, requested again, requested late, compensated, requested once more. */
async function checkRepeats(job: CheckedJob, lateAfterMs: number) {
  const cases: CheckCase[] = [];
  const before = job.find && (await job.find());
  const none = await job.effects();
  const first = await firstOf(job);
  const one = await job.effects();
  const effectsOfOne = one === undefined || none === undefined ? undefined : one - none;
  const again = await watched(job, job.ask);
  cases.push({ check: "repeated", ...repeatVerdict(job, first, again) });
  await sleep(lateAfterMs);
  const late = await watched(job, job.ask);
  cases.push({ check: "late", ...repeatVerdict(job, first, late) });
  const found = job.find && (await job.find());
  if (job.compensate) {
    const compensated = await job.compensate(targetOf(job, first));
    if (compensated.kind !== "done" && compensated.kind !== "accepted") {
      const seen = `its compensation could not be done: ${inWords(compensated)}`;
      cases.push({ check: "afterCompensation", verdict: "notSeen", seen });
    } else {
      const after = await watched(job, job.ask);
      cases.push({ check: "afterCompensation", ...afterVerdict(job, first, after) });
    }
  }
  if (before && found) cases.push({ check: "found", ...foundVerdict(first, before, found) });
  return { cases, effectsOfOne };
}

/** As after a crash: the try of the process that died is under way, and the next process makes its own. */
async function checkConcurrent(job: CheckedJob, effectsOfOne: number | undefined): Promise<CheckCase> {
  const before = await job.effects();
  const [one, other] = await Promise.all([job.ask(), job.ask()]);
  const isDone = ({ kind }: Seen) => kind === "done" || kind === "accepted";
  const first = [one, other].find(isDone);
  let second = first === one ? other : one;
  // "It is still under way" is an answer to the second: the agent tries it again.
  for (let pauses = 0; first && second.kind === "none" && pauses < MOST_PAUSES; pauses += 1) {
    await sleep(PAUSE_MS);
    second = await job.ask();
  }
  const after = await job.effects();
  if (job.compensate && first) await job.compensate(targetOf(job, first));
  if (!first) return { check: "concurrent", verdict: "fails", seen: `both failed: ${inWords(one)}; ${inWords(other)}` };
  const more =
    after === undefined || before === undefined || effectsOfOne === undefined
      ? undefined
      : after - before - effectsOfOne;
  return { check: "concurrent", ...repeatVerdict(job, first, { seen: second, more }) };
}

/** The request was lost on its way, is compensated, and arrives then. */
async function checkCompensatedFirst(
  job: CheckedJob,
  compensate: NonNullable<CheckedJob["compensate"]>,
): Promise<CheckCase> {
  const check = "compensatedFirst";
  const compensated = await compensate({ result: null, idempotencyKey: job.request.idempotencyKey });
  if (compensated.kind === "rejected")
    return { check, verdict: "fails", seen: `the compensation of what was not done is ${inWords(compensated)}` };
  const { seen, more } = await watched(job, job.ask);
  const said = `its compensation came first: ${inWords(compensated)}; the request after it: ${inWords(seen)}`;
  if (more !== undefined && more > 0) return { check, verdict: "fails", seen: `${said} (${effects(more)})` };
  if (compensated.kind === "none") return { check, verdict: "fails", seen: said };
  if (more === 0 || seen.kind === "rejected") return { check, verdict: "holds", seen: said };
  return { check, verdict: seen.kind === "none" ? "notSeen" : "fails", seen: said };
}

/** What an answer added to the effects; undefined if nothing counts them. */
interface Watched {
  readonly seen: Seen;
  readonly more: number | undefined;
}

async function watched(job: CheckedJob, ask: () => Promise<Seen>): Promise<Watched> {
  const before = await job.effects();
  const seen = await ask();
  const after = await job.effects();
  return { seen, more: before === undefined || after === undefined ? undefined : after - before };
}

async function firstOf(job: CheckedJob): Promise<Seen> {
  const first = await job.ask();
  if (first.kind === "done" || first.kind === "accepted") return first;
  const way = first.kind === "rejected" ? ". Give content that the service accepts: --content FILE" : "";
  throw new NotChecked(`${inWords(first)}${way}`);
}

const targetOf = ({ request }: CheckedJob, seen: Seen): CompensationTarget => ({
  result: seen.kind === "done" ? seen.result : null,
  idempotencyKey: request.idempotencyKey,
  ...(seen.kind === "accepted" && { reference: seen.reference }),
});

type Verdict = Omit<CheckCase, "check">;

function repeatVerdict({ request }: CheckedJob, first: Seen, { seen, more }: Watched): Verdict {
  const said = `first ${inWords(first)}; then ${inWords(seen)}`;
  if (more !== undefined && more > 0) return { verdict: "fails", seen: `${said} (${effects(more)})` };
  if (seen.kind === "rejected") return { verdict: "fails", seen: said };
  if (seen.kind === "none") return { verdict: "notSeen", seen: said };
  const same = isSameEffect(first, seen);
  if (same === false) return { verdict: "fails", seen: said };
  if (more === 0) return { verdict: "holds", seen: `${said}; no further effect is listed` };
  if (same && namesEffect(seen, request)) return { verdict: "holds", seen: `${said}: the same one` };
  return { verdict: "notSeen", seen: `${said}: the answers do not name what was done` };
}

function afterVerdict({ request }: CheckedJob, first: Seen, { seen, more }: Watched): Verdict {
  const said = `after its compensation: ${inWords(seen)}`;
  if (more !== undefined && more > 0) return { verdict: "fails", seen: `${said} (${effects(more)})` };
  if (more === 0) return { verdict: "holds", seen: `${said}; no further effect is listed` };
  if (seen.kind === "rejected") return { verdict: "holds", seen: said };
  if (isSameEffect(first, seen) === false) return { verdict: "fails", seen: `${said}; at first ${inWords(first)}` };
  if (isSameEffect(first, seen) && namesEffect(seen, request))
    return { verdict: "holds", seen: `${said}: the first answer, repeated` };
  return { verdict: "notSeen", seen: said };
}

function foundVerdict(first: Seen, before: Seen, found: Seen): Verdict {
  const said = `before the request: ${inWords(before)}; after it: ${inWords(found)}`;
  if (before.kind === "done" || before.kind === "accepted" || found.kind === "absent" || found.kind === "rejected")
    return { verdict: "fails", seen: said };
  if (isSameEffect(first, found) === false)
    return { verdict: "fails", seen: `${said}; the request was ${inWords(first)}` };
  if (before.kind !== "absent" || found.kind === "none") return { verdict: "notSeen", seen: said };
  return { verdict: isSameEffect(first, found) ? "holds" : "notSeen", seen: said };
}

const effects = (more: number): string => `${more} further ${more === 1 ? "effect is" : "effects are"} listed`;
