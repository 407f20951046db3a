// The steps that wait for a report, for the console: read at most once in some seconds, for any number of operators.

import { instant } from "@scheduler-agent-supervisor/core/internal/domain/duration";
import type { StepRun } from "@scheduler-agent-supervisor/core/internal/domain/state-record";
import type { Workflow } from "@scheduler-agent-supervisor/core/internal/domain/workflow";
import { remembered } from "@scheduler-agent-supervisor/core/internal/store/remembered";
import type { Awaiting, AwaitingStep } from "../messaging/console-contract.ts";
import type { AwaitingJob, ReadAwaitingJobs } from "../store/awaiting-jobs.ts";

export interface AwaitingPorts {
  readonly jobs: ReadAwaitingJobs;
  readonly workflows: readonly Workflow[];
  readonly now: () => number;
}

export interface AwaitingView {
  /** @param assignee only the steps in which it has to act */
  read(assignee?: string): Promise<Awaiting>;
  /** After a report no operator should see an answer from before it. */
  forget(): void;
}

const MOST = 500;
/** So many assignees' answers are kept. */
const MOST_ASSIGNEES = 100;

export function createAwaiting({ jobs, workflows, now }: AwaitingPorts): AwaitingView {
  // If no step may wait, the store is not read.
  const mayAwait = workflows.some(({ steps }) => steps.some(isLater));
  const viewOf = (assignee?: string) =>
    remembered(now, async (): Promise<Awaiting> => {
      const asOf = instant(now());
      if (!mayAwait) return { asOf, isAll: true, steps: [] };
      const found = await jobs(MOST, assignee);
      const steps = found.jobs.flatMap(stepsOf).filter((step) => assignee === undefined || step.assignee === assignee);
      return { asOf, isAll: found.isAll, steps: steps.sort(bySoonestEnd) };
    });
  const everybody = viewOf();
  const views = new Map<string, ReturnType<typeof viewOf>>();
  return {
    read(assignee) {
      if (assignee === undefined) return everybody.read();
      const view = views.get(assignee) ?? viewOf(assignee);
      if (views.size >= MOST_ASSIGNEES) views.clear();
      views.set(assignee, view);
      return view.read();
    },
    forget() {
      everybody.forget();
      views.clear();
    },
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
