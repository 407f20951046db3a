// A call in words, for a trace.

import type { StatusMessage } from "@scheduler-agent-supervisor/core/messaging";
import { aboutOf, type Call, type Sent } from "./calls.ts";
import type { Message } from "./piece.ts";

/** What a write is for: its own entry in the history says it. The reason of a failure is left out: "rejected" would read as the store's answer. */
export function aimOf(call: Extract<Call, { kind: "change" | "replace" }>): string {
  return `writes the record: ${wordsOf(call).replace(/(?<=: Failed): .*/s, "")}`;
}

function wordsOf(call: Extract<Call, { kind: "change" | "replace" }>): string {
  if (call.kind === "replace") return call.record.history.at(-1)?.what ?? "its outbox messages are told";
  const entry = call.write.changes.find(({ path }) => path[0] === "history");
  const isTakeUp = call.write.changes.every(({ path }) => path[0] !== "history" && path[0] !== "outbox");
  if (entry && "value" in entry) return (entry.value as { what: string }).what;
  return isTakeUp ? "taken up" : "its outbox messages";
}

export function sendingOf(message: Sent): string {
  switch (message.queue) {
    case "scheduler":
      return `asks the scheduler for attempt ${message.body.attempt}${message.at ? ", later" : ""}`;
    case "requests":
      return `asks the agent of ${message.body.request.ticket.step}`;
    case "replies":
      return `replies for ${aboutOf(message.body).step}`;
    default:
      return message satisfies never;
  }
}

export function publishingOf({ status, attempt, step }: StatusMessage): string {
  return `tells the client ${status}, attempt ${attempt}${step ? `, ${step}` : ""}`;
}

/** A message in its queue. */
export function queuedOf({ queue }: Pick<Message, "queue">): string {
  switch (queue) {
    case "jobs":
      return "the job's message";
    case "scheduler":
      return "a start message";
    case "requests":
      return "a request";
    case "replies":
      return "a reply";
    case "accepted":
      return "what was accepted";
    default:
      return queue satisfies never;
  }
}
