// What is done with dead letters by a word: by their numbers, or all of one cause, with an edit.
import { MOST_JOBS } from "@scheduler-agent-supervisor/operator/domain";
import { numberOf, UsageError, type Values } from "../every-app/arguments.ts";
import { needed } from "./given.ts";
import { patchOf } from "./members.ts";
import { handleCause, previewCause } from "./message-causes.ts";
import { handleMessages } from "./messages.ts";
import { jsonOfFile } from "./one.ts";
import type { Call } from "./verb.ts";

/** What is said, and done, to a message. */
export function handling(values: Values) {
  const patch = editOf(values);
  const body = values["file"] === undefined ? {} : { body: jsonOfFile(needed(values, "file")) };
  return { reason: needed(values, "reason"), ...body, ...(patch === undefined ? {} : { patch }) };
}

/** An edit as a merge patch; undefined for none. */
export function editOf(values: Values): unknown {
  const set = (values["set"] ?? []) as unknown as readonly string[];
  if (values["file"] !== undefined && (set.length > 0 || values["patch"] !== undefined))
    throw new UsageError("Give --file, --set or --patch.");
  if (values["patch"] === undefined) return set.length === 0 ? undefined : patchOf(set, "set");
  if (set.length > 0) throw new UsageError("Give --set or --patch FILE.");
  return jsonOfFile(needed(values, "patch"));
}

/** Resends or discards messages of a queue, by their numbers or their cause. */
export function handle({ app, given, values }: Call, action: "resend" | "discard"): Promise<unknown> {
  const [queue, ...numbers] = given;
  if (queue === undefined) throw new UsageError("Give the queue: see npm run orders -- dead-letters");
  if (values["cause"] !== undefined) {
    if (numbers.length > 0) throw new UsageError("Give the numbers of messages, or --cause.");
    if (values["file"] !== undefined) throw new UsageError("--file is the body of one message: use --set or --patch.");
    const count = numberOf(values, "count", 1, MOST_JOBS);
    const patch = editOf(values);
    const which = { queue, cause: needed(values, "cause"), action, patch };
    return count === undefined
      ? previewCause(app, which)
      : handleCause(app, which, { count, reason: needed(values, "reason") });
  }
  return handleMessages(app, action, queue, numbers, handling(values));
}
