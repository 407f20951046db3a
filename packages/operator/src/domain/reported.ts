// What the app says of itself that no job shows: kept for as long as its alert would stand, in one small document of each region's storage.

import { type FunctionFailures, isFailing, isOver, withFailure, withWell } from "./function-failures.ts";
import { isBehind, type Tasks, tasksAfter } from "./housekeeping-tasks.ts";

/** One trouble, however often it is said. */
export interface Report {
  readonly name: ReportName;
  /** What it is about, such as a queue, a function or a job's id. */
  readonly subject: string;
  /** The last cause, in words. */
  readonly cause: string;
  readonly firstAt: string;
  readonly lastAt: string;
}

export interface Reported {
  readonly reports: readonly Report[];
  readonly tasks: Tasks;
  readonly failures: FunctionFailures;
}

export type Change =
  | {
      readonly kind: "said";
      readonly name: ReportName;
      readonly subject: string;
      readonly cause: string;
      readonly at: string;
    }
  /** @param subject absent: whatever it is about */
  | { readonly kind: "over"; readonly name: ReportName; readonly subject?: string }
  /** A run of a function, by its name. */
  | {
      readonly kind: "failed";
      readonly name: string;
      readonly process: string;
      readonly cause: string;
      readonly at: string;
    }
  | { readonly kind: "well"; readonly name: string; readonly process: string }
  /** By an operator, once its cause is dealt with; what has been said again since is not dismissed. */
  | { readonly kind: "dismissed"; readonly report: Report }
  | { readonly kind: "ran"; readonly task: string; readonly finished: boolean; readonly at: string }
  /** A process of the app is there. */
  | { readonly kind: "alive"; readonly at: string };

interface Kind {
  /** After it was last said. */
  readonly keptMs: number;
  readonly words: (subject: string, cause: string) => string;
  /** Whether its subject is a job, if it has one. */
  readonly ofJob?: boolean;
}

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;

export const REPORTED = {
  JobNotClosed: {
    keptMs: 2 * HOUR_MS,
    words: (id, cause) => ["Over, and can't be closed", id, cause].filter(Boolean).join(": "),
    ofJob: true,
  },
  StatusUndeliverable: { keptMs: HOUR_MS, words: (queue) => `The client's reply queue ${queue} takes no messages` },
  AuditLogUnwritten: { keptMs: HOUR_MS, words: (_, cause) => `Decisions are missing from the audit log: ${cause}` },
  CompensationIncomplete: {
    keptMs: 24 * HOUR_MS,
    words: (id, cause) => `A skipped step of ${id} could not be compensated: ${cause}`,
    ofJob: true,
  },
  FunctionFailed: {
    keptMs: 15 * MINUTE_MS,
    words: (name, cause) => `The function ${name} fails again and again: ${cause}`,
  },
  StoreThrottled: { keptMs: 15 * MINUTE_MS, words: () => "The store rejects requests for want of throughput" },
  CodeFailed: {
    keptMs: 15 * MINUTE_MS,
    words: (place, cause) => `The app's own code throws in ${place}: ${cause}`,
  },
  TooSlow: { keptMs: MINUTE_MS, words: (workflow) => `Too many of ${workflow} take more than a minute` },
  ManyNotDone: {
    keptMs: 15 * MINUTE_MS,
    words: (step, cause) => `Far more than usual are compensated, the last at ${step}: ${cause}`,
  },
} as const satisfies { readonly [name: string]: Kind };

export type ReportName = keyof typeof REPORTED;

/** Of each name: what is wrong with very many is seen by some of them. */
const MOST_OF_A_NAME = 20;

export const NOTHING_REPORTED: Reported = {
  reports: [],
  tasks: { aliveAt: null, upSince: null, ran: {} },
  failures: [],
};

export function reportedAfter(before: Reported, change: Change, now: number): Reported {
  const reports = before.reports.filter((one) => isKept(one, now));
  switch (change.kind) {
    case "said":
      return { ...before, reports: saidAgain(reports, change) };
    case "over":
      return { ...before, reports: reports.filter((one) => !isOf(one, change)) };
    case "failed": {
      const { name, process, cause, at } = change;
      const failures = withFailure(before.failures, { name, process, at }, now);
      const said = { kind: "said", name: "FunctionFailed", subject: name, cause, at } as const;
      return { ...before, failures, reports: isFailing(failures, name) ? saidAgain(reports, said) : reports };
    }
    case "well": {
      const failures = withWell(before.failures, change.name, change.process);
      const isOverFor = (one: Report) =>
        isOf(one, { name: "FunctionFailed", subject: change.name }) && isOver(failures, change.name);
      return { ...before, failures, reports: reports.filter((one) => !isOverFor(one)) };
    }
    case "dismissed":
      return { ...before, reports: reports.filter((one) => !isSame(one, change.report)) };
    case "ran":
    case "alive":
      return { ...before, reports, tasks: tasksAfter(before.tasks, change) };
    default:
      return change satisfies never;
  }
}

/** Undefined if its subject is no job. */
export function jobOf({ name, subject }: Report): string | undefined {
  const { ofJob = false }: Kind = REPORTED[name];
  return ofJob && subject !== "" ? subject : undefined;
}

function saidAgain(reports: readonly Report[], { name, subject, cause, at }: Change & { kind: "said" }): Report[] {
  const known = reports.find((one) => isOf(one, { name, subject }));
  const others = reports.filter((one) => one !== known);
  if (!known && others.filter((one) => one.name === name).length >= MOST_OF_A_NAME) return others;
  return [...others, { name, subject, cause, firstAt: known?.firstAt ?? at, lastAt: at }];
}

const isOf = (one: Report, { name, subject }: { readonly name: string; readonly subject?: string }): boolean =>
  one.name === name && (subject === undefined || one.subject === subject);

/** As it was last said. */
const isSame = (one: Report, other: Report): boolean => isOf(one, other) && one.lastAt === other.lastAt;

function isKept({ name, lastAt }: Report, now: number): boolean {
  // Another version of the app may know others.
  const keptMs = name in REPORTED ? REPORTED[name].keptMs : 0;
  return now - Date.parse(lastAt) <= keptMs;
}

export interface ReportedTrouble {
  readonly name: string;
  readonly since: string;
  /** A sentence without its end. */
  readonly words: string;
  /** Absent of a state that lasts. */
  readonly report?: Report;
}

/** What stands now, the earliest first. */
export function reportedTroubles({ reports, tasks }: Reported, now: number): ReportedTrouble[] {
  const said = reports
    .filter((one) => isKept(one, now))
    .map((report) => {
      const { name, subject, cause, firstAt } = report;
      return { name, since: firstAt, words: REPORTED[name].words(subject, cause), report };
    });
  const behind = isBehind(tasks, now).map(({ task, since }) => ({
    name: "HousekeepingBehind",
    since,
    words: `Housekeeping does not get to its end (${task}): what is over is kept too long`,
  }));
  return [...said, ...behind].sort((one, other) => one.since.localeCompare(other.since));
}
