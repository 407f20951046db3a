// Is it well, and since when not: in a line, from everything that can be wrong; and each trouble with the time it began.
import type { Attention, DeadLetterCounts, HeldUp } from "@scheduler-agent-supervisor/operator/contract";
import { words } from "../../shared/words.ts";
import type { Trouble } from "./system.ts";
import { causesText, countedOrders, timeText, waitText, withTimes } from "./text.ts";

interface Seen {
  readonly attention: Attention;
  readonly heldUp: HeldUp;
  readonly deadLetters: DeadLetterCounts;
  /** What is wrong with the app itself. */
  readonly system: readonly Trouble[];
  readonly overdue: number;
}

interface Line {
  /** Null if it is not known. */
  readonly since: string | null;
  readonly line: string;
}

/** The verdict, then each trouble, the earliest first. */
export function verdictLines({ attention, heldUp, deadLetters, system, overdue }: Seen): string[] {
  const inError = attention.groups.map(({ count, example, firstSeen }) => ({
    since: firstSeen,
    line: `${countedOrders(count, attention.isAll)} in Error: ${withTimes(example)}`,
  }));
  const held = heldUp.groups.map(({ count, wait }) => ({
    since: wait.since,
    line: `${countedOrders(count, heldUp.isAll)}: ${waitText(wait)}`,
  }));
  const letters = deadLetters.queues.flatMap((queue): Line[] => {
    if ("error" in queue) return [{ since: null, line: `${queue.queue}: ${queue.error}` }];
    return queue.count === 0 ? [] : [{ since: queue.oldestAt, line: `${queue.queue}: ${causesText(queue)}` }];
  });
  const more = (isAll: boolean, what: string) =>
    isAll ? [] : [{ since: null, line: `More ${words.many} may be ${what} than are read at once` }];
  const uncounted = [...more(heldUp.isAll, "held up"), ...more(attention.isAll, "in Error")];
  const late = overdue === 0 ? [] : [{ since: null, line: `${countedOrders(overdue)} overdue` }];
  const all: Line[] = [...inError, ...held, ...letters, ...uncounted, ...system, ...late];
  all.sort((one, other) => (one.since ?? "9").localeCompare(other.since ?? "9"));
  const [first] = all;
  if (!first) return ["All is well."];
  const begun = first.since === null ? "" : ` since ${timeText(first.since)}`;
  return [`Not well${begun}:`, ...all.map(({ line }) => `  ${line}`)];
}
