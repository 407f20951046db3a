// Dead letters, the quarantine and discarded messages, for the terminal.

import type {
  DeadLetter,
  DeadLetterCounts,
  DeadLetterPage,
  Discarded,
  DiscardedMessage,
  DiscardedPage,
  Resent,
} from "@scheduler-agent-supervisor/operator/contract";
import { words } from "../../shared/words.ts";
import { UsageError } from "../every-app/arguments.ts";
import { type App, pathOf, queryOf } from "./app.ts";
import type { Further } from "./given.ts";
import { printTable } from "./table.ts";
import { ago, causesText, jsonText, say, sayEach, sayJson, sayMore, timeText } from "./text.ts";

const PAGE = 100;

export async function showDeadLetters(
  app: App,
  queue: string | undefined,
  number: string | undefined,
  asJson: boolean,
) {
  if (queue === undefined) return showCounts(app, asJson);
  return number === undefined ? showQueue(app, queue, asJson) : showMessage(app, queue, number, asJson);
}

async function showCounts(app: App, asJson: boolean): Promise<void> {
  const { queues } = await app.get<DeadLetterCounts>("dead-letters");
  if (asJson) return sayEach(queues);
  printTable(
    ["queue", "messages", "oldest", "causes"],
    queues.map((queue) => {
      if ("error" in queue) return [queue.queue, "?", "", queue.error];
      const { count, isAll, oldestAt } = queue;
      return [queue.queue, `${count}${isAll ? "" : "+"}`, oldestAt ? ago(oldestAt) : "", causesText(queue)];
    }),
  );
}

async function messagesOf(app: App, queue: string): Promise<DeadLetterPage["messages"]> {
  const messages: DeadLetterPage["messages"] = [];
  for (let from: string | undefined = "0"; from !== undefined; ) {
    const page: DeadLetterPage = await app.get(`dead-letters${queryOf({ queue, from, limit: PAGE })}`);
    messages.push(...page.messages);
    from = page.next;
  }
  return messages;
}

async function showQueue(app: App, queue: string, asJson: boolean): Promise<void> {
  const messages = await messagesOf(app, queue);
  if (asJson) return sayEach(messages);
  if (messages.length === 0) say(`${queue} has no dead letters.`);
  printTable(
    ["number", words.one, "arrived", "deliveries", "cause"],
    messages.map(({ sequenceNumber, jobId, enqueuedAt, deliveryCount, reason, description }) => [
      sequenceNumber,
      jobId ?? "",
      enqueuedAt ? ago(enqueuedAt) : "",
      String(deliveryCount),
      [reason, description].filter(Boolean).join(": "),
    ]),
  );
}

async function showMessage(app: App, queue: string, number: string, asJson: boolean): Promise<void> {
  const message = await app.get<DeadLetter>(pathOf("dead-letters", queue, number));
  if (asJson) return sayJson(message);
  say(`${queue} ${number}: ${[message.reason, message.description].filter(Boolean).join(": ")}`);
  printTable(
    ["property", "value"],
    Object.entries(message.applicationProperties).map(([name, value]) => [name, String(value)]),
  );
  sayBody(message.body);
}

/** JSON as `--file` takes it again. */
function sayBody(body: DeadLetter["body"]): void {
  if (body.kind === "json") console.log(jsonText(body.json, 2));
  else say(body.kind === "text" ? body.text : "The body is no text.");
}

export interface Handling {
  readonly reason: string;
  /** In place of the message's own body. */
  readonly body?: unknown;
  /** Or a merge patch of its own body. */
  readonly patch?: unknown;
}

/**
 * One after another: each is named when it is done, so that an error leaves no doubt about the others.
 * @returns the exit code: 1 if an original is still there
 */
export async function handleMessages(
  app: App,
  action: "resend" | "discard",
  queue: string,
  numbers: readonly string[],
  handling: Handling,
): Promise<number> {
  let left = 0;
  if (numbers.length === 0)
    throw new UsageError(`Give the number of a message: see npm run orders -- dead-letters ${queue}`);
  if ("body" in handling && numbers.length > 1) throw new UsageError("--file is the body of one message.");
  for (const number of numbers) {
    const path = pathOf("dead-letters", queue, number, action);
    if (action === "resend") {
      const { target, removed } = await app.post<Resent>(path, handling);
      if (!removed) left += 1;
      say(`${number}: sent to ${target}${removed ? "" : ". The original is still there: discard it"}.`);
    } else {
      const { discarded, keptUntil } = await app.post<Discarded>(path, handling);
      say(
        `${number}: discarded. Until ${timeText(keptUntil)}: npm run orders -- resend-discarded ${discarded} --reason "WHY"`,
      );
    }
  }
  return left === 0 ? 0 : 1;
}

export async function showOneDiscarded(app: App, id: string, asJson: boolean): Promise<void> {
  const { message, ...about } = await app.get<DiscardedMessage>(pathOf("discarded-messages", id));
  if (asJson) return sayJson({ ...about, message });
  say(`${about.queue}, discarded by ${about.by} ${ago(about.at)}: ${about.why}`);
  sayBody(message.body);
}

export async function showDiscarded(app: App, further: Further, asJson: boolean): Promise<void> {
  const page = await app.get<DiscardedPage>(`discarded-messages${queryOf({ ...further, limit: PAGE })}`);
  const { discarded, continuation } = page;
  if (asJson) sayEach(discarded);
  else printDiscarded(discarded);
  sayMore("discarded", continuation, asJson);
}

function printDiscarded(discarded: DiscardedPage["discarded"]): void {
  if (discarded.length === 0) say("No message was discarded in the last 14 days.");
  printTable(
    ["id", "queue", words.one, "discarded", "by", "why"],
    discarded.map(({ id: copy, queue, message, at, by, why }) => [copy, queue, message.jobId ?? "", ago(at), by, why]),
  );
}

export async function resendDiscarded(app: App, id: string, handling: Handling): Promise<void> {
  const { target } = await app.post<Pick<Resent, "target">>(pathOf("discarded-messages", id, "resend"), handling);
  say(`${id}: sent to ${target}.`);
}
