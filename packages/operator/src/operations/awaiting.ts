// The steps that wait for a report, for the console: read at most once in some seconds, for any number of operators.

import { instant, type StepRun } from "@scheduler-agent-supervisor/core/domain";
import { remembered } from "@scheduler-agent-supervisor/core/store";
import type { Workflow } from "@scheduler-agent-supervisor/core/workflows";
import type { Awaiting, AwaitingStep } from "../contract.ts";
import { type ListPosition, MOST_ON_A_PAGE } from "../domain/list-page.ts";
import type { AwaitingJob, ReadAwaitingJobs } from "../store/awaiting-jobs.ts";

export interface AwaitingPorts {
  readonly jobs: ReadAwaitingJobs;
  readonly workflows: readonly Workflow[];
  readonly now: () => number;
}

export interface AwaitingReader {
  /** The first page of all is read at most once in some seconds. */
  read(query?: AwaitingQuery): Promise<AwaitingSteps>;
  /** After a report no operator should see an answer from before it. */
  forget(): void;
}

/** Without a position: the steps themselves, and where the next page begins. */
interface AwaitingSteps extends Omit<Awaiting, "continuation"> {
  readonly next?: ListPosition;
}

/** Which steps, and which page of them. */
interface AwaitingQuery {
  /** Only the steps in which it has to act. */
  readonly assignee?: string | undefined;
  readonly limit?: number;
  /** The end of the page before. */
  readonly after?: ListPosition | undefined;
}

export function createAwaiting({ jobs, workflows, now }: AwaitingPorts): AwaitingReader {
  // If no step may wait, the store is not read.
  const mayAwait = workflows.some(({ steps }) => steps.some(isLater));
  async function page({ assignee, limit = MOST_ON_A_PAGE, after }: AwaitingQuery): Promise<AwaitingSteps> {
    const asOf = instant(now());
    if (!mayAwait) return { asOf, isAll: true, steps: [] };
    const { jobs: found, next } = await jobs(limit, after, assignee);
    const steps = found
      .flatMap(stepsOf)
      .filter((step) => assignee === undefined || step.assignee === assignee)
      .sort(bySoonestEnd);
    return { asOf, isAll: next === undefined && after === undefined, steps, ...(next && { next }) };
  }
  const first = remembered(now, () => page({}));
  return {
    read(query = {}) {
      const { assignee, limit = MOST_ON_A_PAGE, after } = query;
      const isFirst = assignee === undefined && after === undefined && limit === MOST_ON_A_PAGE;
      return isFirst ? first.read() : page(query);
    },
    forget: () => first.forget(),
  };
}

function isLater({ awaitWithin, compensation }: Workflow["steps"][number]): boolean {
  return awaitWithin !== undefined || (typeof compensation === "object" && compensation.awaitWithin !== undefined);
}

function stepsOf({ jobId, workflow, steps }: AwaitingJob): AwaitingStep[] {
  return Object.entries(steps).flatMap(([step, { agent, assignee, compensation, ...forward }]) =>
    (["forward", "compensate"] as const).flatMap((direction): AwaitingStep[] => {
      const run = direction === "forward" ? forward : compensation;
      const who = assignee === undefined ? {} : { assignee };
      return run?.state === "Awaiting" ? [{ jobId, workflow, step, agent, ...who, direction, ...waitOf(run) }] : [];
    }),
  );
}

function waitOf({ accepted, scheduledAt, completeBy }: StepRun) {
  return {
    since: accepted?.at ?? scheduledAt ?? "",
    until: completeBy,
    reference: accepted?.reference ?? null,
    lastReportAt: accepted?.lastReportAt ?? null,
    progress: accepted?.progress ?? null,
    ...(accepted?.remindedAt && { remindedAt: accepted.remindedAt }),
  };
}

function bySoonestEnd(one: AwaitingStep, other: AwaitingStep): number {
  return (one.until ?? "").localeCompare(other.until ?? "") || one.jobId.localeCompare(other.jobId);
}
