// A service may repeat what it was sent: the values of the job's secrets are removed from whatever it says, before that is recorded or logged.

import { errorWithout, textWithout, valueWithout } from "../domain/content/redactor.ts";
import { Outage } from "../domain/outage.ts";
import type { AgentCall, BoundedReply, Bounds, Fault, Finding, LastError, RoutedAgent } from "./agent.ts";

/** The same operation, or query, whose answers and errors have none of these values. */
export function answeringWithout<Answer extends Finding>(
  run: (call: AgentCall) => Promise<Answer>,
  secrets: readonly string[],
): (call: AgentCall) => Promise<Answer> {
  return async (call) => {
    try {
      return findingWithout(await run(call), secrets) as Answer;
    } catch (cause) {
      throw cause instanceof Outage ? cause : errorWithout(cause, secrets);
    }
  };
}

function findingWithout(finding: Finding, secrets: readonly string[]): Finding {
  switch (finding.kind) {
    case "absent":
      return finding;
    case "done":
      return { ...finding, result: valueWithout(finding.result, secrets) };
    case "accepted":
    case "pending": {
      const { reference } = finding;
      return reference === undefined ? finding : { ...finding, reference: textWithout(reference, secrets) };
    }
    case "rejected":
    case "unavailable":
      return { ...finding, message: textWithout(finding.message, secrets) };
    default:
      return finding satisfies never;
  }
}

/** An agent that routes its calls itself: the same for its replies. */
export function withoutSecretsOf(agent: RoutedAgent): RoutedAgent {
  return {
    ...agent,
    async call(operation, request, bounds) {
      const { secrets = [], noteFault } = bounds;
      const note =
        noteFault && ((fault: Fault) => noteFault({ ...fault, lastError: errorOf(fault.lastError, secrets) }));
      const own: Bounds = note ? { ...bounds, noteFault: note } : bounds;
      try {
        return replyWithout(await agent.call(operation, request, own), secrets);
      } catch (cause) {
        throw cause instanceof Outage ? cause : errorWithout(cause, secrets);
      }
    },
  };
}

function replyWithout(reply: BoundedReply, secrets: readonly string[]): BoundedReply {
  switch (reply.kind) {
    case "notTakenUp":
      return reply;
    case "expired":
      return reply.lastError ? { ...reply, lastError: errorOf(reply.lastError, secrets) } : reply;
    default:
      return { ...reply, ...findingWithout(reply, secrets) } as BoundedReply;
  }
}

function errorOf(error: LastError, secrets: readonly string[]): LastError {
  return { ...error, message: textWithout(error.message, secrets) };
}
