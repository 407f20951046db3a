// Measures the gauges: jobs by state, overdue jobs, the age of waiting messages.

import { instant, inWords, sleep } from "@scheduler-agent-supervisor/core/domain";
import type { Context, Ports, Telemetry } from "@scheduler-agent-supervisor/core/scheduling";
import { isMeasured, measure } from "@scheduler-agent-supervisor/core/telemetry";
import type { HeldUp } from "../contract.ts";
import type { JobWait } from "../domain/wait.ts";
import type { QueueAge } from "../messaging/queue-ages.ts";
import type { JobGauge } from "../store/job-gauges.ts";
import type { HeldUpView } from "./held-up.ts";

export interface GaugePorts extends Pick<Ports, "now" | "timing"> {
  readonly jobGauges: readonly JobGauge[];
  readonly queueAges: readonly QueueAge[];
  readonly heldUp: Pick<HeldUpView, "groups">;
}

/** Longer than any answer of a working store and bus. */
const GAUGE_LIMIT_MS = 10_000;

/**
 * Never throws: each number that could not be counted is an event, and only its own gauge is not updated.
 * @returns what could not be counted, and why
 */
export async function measureGauges({
  jobGauges,
  queueAges,
  heldUp,
  now,
  timing,
  telemetry,
}: Context<GaugePorts>): Promise<string[]> {
  if (!isMeasured()) return [];
  const overdueBefore = instant(now() - timing.clockSkewMs);
  const jobs = jobGauges.map(({ of, count }) =>
    counted(jobWords(of), async () => measureJobs(of, await count(overdueBefore)), telemetry),
  );
  const queues = queueAges.map((age) => counted(`queue ${age.queue}`, () => measureQueue(age, now()), telemetry));
  const held = counted("jobs held up", async () => measureHeldUp((await heldUp.groups()).groups), telemetry);
  return (await Promise.all([...jobs, ...queues, held])).flatMap((fault) => fault ?? []);
}

/** A wait that is over is measured as 0: its last number would stand otherwise. */
const waitsMeasured = new Map<string, Pick<JobWait, "agent" | "reason">>();

function measureHeldUp(groups: HeldUp["groups"]): void {
  const counts = new Map<string, number>();
  for (const { wait, count } of groups) {
    const { agent, reason } = wait;
    const key = `${agent} ${reason}`;
    waitsMeasured.set(key, { agent, reason });
    counts.set(key, (counts.get(key) ?? 0) + count);
  }
  for (const [key, { agent, reason }] of waitsMeasured)
    measure("jobs.held_up", counts.get(key) ?? 0, { agent, reason });
}

async function measureQueue({ queue, read }: QueueAge, at: number): Promise<void> {
  for (const { cause, ageMs } of await read(at)) measure("queues.oldest_message_age", ageMs / 1000, { queue, cause });
}

function measureJobs(of: JobGauge["of"], jobs: number): void {
  if (of === "overdue") measure("jobs.overdue", jobs);
  else measure("jobs.by_state", jobs, of);
}

function jobWords(of: JobGauge["of"]): string {
  return of === "overdue" ? "jobs overdue" : ["jobs", of.state, ...(of.kind ? [of.kind] : [])].join(" ");
}

function counted(what: string, count: () => Promise<void>, telemetry: Telemetry): Promise<string | undefined> {
  return attempted(what, () => withinLimit(count), telemetry);
}

/** What can't be done is an event. @returns what, and why */
export async function attempted(
  what: string,
  work: () => Promise<void>,
  telemetry: Telemetry,
): Promise<string | undefined> {
  try {
    await work();
    return undefined;
  } catch (cause) {
    telemetry.event("GaugesNotMeasured", { what, cause: inWords(cause) });
    return `${what}: ${inWords(cause)}`;
  }
}

async function withinLimit(work: () => Promise<void>): Promise<void> {
  const limit = new AbortController();
  try {
    await Promise.race([work(), timeout(limit.signal)]);
  } finally {
    limit.abort();
  }
}

async function timeout(signal: AbortSignal): Promise<never> {
  // Aborted once it is not needed any more: after that nothing waits for it.
  await sleep(GAUGE_LIMIT_MS, { signal, isIdle: true });
  throw new Error(`no answer within ${GAUGE_LIMIT_MS} ms`);
}
