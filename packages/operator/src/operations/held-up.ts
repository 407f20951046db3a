// The jobs that are held up, in groups by their agent and cause, for the console: read at most once in some seconds, for any number of operators.
import { createHash } from "node:crypto";
import { instant } from "@scheduler-agent-supervisor/core/domain";
import { remembered } from "@scheduler-agent-supervisor/core/store";
import type { AgentHealth, HeldUp, HeldUpPage } from "../contract.ts";
import { MOST_JOBS } from "../domain/bulk.ts";
import { fingerprintOf, hasWords, technicalCauseOf } from "../domain/fingerprint.ts";
import type { JobWait } from "../domain/wait.ts";
import { leftBefore, type WaitContext, type WaitingJob, waitsOf } from "../domain/waiting.ts";
import type { ReadWaitingJobs } from "../store/waiting-jobs.ts";

export interface HeldUpPorts {
  readonly jobs: ReadWaitingJobs;
  readonly agents: () => Promise<AgentHealth>;
  readonly claimWithinMs: number;
  readonly graceMs: number;
  readonly now: () => number;
}

export interface HeldUpView {
  groups(): Promise<HeldUp>;
  /** @param group a group's id; absent for all */
  page(group: string | undefined, from: number, limit: number): Promise<HeldUpPage>;
  /** After an action no operator should see an answer from before it. */
  forget(): void;
}

/** A job that has not changed for this time does not move. */
const UNCHANGED_MS = 15_000;
const KEPT_MS = 5_000;
const MOST_CAUSES = 3;

type Trouble = HeldUp["groups"][number]["trouble"];

interface Held {
  readonly id: string;
  readonly job: Pick<WaitingJob, "jobId" | "workflow">;
  readonly wait: JobWait;
  readonly trouble: Trouble;
}

export function createHeldUp({ jobs, agents, claimWithinMs, graceMs, now }: HeldUpPorts): HeldUpView {
  const seen = remembered(
    now,
    async () => {
      const asOf = instant(now());
      const than = {
        unchangedSince: instant(now() - UNCHANGED_MS),
        overdueBefore: instant(now() - graceMs),
        leftBefore: leftBefore(asOf),
      };
      const { jobs: waiting, isAll } = await jobs(than, MOST_JOBS);
      if (waiting.length === 0) return { asOf, isAll, held: [] };
      const health = await agents();
      const paused = health.pauses.filter(({ kind }) => kind === "agent").map(({ name }) => name);
      const context = { now: asOf, claimWithinMs, graceMs, isPaused: (agent: string) => paused.includes(agent) };
      const troubles = troublesOf(health);
      const held = waiting.flatMap((job) => heldOf(job, context, troubles));
      held.sort((one, other) => one.wait.since.localeCompare(other.wait.since));
      return { asOf, isAll, held };
    },
    KEPT_MS,
  );
  return {
    async groups() {
      const { asOf, isAll, held } = await seen.read();
      return { asOf, isAll, count: countJobs(held), groups: groupsOf(held) };
    },
    async page(group, from, limit) {
      const { asOf, isAll, held } = await seen.read();
      const members = group === undefined ? held : held.filter(({ id }) => id === group);
      const jobs = members.slice(from, from + limit).map(({ job: { jobId, workflow }, wait }) => ({
        ...{ jobId, workflow, wait },
      }));
      const next = from + limit < members.length ? { next: from + limit } : {};
      return { asOf, isAll, count: members.length, jobs, ...next };
    },
    forget: () => seen.forget(),
  };
}

/** What is wrong with each agent's endpoints, as its instances report it: an open breaker says more than a slow answer. */
function troublesOf({ agents }: AgentHealth): ReadonlyMap<string, NonNullable<Trouble>> {
  return new Map(
    agents.flatMap(({ name, instances }) => {
      const endpoints = instances.flatMap((each) => each.endpoints);
      const broken = endpoints.find(({ health }) => health !== "healthy");
      const slow = endpoints.find(({ isSlow }) => isSlow);
      const found = broken ?? slow;
      const kind = broken ? ("breaker" as const) : ("slow" as const);
      return found ? [[name, { kind, endpoint: found.endpoint, lastError: found.lastError }] as const] : [];
    }),
  );
}

function heldOf(job: WaitingJob, context: WaitContext, troubles: ReadonlyMap<string, NonNullable<Trouble>>): Held[] {
  return waitsOf(job, context).flatMap((found) => {
    const trouble = (found.agent !== null && troubles.get(found.agent)) || null;
    // A service that is done later has a list of its own; a service that is well takes its time.
    if (found.reason === "report" || (found.reason === "service" && trouble === null)) return [];
    const wait = { ...found, cause: found.cause ?? trouble?.lastError ?? null };
    return [{ id: idOf(wait), job, wait, trouble }];
  });
}

/** What is wrong at an agent: all who wait for it because of one cause are one group, at whatever step and in whatever way they wait. */
const AT_FAULT: ReadonlySet<JobWait["reason"]> = new Set([
  "code",
  "configuration",
  "answer",
  "retry",
  "agent",
  "poll",
  "service",
]);
/** Its jobs wait for their next attempt, and can continue before. The first says most about the cause. */
const RETRIED: readonly JobWait["reason"][] = ["code", "configuration", "answer", "retry"];

function idOf({ reason, agent, step, cause }: JobWait): string {
  const isFault = cause !== null && AT_FAULT.has(reason);
  const parts = isFault ? [agent, technicalCauseOf(cause)] : [reason, agent, agent === null ? step : null];
  return createHash("sha256").update(JSON.stringify(parts)).digest("hex").slice(0, 16);
}

const countJobs = (held: readonly Held[]): number => new Set(held.map(({ job }) => job.jobId)).size;

/** @param held the longest wait first */
function groupsOf(held: readonly Held[]): HeldUp["groups"] {
  return [...Map.groupBy(held, ({ id }) => id)]
    .flatMap(([id, members]) => {
      const [first] = members;
      if (!first) return [];
      const retried = members.filter(({ wait }) => RETRIED.includes(wait.reason));
      const example = RETRIED.flatMap((reason) => members.find(({ wait }) => wait.reason === reason) ?? [])[0] ?? first;
      const [nextAt = null] = members.flatMap(({ wait: { until } }) => until ?? []).sort();
      const causes = causesOf(members);
      const wait = { ...example.wait, cause: causes[0] ?? null, since: first.wait.since, until: nextAt };
      const steps = [...new Set(members.flatMap(({ wait: { step } }) => step ?? []))].sort();
      const counts = { count: countJobs(members), retried: countJobs(retried) };
      return [{ id, wait, causes, steps, trouble: first.trouble, ...counts }];
    })
    .sort((one, other) => other.count - one.count);
}

/** As the endpoint said it, the most frequent first; what has no words only if nothing has. */
function causesOf(members: readonly Held[]): string[] {
  const said = members.flatMap(({ wait: { cause } }) => cause ?? []);
  const withWords = said.filter(hasWords);
  return [...Map.groupBy(withWords.length > 0 ? withWords : said, (cause) => fingerprintOf(cause)).values()]
    .sort((one, other) => other.length - one.length)
    .slice(0, MOST_CAUSES)
    .flatMap(([cause]) => cause ?? []);
}
