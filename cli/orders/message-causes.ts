// The messages of one cause, for the terminal: shown in groups, previewed, sent again or discarded together, one first.

import { setTimeout as sleep } from "node:timers/promises";
import { counted } from "@scheduler-agent-supervisor/core/domain";
import type { DeadLetter, DeadLetterCauses, MessageWaveResults } from "@scheduler-agent-supervisor/operator/contract";
import { applyPatch, type MessageAction, runMessageWaves } from "@scheduler-agent-supervisor/operator/domain";
import { type App, pathOf, queryOf } from "./app.ts";
import { printTable } from "./table.ts";
import { ago, say, sayBeside, sayEach } from "./text.ts";

export interface CauseOf {
  readonly queue: string;
  /** Its id. */
  readonly cause: string;
  readonly action: MessageAction;
  readonly patch: unknown;
}

const MORE = "There are more messages in the queue than are read at once: look again when these are done.";

const causesOf = (app: App, queue: string) => app.get<DeadLetterCauses>(`dead-letter-causes${queryOf({ queue })}`);

export async function showCauses(app: App, queue: string, asJson: boolean): Promise<void> {
  const { causes, isAll } = await causesOf(app, queue);
  if (!isAll) sayBeside(MORE, asJson);
  if (asJson) return sayEach(causes);
  if (causes.length === 0) say(`${queue} has no dead letters.`);
  printTable(
    ["cause", "messages", "oldest", "why"],
    causes.map(({ id, cause, count, oldestAt }) => [
      ...[id, `${count}${isAll ? "" : "+"}`, oldestAt ? ago(oldestAt) : "", cause ?? "without a reason"],
    ]),
  );
}

async function causeOf(app: App, { queue, cause }: CauseOf) {
  const { causes, isAll } = await causesOf(app, queue);
  const found = causes.find(({ id }) => id === cause);
  if (found) return { ...found, isAll };
  throw new Error(`No message of ${queue} has the cause ${cause}: see npm run orders -- dead-letter-causes ${queue}`);
}

export async function previewCause(app: App, which: CauseOf): Promise<void> {
  const { queue, action, patch } = which;
  const { count, cause, numbers, isAll } = await causeOf(app, which);
  say(`${action}: ${counted(count, "message")} (${cause ?? "without a reason"})`);
  if (!isAll) say(MORE);
  if (patch !== undefined) {
    const { body } = await app.get<DeadLetter>(pathOf("dead-letters", queue, numbers[0] ?? ""));
    if (body.kind === "json") say(`The first, edited:\n${JSON.stringify(applyPatch(body.json, patch), null, 2)}`);
  }
  say(`Nothing is done yet. To start it, with 1 message first:
  npm run orders -- ${action} ${queue} --cause ${which.cause} --count ${count} --reason "WHY"${patch === undefined ? "" : ", with the same --set or --patch"}`);
}

/** @returns the exit code: 0 if all are done */
export async function handleCause(
  app: App,
  which: CauseOf,
  { count, reason }: { readonly count: number; readonly reason: string },
): Promise<number> {
  const { queue, action, patch } = which;
  const found = await causeOf(app, which);
  if (found.count !== count) {
    throw new Error(
      `This cause has ${counted(found.count, "message")} now, and not ${count}: preview it again: npm run orders -- ${action} ${queue} --cause ${which.cause}`,
    );
  }
  const asked = { queue, action, reason, ...(patch !== undefined && { patch }) };
  const { state, skipped } = await runMessageWaves(found, action, {
    causes: () => causesOf(app, queue),
    wave: (numbers) => app.post<MessageWaveResults>("dead-letter-waves", { ...asked, numbers }),
    wait: (ms) => sleep(ms),
    isStopped: () => false,
    said: ({ state: now, handled, total, back }) => say(`${now}: ${handled} of ${total}, ${back} came back`),
  });
  if (state === "back") say("Stopped by itself: too many came back with the same cause.");
  printTable(
    ["number", "why it was skipped"],
    skipped.map(({ sequenceNumber, reason: why }) => [sequenceNumber, why ?? ""]),
  );
  return state === "done" && skipped.length === 0 ? 0 : 1;
}
