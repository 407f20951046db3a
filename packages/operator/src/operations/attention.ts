// The cases that a person has to handle, for the console: read at most once in some seconds, for any number of operators.

import { instant } from "@scheduler-agent-supervisor/core/domain";
import { remembered } from "@scheduler-agent-supervisor/core/store";
import type { Attention, AttentionPage, Overview } from "../contract.ts";
import type { JobGauge } from "../store/job-gauges.ts";
import type { CountedJobs, ReadOpenJobs } from "../store/open-jobs.ts";
import { type GroupedJobs, groupJobs } from "./group-jobs.ts";

export interface AttentionPorts {
  readonly openJobs: ReadOpenJobs;
  readonly jobGauges: readonly JobGauge[];
  readonly clockSkewMs: number;
  readonly now: () => number;
}

export interface AttentionReader {
  overview(): Promise<Overview>;
  groups(): Promise<Attention>;
  /** @param group a group's id; absent for all */
  page(group: string | undefined, from: number, limit: number): Promise<AttentionPage>;
  /** The ids of a group's jobs; incomplete if there are more than were counted. */
  members(group: string): Promise<{ readonly jobIds: readonly string[]; readonly isAll: boolean }>;
  /** After an action no operator should see an answer from before it. */
  forget(): void;
}

interface Seen extends CountedJobs, GroupedJobs {
  readonly asOf: string;
}

export function createAttention({ openJobs, jobGauges, clockSkewMs, now }: AttentionPorts): AttentionReader {
  const seen = remembered(now, async (): Promise<Seen> => {
    const asOf = now();
    const open = await openJobs();
    return { ...open, ...groupJobs(open.jobs, asOf), asOf: instant(asOf) };
  });

  const counted = remembered(now, async (): Promise<Overview> => {
    const asOf = now();
    const others = jobGauges.filter(({ of }) => of === "overdue" || of.state !== "Error");
    const [{ counts: inError }, ...found] = await Promise.all([
      seen.read(),
      ...others.map(async ({ of, count }) => ({ of, count: await count(instant(asOf - clockSkewMs)) })),
    ]);
    return {
      asOf: instant(asOf),
      counts: [
        ...found.flatMap(({ of, count }) => (of === "overdue" ? [] : [{ ...of, count }])),
        ...inError.map(({ kind, count }) => ({ state: "Error" as const, kind, count })),
      ],
      overdue: found.find(({ of }) => of === "overdue")?.count ?? 0,
    };
  });

  return {
    overview: counted.read,
    async groups() {
      const { asOf, jobs, isAll, groups } = await seen.read();
      return { asOf, count: jobs.length, isAll, groups };
    },
    async page(group, from, limit) {
      const { asOf, jobs, isAll, groupOf } = await seen.read();
      const members = group === undefined ? jobs : jobs.filter(({ jobId }) => groupOf.get(jobId) === group);
      const next = from + limit < members.length ? { next: from + limit } : {};
      return { asOf, count: members.length, isAll, jobs: members.slice(from, from + limit), ...next };
    },
    async members(group) {
      const { jobs, groupOf, isAll } = await seen.read();
      return { jobIds: jobs.flatMap(({ jobId }) => (groupOf.get(jobId) === group ? [jobId] : [])), isAll };
    },
    forget() {
      seen.forget();
      counted.forget();
    },
  };
}
