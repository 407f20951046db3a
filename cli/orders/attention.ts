// What needs a person, what a search finds, and who sees to what: as the console shows it, for the terminal.
import { roundedDuration } from "@scheduler-agent-supervisor/core/domain/duration-words";
import type {
  Attention,
  AttentionJob,
  AttentionPage,
  Awaiting,
  DeadLetterCounts,
  HandlingAnswer,
  Handlings,
  JobPage,
} from "@scheduler-agent-supervisor/core/messaging/console-contract";
import { type App, queryOf } from "./app.ts";
import { printTable } from "./table.ts";

export type Target = HandlingAnswer["target"];
type Change = { readonly kind: "claim" | "release" } | { readonly kind: "note"; readonly text: string };

const PAGE = 100;

export async function showGroups(app: App, asJson: boolean): Promise<void> {
  const [{ count, isAll, groups }, { handlings }] = await Promise.all([
    app.get<Attention>("attention"),
    app.get<Handlings>("claims"),
  ]);
  if (asJson) {
    for (const group of groups) console.log(JSON.stringify(group));
    return;
  }
  if (count === 0) console.log("Nothing needs a person.");
  printTable(
    ["cause", "orders", "last", "where", "message", "seen to by"],
    groups.map(({ id, count: orders, lastSeen, kind, step, workflow, example }) => [
      id,
      isAll ? String(orders) : `${orders}+`,
      ago(lastSeen),
      [kind, step, workflow].filter(Boolean).join(", "),
      example,
      claimWords(handlings, { kind: "group", id }),
    ]),
  );
  if (!isAll) console.log(`There are more: these are ${count} of them.`);
  for (const line of await waitingLines(app, handlings)) console.log(line);
}

/** The messages that could not be processed, and the steps that await a report: where there are such. */
async function waitingLines(app: App, handlings: readonly HandlingAnswer[]): Promise<string[]> {
  const [{ queues }, { steps, isAll }] = await Promise.all([
    app.get<DeadLetterCounts>("dead-letters"),
    app.get<Awaiting>("awaiting"),
  ]);
  const messages = queues.flatMap((queue) => {
    if ("error" in queue) return [`Dead letters of ${queue.queue}: ${queue.error}`];
    const { count, causes, oldestAt } = queue;
    if (count === 0) return [];
    const why = causes.map(({ cause, count: of }) => `${of} ${cause ?? "for other reasons"}`).join("; ");
    const seenTo = claimWords(handlings, { kind: "queue", id: queue.queue });
    const parts = [why, oldestAt && `the oldest ${ago(oldestAt)}`, seenTo && `seen to by ${seenTo}`].filter(Boolean);
    return [`Dead letters of ${queue.queue}: ${parts.join(", ")}`];
  });
  const [first] = steps;
  if (!first) return messages;
  const { step, jobId: orderId, until } = first;
  const next = `next to run out of time: ${step} of ${orderId}${until === null ? "" : `, ${until}`}`;
  return [...messages, `Steps that await a report: ${steps.length}${isAll ? "" : "+"}, ${next}`];
}

export async function showGroup(app: App, group: string, asJson: boolean): Promise<void> {
  const { handlings } = await app.get<Handlings>("claims");
  const orders = await membersOf(app, group);
  if (asJson) {
    for (const order of orders) console.log(JSON.stringify(order));
    return;
  }
  if (orders.length === 0) console.log(`No order has the cause ${group} now.`);
  printTable(
    ["order", "failed", "attempt", "message", "seen to by"],
    orders.map(({ jobId: orderId, attempt, error }) => [
      orderId,
      ago(error.at),
      String(attempt),
      error.message,
      claimWords(handlings, { kind: "job", id: orderId }),
    ]),
  );
  for (const { notes } of handlings.filter(isOf({ kind: "group", id: group }))) {
    for (const { at, by, text } of notes) console.log(`${at} ${by}: ${text}`);
  }
}

async function membersOf(app: App, group: string): Promise<AttentionJob[]> {
  const orders: AttentionJob[] = [];
  for (let from: number | undefined = 0; from !== undefined; ) {
    const page: AttentionPage = await app.get(`attention/jobs${queryOf({ group, from, limit: PAGE })}`);
    orders.push(...page.jobs);
    from = page.next;
  }
  return orders;
}

export interface Search {
  readonly state?: string | undefined;
  readonly kind?: string | undefined;
  readonly workflow?: string | undefined;
  readonly version?: string | undefined;
  readonly step?: string | undefined;
  readonly key?: string | undefined;
  readonly q?: string | undefined;
  readonly timeOf?: string | undefined;
  readonly from?: string | undefined;
  readonly to?: string | undefined;
}

/** @param limit at most as many as a page of the API has */
export async function showSearch(
  app: App,
  search: Search & { readonly continuation?: string | undefined },
  limit: number,
  asJson: boolean,
): Promise<void> {
  const { jobs: orders, continuation, looked } = await app.get<JobPage>(`jobs${queryOf({ ...search, limit })}`);
  if (asJson) {
    for (const order of orders) console.log(JSON.stringify(order));
    return;
  }
  if (orders.length === 0) console.log(looked ? "No order matches so far." : "No order matches.");
  printTable(
    ["order", "state", "workflow", "attempt", "received", "message"],
    orders.map(({ jobId: orderId, processState, error, workflow, attempt, createdAt }) => [
      orderId,
      error && processState === "Error" ? `Error: ${error.kind}` : processState,
      `${workflow.name} v${workflow.version}`,
      String(attempt),
      createdAt,
      error?.message ?? "",
    ]),
  );
  if (looked) {
    console.log(`Searched ${looked.jobs} orders, received since ${looked.downTo}.`);
    console.log(`Go on with --continue ${continuation}, or say when: --from, --to.`);
  } else if (continuation !== undefined) console.log("There are more: add a filter, or a larger --limit.");
}

/** At the version that stands there now: where somebody is faster, the app says so and nothing is changed. */
export async function changeHandling(app: App, target: Target, change: Change): Promise<void> {
  const { handlings } = await app.get<Handlings>("claims");
  const seen = handlings.find(isOf(target));
  const { claim, notes } = await app.post<HandlingAnswer>("claims", { target, change }, seen?.etag);
  console.log(claim ? `Claimed by ${claim.by} until ${claim.until}.` : "Nobody has claimed it.");
  for (const { at, by, text } of notes) console.log(`${at} ${by}: ${text}`);
}

const isOf =
  ({ kind, id }: Target) =>
  ({ target }: HandlingAnswer): boolean =>
    target.kind === kind && target.id === id;

function claimWords(handlings: readonly HandlingAnswer[], target: Target): string {
  const found = handlings.find(isOf(target));
  const notes = found && found.notes.length > 0 ? `${found.notes.length} notes` : "";
  return [found?.claim?.by ?? "", notes].filter(Boolean).join(", ");
}

function ago(at: string): string {
  return `${roundedDuration(Date.now() - Date.parse(at))} ago`;
}
