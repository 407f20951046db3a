// Listens to a link's events so that what a handler throws ends that link alone.
import { messageOf, stackOf } from "../../thrown.ts";
import { isStoreFault } from "../queue/store.ts";
import type { ReceiverLink, SenderLink } from "../rhea-internals.ts";

export type Log = (line: string) => void;

/** Calls `handler` at each event. A fault closes the link with `amqp:internal-error` and is logged. */
export function onLinkEvent<Context>(
  link: ReceiverLink | SenderLink,
  event: string,
  log: Log,
  handler: (context: Context) => unknown,
): void {
  const fail = (cause: unknown) => endLink(link, event, log, cause);
  link.on(event, (context) => attempt(() => handler(context as Context), fail));
}

/** Runs `work` now and hands what it throws, or rejects with, to `fail`. */
export function attempt(work: () => unknown, fail: (cause: unknown) => void): void {
  try {
    const result = work();
    if (result instanceof Promise) result.catch((cause: unknown) => handOn(cause, fail));
  } catch (cause) {
    handOn(cause, fail);
  }
}

/** The broker's memory is ahead of a store that failed: only a start from the disk is right, so the process ends. */
function handOn(cause: unknown, fail: (cause: unknown) => void): void {
  if (!isStoreFault(cause)) fail(cause);
  else
    process.nextTick(() => {
      throw cause;
    });
}

export function endLink(link: ReceiverLink | SenderLink, what: string, log: Log, cause: unknown): void {
  const description = messageOf(cause);
  log(`AMQP link ${link.name} ended at ${what}: ${stackOf(cause)}`);
  if (link.is_open()) link.close({ condition: "amqp:internal-error", description });
}
