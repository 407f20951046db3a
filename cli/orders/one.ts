// One order, for the terminal: why it waits, its steps and its history, and what an operator may do with it.
import { readFileSync } from "node:fs";
import type { Acted, Awaiting, Inspection, TakeAnswer, TakenJobs } from "@scheduler-agent-supervisor/operator/contract";
import { applyPatch, attemptsOf, roundedDuration } from "@scheduler-agent-supervisor/operator/domain";
import { words } from "../../shared/words.ts";
import { UsageError } from "../every-app/arguments.ts";
import { colourOfState } from "../start/board.ts";
import { type App, pathOf, queryOf } from "./app.ts";
import type { Further } from "./given.ts";
import { membersOf } from "./members.ts";
import { printTable } from "./table.ts";
import { ago, jsonText, say, sayEach, sayJson, sayMore, timeText, waitText, withTimes } from "./text.ts";

const inspect = (app: App, orderId: string) => app.get<Inspection>(pathOf("jobs", orderId));

export async function showOrder(app: App, orderId: string, asJson: boolean): Promise<void> {
  const [inspection, taken] = await Promise.all([inspect(app, orderId), app.get<TakenJobs>("taken").catch(() => null)]);
  if (asJson) return sayJson(inspection);
  const { record, waits, actions, unknownOutcomes } = inspection;
  say(
    `${orderId}: ${record.processState}, ${record.workflow.name} v${record.workflow.version}, attempt ${record.attempt}`,
  );
  const { error } = record;
  if (error) say(`${error.kind} in ${error.step ?? "-"} (${error.agent ?? "-"}): ${withTimes(error.message)}`);
  if (record.deadlineAt) say(`deadline ${timeText(record.deadlineAt)}`);
  if (!taken) say("who handles it: not known");
  for (const { jobId, takenBy, at } of taken?.taken ?? []) if (jobId === orderId) say(`taken by ${takenBy} ${ago(at)}`);
  for (const wait of waits) say(waitText(wait));
  for (const [action, permission] of Object.entries(actions)) {
    if (permission.allowed)
      say(`possible: ${verbOf(action)}${"requires" in permission ? " --compensated-manually" : ""}`);
    else say(`not possible: ${verbOf(action)}: ${withTimes(permission.reason)}`);
  }
  for (const { step, direction } of unknownOutcomes)
    say(`possible: outcome ${step} done|not-done${direction === "compensate" ? " (its compensation)" : ""}`);
  printTable(
    ["step", "agent", "state", "result"],
    Object.entries(record.steps).map(([name, step]) => [
      name,
      step.agent,
      step.compensation ? `${step.state}, compensation ${step.compensation.state}` : step.state,
      withTimes(step.error ?? step.expiry?.message ?? "") || (step.result ? JSON.stringify(step.result) : ""),
    ]),
  );
  printTable(
    ["at", "what", "by"],
    record.history.map(({ at, what, by }) => [timeText(at), withTimes(what), by]),
  );
  if (attemptsOf(record).length > 1) say(`Its attempts side by side: npm run orders -- attempts ${orderId}`);
}

/** The latest first. */
export async function showAttempts(app: App, orderId: string, asJson: boolean): Promise<void> {
  const attempts = attemptsOf((await inspect(app, orderId)).record).reverse();
  if (asJson) return sayEach(attempts);
  if (attempts.length === 0) say(`No attempt of ${orderId} has begun.`);
  printTable(
    ["attempt", "begun", "why it began", "steps in it", "how it ended"],
    attempts.map(({ attempt, direction, from, to, began, steps, ended, hasFailed }) => {
      const took = to === null ? "" : `, took ${roundedDuration(Date.parse(to) - Date.parse(from))}`;
      const end = withTimes(ended ?? "");
      return [
        direction === "compensate" ? `${attempt}, compensation` : String(attempt),
        `${timeText(from)}${took}`,
        withTimes(began ?? "received"),
        withTimes(steps.join("; ")),
        to === null ? "under way" : hasFailed ? { text: end, colour: "red" as const } : end,
      ];
    }),
  );
}

/** Its content, to edit: as the app shows it, so that `edit` accepts it. */
export async function showContent(app: App, orderId: string): Promise<void> {
  const { job } = await inspect(app, orderId);
  console.log(jsonText(job, 2));
}

export interface Act {
  readonly action: "resubmit" | "compensate" | "cancel" | "extend" | "markResolved";
  readonly reason: string;
  readonly by?: string;
  readonly only?: "deadline";
  readonly compensatedManually?: true;
  readonly direction?: "forward";
  /** Content that replaces the order's. */
  readonly job?: unknown;
  /** Or a merge patch of its content. */
  readonly patch?: unknown;
}

const VERBS: { readonly [action: string]: string } = { markResolved: "mark-resolved" };
const verbOf = (action: string): string => VERBS[action] ?? action;

/** At the version that stands there now: if the order changes in between, nothing is done. */
export async function actOnOrder(app: App, orderId: string, { action, patch, ...given }: Act): Promise<void> {
  const { etag, actions, job } = await inspect(app, orderId);
  const body = patch === undefined ? given : { ...given, job: applyPatch(job, patch) };
  if (action === "resubmit" && actions.resubmit.allowed && body.job === undefined) sayKeys(actions.resubmit.keys);
  const { state, attempt } = await app.post<Acted>(pathOf("jobs", orderId, action), body, etag);
  say(`${orderId}: ${verbOf(action)} done. It is ${state}, attempt ${attempt}.`);
}

function sayKeys({ next, same }: { readonly next: readonly string[]; readonly same: readonly string[] }): void {
  if (next.length > 0) say(`Rejected for good, runs again under its next idempotency key: ${next.join(", ")}`);
  if (same.length > 0) say(`Outcome unknown, runs again under the same idempotency key: ${same.join(", ")}`);
}

export interface Report {
  readonly kind: string;
  readonly reason: string;
  readonly result: readonly string[];
}

export async function reportStep(app: App, orderId: string, step: string, report: Report): Promise<void> {
  const { kind, reason } = report;
  if (kind !== "done" && kind !== "rejected") throw new UsageError("A report is done or rejected.");
  if (kind === "rejected" && report.result.length > 0) throw new UsageError("A rejection has no result.");
  const result = kind === "done" ? { result: membersOf(report.result, "result") } : {};
  const { etag } = await inspect(app, orderId);
  const { state } = await app.post<Acted>(
    pathOf("jobs", orderId, "steps", step, "report"),
    { kind, reason, ...result },
    etag,
  );
  say(`${orderId}: ${step} is reported as ${kind}. The order is ${state}.`);
}

const OUTCOMES: { readonly [word: string]: string } = { done: "done", "not-done": "notDone" };

/** What a person found out of a step, or of its compensation, whose outcome is unknown. */
export async function recordOutcome(app: App, orderId: string, step: string, found: Report): Promise<void> {
  const outcome = OUTCOMES[found.kind];
  if (!outcome) throw new UsageError("An outcome is done or not-done.");
  if (outcome !== "done" && found.result.length > 0) throw new UsageError("A step that was not done has no result.");
  const { etag, unknownOutcomes } = await inspect(app, orderId);
  const isCompensation = unknownOutcomes.some((one) => one.step === step && one.direction === "compensate");
  const hasResult = outcome === "done" && (!isCompensation || found.result.length > 0);
  const result = hasResult ? { result: membersOf(found.result, "result") } : {};
  const body = { outcome, reason: found.reason, ...(isCompensation && { direction: "compensate" }), ...result };
  const { state, attempt } = await app.post<Acted>(pathOf("jobs", orderId, "steps", step, "outcome"), body, etag);
  const which = isCompensation ? `the compensation of ${step}` : step;
  say(`${orderId}: ${which} is recorded as ${found.kind}. The order is ${state}, attempt ${attempt}.`);
}

export async function showAwaiting(
  app: App,
  filter: Further & { readonly assignee: string | undefined },
  asJson: boolean,
): Promise<void> {
  const { steps, continuation } = await app.get<Awaiting>(`awaiting${queryOf({ ...filter })}`);
  if (asJson) {
    sayEach(steps);
    return sayMore("awaiting", continuation, asJson, "after");
  }
  if (steps.length === 0) say("No step awaits a report.");
  printTable(
    [words.one, "step", "agent", "assignee", "since", "until", "reference", "last report"],
    steps.map(({ jobId, step, agent, assignee, since, until, reference, lastReportAt, progress }) => [
      jobId,
      step,
      agent,
      assignee ?? "",
      ago(since),
      until ? timeText(until) : "",
      reference ?? "",
      [lastReportAt ? ago(lastReportAt) : "", withTimes(progress ?? "")].filter(Boolean).join(": "),
    ]),
  );
  sayMore("awaiting", continuation, asJson, "after");
  if (steps[0]) say(`To report one: npm run orders -- report ORDER STEP done --reason "WHY"`);
}

export function jsonOfFile(file: string): unknown {
  try {
    return JSON.parse(readFileSync(file, "utf8"));
  } catch (cause) {
    throw new UsageError(`--file ${file}: ${cause instanceof Error ? cause.message : String(cause)}`, { cause });
  }
}

export const coloured = (state: string) => ({ text: state, colour: colourOfState(state) });

/** @param taken false: it is released */
export async function takeOrder(app: App, orderId: string, taken: boolean): Promise<void> {
  const { takenBy } = await app.post<TakeAnswer>(pathOf("jobs", orderId, "take"), { taken });
  say(takenBy === null ? `Nobody has taken ${orderId}.` : `${orderId} is taken by ${takenBy}.`);
}
