// Advice on the times of steps, for operators: from a sample of the last week's jobs, read at most once in ten minutes.
import { instant, type Workflow } from "@scheduler-agent-supervisor/core/domain";
import { remembered } from "@scheduler-agent-supervisor/core/store";
import { adviceOn, type Changes, type EndedJob } from "../domain/advice.ts";
import type { Advice } from "../messaging/console-contract.ts";
import type { ReadEndedJobs } from "../store/ended-jobs.ts";

export interface AdvicePorts {
  readonly jobs: ReadEndedJobs;
  /** Of each the newest version. */
  readonly workflows: readonly Workflow[];
  readonly now: () => number;
}

/** @param workflow undefined: all of them */
export type ReadAdvice = (workflow: string | undefined, changes: Changes) => Promise<Advice>;

const WEEK_MS = 7 * 86_400_000;
/** Half days: a busy hour is not the whole sample. */
const PARTS = 14;
/** Of each part and each kind of end: 1,400 jobs at most. */
const MOST_OF_A_PART = 50;
const KEPT_MS = 600_000;

export function createAdvice({ jobs, workflows, now }: AdvicePorts): ReadAdvice {
  const sample = remembered(
    now,
    async () => {
      const at = now();
      const found: EndedJob[] = [];
      // One after the other: it is no hurry, and the store has other work.
      for (let part = 0; part < PARTS; part += 1) {
        const end = at - (part * WEEK_MS) / PARTS;
        found.push(...(await jobs(instant(end - WEEK_MS / PARTS), instant(end), MOST_OF_A_PART)));
      }
      return { asOf: instant(at), since: instant(at - WEEK_MS), jobs: found };
    },
    KEPT_MS,
  );
  return async (wanted, changes) => {
    const { asOf, since, jobs: found } = await sample.read();
    const shown = workflows.filter(({ name }) => wanted === undefined || name === wanted);
    return {
      ...{ asOf, since, sampled: found.length, mostSampled: 2 * PARTS * MOST_OF_A_PART },
      workflows: shown.map((workflow) => ({
        name: workflow.name,
        version: workflow.version,
        jobs: found.filter((job) => job.workflow.name === workflow.name).length,
        steps: adviceOn(workflow, found, changes),
      })),
    };
  };
}
