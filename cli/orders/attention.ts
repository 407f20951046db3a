// What needs a person, what a search finds, and who handles what: as the console shows it, for the terminal.

import type {
  AgentHealth,
  Attention,
  AttentionJob,
  AttentionPage,
  Awaiting,
  BulkList,
  DeadLetterCounts,
  HeldUp,
  JobPage,
  JobTotal,
  Reports,
  Supervisor,
  TakenJobs,
  WaitingMessages,
} from "@scheduler-agent-supervisor/operator/contract";
import { words } from "../../shared/words.ts";
import { type App, queryOf } from "./app.ts";
import { runTroubles } from "./bulk.ts";
import type { Search } from "./given.ts";
import { printHeldUp } from "./held-up.ts";
import { coloured } from "./one.ts";
import { agentTroubles, messageTroubles, reportTroubles, supervisorTroubles, type Trouble } from "./system.ts";
import { printTable } from "./table.ts";
import {
  ago,
  capital,
  causesText,
  countedOrders,
  plainText,
  say,
  sayBeside,
  sayEach,
  sayJson,
  sayMore,
  timeText,
  withTimes,
} from "./text.ts";

const PAGE = 100;

/** Each part, or why it is not known: then the exit code is 1, and nothing is said to be well. */
export async function showNeeds(app: App, asJson: boolean): Promise<number> {
  const system = async (name: string, troubles: Promise<Trouble[]>) => ({ name, answer: await settled(troubles) });
  const part = async <T>(name: string, path: string) => ({ name, answer: await settled(app.get<T>(path)) });
  const parts = await Promise.all([
    part<Attention>(`${capital(words.many)} in Error`, "attention"),
    part<HeldUp>("Held up", "held-up"),
    part<DeadLetterCounts>("Dead letters", "dead-letters"),
    part<Awaiting>("Reports awaited", "awaiting"),
    system(`Actions on many ${words.many}`, app.get<BulkList>("bulk?open=true").then(runTroubles)),
    system("Waiting messages", app.get<WaitingMessages>("waiting-messages").then(messageTroubles)),
    system("Reported by the app", app.get<Reports>("reports").then(reportTroubles)),
    system("Supervision", app.get<Supervisor>("supervisor").then(supervisorTroubles)),
    system(
      "The app itself",
      app.answersNow().then(() => []),
    ),
    system("Agents and pauses", app.get<AgentHealth>("agents").then(agentTroubles)),
  ]);
  const [attention, heldUp, deadLetters, awaiting, ...others] = parts;
  const troubles = others.flatMap(({ answer }) => ("data" in answer ? answer.data : []));
  const unknown = parts.flatMap(({ name, answer }) =>
    "fault" in answer ? [`${name}: not known. ${answer.fault}`] : [],
  );
  const [first, ...faults] = parts.flatMap(({ answer }) => ("fault" in answer ? [answer.fault] : []));
  if (first !== undefined && faults.length === parts.length - 1 && faults.every((fault) => fault === first)) {
    throw new Error(first);
  }
  // What is counted up to a bound says so, wherever its rows go.
  for (const { answer } of [attention, heldUp]) if ("data" in answer) sayCut(answer.data, asJson);
  if (asJson) {
    // Each line says what it is of: a reader of the causes alone would miss what is held up.
    sayEach([
      ...linesOf("cause", attention.answer, ({ groups }) => groups),
      ...linesOf("heldUp", heldUp.answer, ({ groups }) => groups),
      ...linesOf("deadLetters", deadLetters.answer, ({ queues }) =>
        queues.filter((queue) => "error" in queue || queue.count > 0),
      ),
      ...linesOf("awaiting", awaiting.answer, ({ steps }) => steps),
      ...troubles.map(({ json }) => json),
    ]);
  } else {
    if ("data" in attention.answer) showGroups(attention.answer.data);
    if ("data" in heldUp.answer) printHeldUp(heldUp.answer.data);
    const lines = [
      ...("data" in deadLetters.answer ? messageLines(deadLetters.answer.data) : []),
      ...("data" in awaiting.answer ? awaitingLines(awaiting.answer.data) : []),
      ...troubles.map(({ line }) => line),
    ];
    for (const line of lines) say(line);
    const isClear = [attention, heldUp].every(
      ({ answer }) => "data" in answer && answer.data.count === 0 && answer.data.isAll,
    );
    if (unknown.length + lines.length === 0 && isClear) say("Nothing needs a person.");
  }
  for (const line of unknown) console.error(plainText(line));
  return unknown.length === 0 ? 0 : 1;
}

const linesOf = <T>(name: string, answer: Settled<T>, list: (data: T) => readonly object[]): readonly object[] =>
  "data" in answer ? list(answer.data).map((one) => ({ of: name, ...one })) : [];

type Settled<T> = { readonly data: T } | { readonly fault: string };

const settled = <T>(answer: Promise<T>): Promise<Settled<T>> =>
  answer.then(
    (data) => ({ data }),
    (cause: unknown) => ({ fault: cause instanceof Error ? cause.message : String(cause) }),
  );

function showGroups({ isAll, groups }: Attention): void {
  printTable(
    ["cause", words.many, "last", "where", "message"],
    groups.map(({ id, count: orders, lastSeen, kind, step, workflow, example }) => [
      id,
      isAll ? String(orders) : `${orders}+`,
      ago(lastSeen),
      [kind, step, workflow].filter(Boolean).join(", "),
      withTimes(example),
    ]),
  );
}

/** The messages that could not be processed. */
function messageLines({ queues }: DeadLetterCounts): string[] {
  return queues.flatMap((queue) => {
    if ("error" in queue) return [`Dead letters of ${queue.queue}: ${queue.error}`];
    const { count, oldestAt } = queue;
    if (count === 0) return [];
    const parts = [causesText(queue), oldestAt && `the oldest ${ago(oldestAt)}`].filter(Boolean);
    return [`Dead letters of ${queue.queue}: ${parts.join(", ")}`];
  });
}

function awaitingLines({ steps, isAll }: Awaiting): string[] {
  const [first] = steps;
  if (!first) return [];
  const { step, jobId: orderId, until } = first;
  const next = `next to run out of time: ${step} of ${orderId}${until === null ? "" : `, ${timeText(until)}`}`;
  return [`Steps that await a report: ${steps.length}${isAll ? "" : "+"}, ${next}`];
}

export async function showGroup(app: App, group: string, asJson: boolean): Promise<void> {
  const [{ taken }, { orders, ...counted }] = await Promise.all([app.get<TakenJobs>("taken"), membersOf(app, group)]);
  sayCut(counted, asJson);
  if (asJson) {
    for (const order of orders) sayJson(order);
    return;
  }
  if (orders.length === 0) say(`No ${words.one} has the cause ${group} now.`);
  printTable(
    [words.one, "failed", "attempt", "message", "taken by"],
    orders.map(({ jobId: orderId, attempt, error }) => [
      orderId,
      ago(error.at),
      String(attempt),
      withTimes(error.message),
      taken.find(({ jobId }) => jobId === orderId)?.takenBy ?? "",
    ]),
  );
}

/** Of more orders than the app counts at once, those of a group may be more. */
function sayCut({ count, isAll }: { readonly count: number; readonly isAll: boolean }, asJson: boolean): void {
  if (isAll) return;
  sayBeside(`There are more: ${count} were counted. All: npm run orders -- find --state Error, or --waits-for`, asJson);
}

async function membersOf(app: App, group: string) {
  const orders: AttentionJob[] = [];
  let isAll = true;
  for (let from: number | undefined = 0; from !== undefined; ) {
    const page: AttentionPage = await app.get(`attention/jobs${queryOf({ group, from, limit: PAGE })}`);
    orders.push(...page.jobs);
    isAll &&= page.isAll;
    from = page.next;
  }
  return { orders, count: orders.length, isAll };
}

/** @param limit at most as many as a page of the API has */
export async function showSearch(
  app: App,
  search: Search & { readonly continuation?: string | undefined },
  limit: number,
  asJson: boolean,
): Promise<void> {
  const { continuation: _from, ...filter } = search;
  const [{ jobs: orders, continuation, looked }, { count, isMore }] = await Promise.all([
    app.get<JobPage>(`jobs${queryOf({ ...search, limit })}`),
    // For a pipe only the orders themselves are of use.
    asJson ? { count: null, isMore: false } : app.get<JobTotal>(`job-count${queryOf({ ...filter })}`),
  ]);
  if (asJson) {
    sayEach(orders);
    return sayMore("find ...", continuation, asJson);
  }
  if (orders.length === 0) say(looked ? `No ${words.one} matches so far.` : `No ${words.one} matches.`);
  printTable(
    [words.one, "state", "workflow", "attempt", "received", "message"],
    orders.map(({ jobId: orderId, processState, error, workflow, attempt, createdAt }) => [
      orderId,
      coloured(error && processState === "Error" ? `Error: ${error.kind}` : processState),
      `${workflow.name} v${workflow.version}`,
      String(attempt),
      timeText(createdAt),
      withTimes(error?.message ?? ""),
    ]),
  );
  if (looked) {
    say(`Searched ${countedOrders(looked.jobs)}, received since ${timeText(looked.downTo)}.`);
    say(`Go on with --continue ${continuation}, or say when: --from, --to.`);
  } else if (continuation !== undefined)
    say(
      `These are ${orders.length} of ${isMore ? "more than " : ""}${count?.toLocaleString("en") ?? "more"}. Go on with --continue ${continuation}, or add a filter or a larger --limit.`,
    );
  else if (count !== null && orders.length > 0) console.error(`${countedOrders(count)}.`);
}
