// Actions on many orders, for the terminal: previewed, started with the number that the preview said, followed to the end.

import { setTimeout as sleep } from "node:timers/promises";
import type { BulkList, BulkPreview, BulkProgress, BulkRun } from "@scheduler-agent-supervisor/operator/contract";
import { isQuiet, needsPerson } from "@scheduler-agent-supervisor/operator/domain";
import { words } from "../../shared/words.ts";
import { type App, queryOf } from "./app.ts";
import type { BulkTarget, Further } from "./given.ts";
import type { Trouble } from "./system.ts";
import { printTable } from "./table.ts";
import { countedOrders, say, sayEach, sayJson, sayMore, timeText, withTimes } from "./text.ts";

const POLL_MS = 1000;

export async function previewBulk(app: App, action: BulkRun["action"], target: BulkTarget): Promise<void> {
  const { run, notPossible } = await app.post<BulkPreview>("bulk", { action, target });
  say(`${action}: ${countedOrders(run.total)}${run.cause ? ` (${withTimes(run.cause)})` : ""}`);
  if (run.goesOn && run.goesOn.compensate > 0)
    say(`${run.goesOn.forward} go on forward, ${run.goesOn.compensate} with their compensation`);
  if (run.keys && run.keys.next > 0)
    say(`In ${run.keys.next} a step that was rejected for good runs again under its next idempotency key.`);
  if (run.keys && run.keys.same > 0)
    say(`In ${run.keys.same} a step whose outcome is unknown runs again under the same idempotency key.`);
  if (!run.isAll) say("There may be more than one action takes: do the rest when this is done.");
  if (notPossible.length > 0) say(`Not possible for ${countedOrders(notPossible.length)}:`);
  for (const { jobId: orderId, reason } of notPossible) say(`  ${orderId}: ${withTimes(reason)}`);
  if (run.total === 0) return;
  say(`Nothing is done yet. To start it:
  npm run orders -- start ${run.bulkId} --count ${run.total} --reason "WHY"${action === "extend" ? " --by PT30M" : ""}`);
}

/** @returns the exit code: 0 where each order has ended well, or it is under way and nobody waits */
export async function startBulk(
  app: App,
  bulkId: string,
  start: { readonly count: number; readonly reason: string; readonly by?: string },
  waits: boolean,
): Promise<number> {
  await app.post(`bulk/${bulkId}/start`, start);
  return waits ? follow(app, bulkId) : 0;
}

export async function changeBulk(app: App, bulkId: string, change: "pause" | "resume" | "cancel"): Promise<void> {
  const run = await app.post<BulkRun>(`bulk/${bulkId}/${change}`, {});
  say(summary(run));
}

async function follow(app: App, bulkId: string): Promise<number> {
  for (let before = ""; ; await sleep(POLL_MS)) {
    const progress = await app.get<BulkProgress>(`bulk/${bulkId}`);
    const now = countsWords(progress);
    if (now !== before) say(now);
    before = now;
    const { state, stopped } = progress.run;
    if (state === "running" || state === "paused") continue;
    if (stopped) say(`Stopped by itself: ${stopped} of the last wave failed with the same cause again.`);
    printResults(progress);
    const { same, other, skipped } = progress.run.counts;
    return state === "done" && same + other + skipped === 0 ? 0 : 1;
  }
}

export async function showBulk(app: App, bulkId: string, asJson: boolean): Promise<void> {
  const progress = await app.get<BulkProgress>(`bulk/${bulkId}`);
  if (asJson) return sayJson(progress);
  say(`${summary(progress.run)}\n${countsWords(progress)}`);
  printResults(progress);
}

export async function listBulk(app: App, further: Further, asJson: boolean): Promise<void> {
  const { runs, continuation } = await app.get<BulkList>(`bulk${queryOf({ ...further })}`);
  if (asJson) sayEach(runs);
  else printRuns(runs);
  sayMore("runs", continuation, asJson);
}

function printRuns(runs: BulkList["runs"]): void {
  if (runs.length === 0) say(`There was no recent action on many ${words.many}.`);
  printTable(
    ["id", "what", "state", "by", "at", "reason"],
    runs.map((run) => [
      ...[run.bulkId, `${run.action} ${run.total}`, quietWords(run), run.by],
      ...[timeText(run.at), run.reason ?? ""],
    ]),
  );
}

/** The actions that are paused, have stopped by themselves, or should go on and do not. */
export const runTroubles = ({ runs }: BulkList): Trouble[] =>
  runs
    .filter((run) => needsPerson(run, Date.now()))
    .map((run) => ({
      line: `${run.action} ${run.total}: ${quietWords(run)}. npm run orders -- run ${run.bulkId}`,
      since: run.progressAt ?? run.updatedAt,
      json: { of: "bulk", ...run },
    }));

/** Since when nothing happens in a run that should go on. */
function quietWords(run: BulkRun): string {
  const { state, stopped, updatedAt, progressAt = updatedAt } = run;
  if (isQuiet(run, Date.now())) return `${state}, no progress since ${timeText(progressAt)}`;
  return state === "stopped" && stopped !== null ? `stopped by itself, ${stopped} with the same cause again` : state;
}

const summary = (run: BulkRun): string => {
  const { action, total, by, reason } = run;
  return `${action}, ${countedOrders(total)}: ${quietWords(run)}; by ${by}${reason ? `: ${reason}` : ""}`;
};

function countsWords({ run, now }: BulkProgress): string {
  const isUnderWay = run.state === "running" || run.state === "paused";
  const count = (name: "well" | "same" | "other" | "skipped") => run.counts[name] + (isUnderWay ? now[name] : 0);
  const ended = count("well") + count("same") + count("other") + count("skipped");
  return (
    `${run.state}: ${ended} of ${run.total}, ${count("well")} ended well, ${count("same")} with the same cause again, ` +
    `${count("other")} failed otherwise, ${count("skipped")} skipped`
  );
}

/** What ended well needs no line. */
function printResults({ results }: BulkProgress): void {
  const bad = results.filter(({ outcome, end }) => outcome === "skipped" || (end !== null && end !== "well"));
  printTable(
    [words.one, "result", "why"],
    bad.map(({ jobId: orderId, outcome, end, reason }) => [orderId, end ?? outcome, withTimes(reason ?? "")]),
  );
}
