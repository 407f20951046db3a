// The operators' control of a previewed action on many jobs: start, pause, resume, cancel, watch.

import { instant } from "@scheduler-agent-supervisor/core/domain";
import { type Context, writeAuditLog } from "@scheduler-agent-supervisor/core/scheduling";
import type { BulkList, BulkProgress } from "../contract.ts";
import { type BulkState, countsOf, SAME_CAUSE_LIMIT } from "../domain/bulk.ts";
import type { ListPosition } from "../domain/list-page.ts";
import type { StoredBulkRun } from "../store/bulk-store.ts";
import { progressOf } from "./keep-bulk-running.ts";
import type { BulkPorts } from "./preview-bulk.ts";

export type BulkCommand =
  | {
      readonly kind: "start";
      readonly reason: string;
      readonly count: number;
      /** Each job's additional time: an ISO 8601 duration. */
      readonly by?: string | undefined;
    }
  | { readonly kind: "pause" | "resume" | "cancel" };

export type BulkChanged =
  | { readonly kind: "changed"; readonly run: StoredBulkRun }
  | { readonly kind: "rejected"; readonly reason: string }
  | { readonly kind: "not-found" };

const FROM: { readonly [kind in BulkCommand["kind"]]: readonly BulkState[] } = {
  start: ["previewed", "running"],
  pause: ["running", "paused"],
  // A running action is resumed too: it is started again if its orchestration has ended.
  resume: ["paused", "running"],
  cancel: ["previewed", "running", "paused"],
};
const TO = { start: "running", pause: "paused", resume: "running", cancel: "cancelled" } as const;

const RECENT = 50;
/** The run's own turns write the same record. */
const TRIES = 5;

export async function changeBulk(
  bulkId: string,
  command: BulkCommand,
  by: string,
  context: Context<BulkPorts>,
): Promise<BulkChanged> {
  for (let attempt = 0; attempt < TRIES; attempt += 1) {
    const read = await context.bulk.run(bulkId);
    if (!read) return { kind: "not-found" };
    const { run } = read;
    if (!FROM[command.kind].includes(run.state)) {
      return { kind: "rejected", reason: `it is ${run.state}: it can't be asked to ${command.kind}` };
    }
    if (command.kind === "start" && command.count !== run.total) {
      return { kind: "rejected", reason: `it is for ${run.total}, and not for ${command.count}` };
    }
    if (command.kind === "start" && (run.action === "extend") !== (command.by !== undefined)) {
      const reason =
        run.action === "extend" ? `it has to say "by" how much, such as PT30M` : `"by" goes with extend alone`;
      return { kind: "rejected", reason };
    }
    const isStart = command.kind === "start" && run.state === "previewed";
    const changed: StoredBulkRun = {
      ...run,
      state: TO[command.kind],
      updatedAt: instant(context.now()),
      ...(isStart && { reason: command.reason, by, extendBy: command.by ?? null }),
    };
    if (!(await context.bulk.replace(read, changed))) continue;
    await enter(changed, command, by, context);
    return { kind: "changed", run: changed };
  }
  return { kind: "rejected", reason: "it changes all the time: try again" };
}

async function enter(
  { bulkId, action, reason, total, extendBy }: StoredBulkRun,
  { kind }: BulkCommand,
  operator: string,
  context: Context<BulkPorts>,
): Promise<void> {
  const outcome = `${total} in all${extendBy ? ` by ${extendBy}` : ""}, bulk ${bulkId}`;
  const about = { action: `bulk ${action}: ${kind}`, jobId: null, reason, outcome };
  await writeAuditLog({ at: instant(context.now()), operator, ...about, before: null, after: null }, null, context);
}

/** @param after the end of the page before */
export async function listBulk({ bulk }: Pick<BulkPorts, "bulk">, after?: ListPosition) {
  const { runs, next } = await bulk.recent(RECENT, after);
  return { runs: await Promise.all(runs.map((run) => withProgress(run, bulk))), next };
}

/** All that need a person, or may soon, the latest first: also one that is older than any number of others. */
export async function listOpenBulk({ bulk, now }: Pick<BulkPorts, "bulk" | "now">) {
  const found = await bulk.open(instant(now()));
  const runs = found.toSorted((one, other) => other.at.localeCompare(one.at));
  return { runs: await Promise.all(runs.map((run) => withProgress(run, bulk))) };
}

async function withProgress(run: StoredBulkRun, bulk: BulkPorts["bulk"]): Promise<BulkList["runs"][number]> {
  return run.state === "running" ? { ...run, progressAt: await progressOf(run, bulk) } : run;
}

/** Undefined if there is none. */
export async function watchBulk(bulkId: string, { bulk, attention }: BulkPorts): Promise<BulkProgress | undefined> {
  const read = await bulk.run(bulkId);
  if (!read) return undefined;
  const { run } = read;
  // The operator who sees its end continues with the remaining cases; another process may have done the action.
  if (run.state === "done" || run.state === "stopped") attention.forget();
  const waves = await Promise.all(Array.from({ length: run.wave + 1 }, (_, wave) => bulk.wave(bulkId, wave)));
  const isUnderWay = run.state === "running" || run.state === "paused" || run.state === "cancelled";
  return {
    run: await withProgress(run, bulk),
    limit: SAME_CAUSE_LIMIT,
    now: countsOf((isUnderWay && waves.at(-1)) || []),
    results: waves.flatMap((results) => [...(results ?? [])]),
  };
}
