// The operator's API for dead letters and the quarantine: lists the messages, and acts on one message.
import type { HttpRequest, HttpResponseInit, InvocationContext } from "@azure/functions";
import type { App } from "@scheduler-agent-supervisor/core/create-app";
import { type ApiRoute, type ApiRoutes, atFault, seesSecrets } from "@scheduler-agent-supervisor/core/functions";
import { observe } from "@scheduler-agent-supervisor/core/telemetry";
import { deskOf } from "../compose.ts";
import type { MessageWaveResults } from "../contract.ts";
import { shownLetter } from "../messaging/dead-letter-message.ts";
import {
  type DeadLetterAction,
  isSequenceNumber,
  parseDeadLetterCauses,
  parseDeadLetterList,
  parseDeadLetterRequest,
  parseMessageWave,
} from "../messaging/dead-letter-request.ts";
import type { DeadLetterQueue } from "../messaging/dead-letters.ts";
import { countDeadLetters } from "../operations/count-dead-letters.ts";
import { groupDeadLetters } from "../operations/dead-letter-causes.ts";
import { type Handled, handleDeadLetter } from "../operations/handle-dead-letter.ts";
import { listed } from "./versioned-answer.ts";

export function deadLettersApi(application: App): ApiRoutes {
  const queues = () => deskOf(application).deadLetters().deadLetters.queues;
  const queueOf = (name: string) => queues().find((queue) => queue.name === name);

  return {
    listDeadLetters: {
      method: "GET",
      route: "dead-letters",
      role: "Jobs.Read",
      handle: async (request) => {
        const parsed = parseDeadLetterList(request.query.entries());
        if (parsed.kind === "invalid") return atFault(parsed.faults);
        const { queue: name, from, limit } = parsed.value;
        const { deadLetters } = deskOf(application).deadLetters();
        if (name === undefined) return listed(request, { queues: await countDeadLetters(deadLetters) });
        const queue = queueOf(name);
        if (!queue) return noSuchQueue(name);
        return listed(request, { queue: queue.name, ...(await deadLetters.page(queue, from, limit)) });
      },
    },
    deadLetterCauses: {
      method: "GET",
      route: "dead-letter-causes",
      role: "Jobs.Read",
      handle: async (request) => {
        const parsed = parseDeadLetterCauses(request.query.entries());
        if (parsed.kind === "invalid") return atFault(parsed.faults);
        const queue = queueOf(parsed.value.queue);
        if (!queue) return noSuchQueue(parsed.value.queue);
        return listed(request, await groupDeadLetters(queue, deskOf(application).deadLetters().deadLetters));
      },
    },
    handleMessageWave: {
      method: "POST",
      route: "dead-letter-waves",
      role: "Jobs.Operate",
      handle: async (request, context, operator) => {
        const parsed = parseMessageWave(await request.text());
        if (parsed.kind === "invalid") return atFault(parsed.faults);
        const { queue: name, numbers, patch, ...of } = parsed.value;
        const asked = { ...of, ...(patch && { edit: { patch } }) };
        const queue = queueOf(name);
        if (!queue) return noSuchQueue(name);
        const results: MessageWaveResults["results"] = [];
        // One after another: a message is locked together with those before it.
        for (const sequenceNumber of numbers) {
          const handled = await observe(context, { attributes: { action: asked.action, queue: name } }, (telemetry) =>
            handleDeadLetter(queue, sequenceNumber, asked, operator, {
              ...deskOf(application).deadLetters(),
              telemetry,
            }),
          );
          results.push({ sequenceNumber, ...outcomeOf(handled) });
        }
        return { jsonBody: { results } satisfies MessageWaveResults };
      },
    },
    readDeadLetter: {
      method: "GET",
      route: "dead-letters/{queue}/{sequenceNumber}",
      role: "Jobs.Read",
      handle: (request) =>
        onMessage(request, async (queue, sequenceNumber) => {
          const message = await deskOf(application).deadLetters().deadLetters.read(queue, sequenceNumber);
          if (!message) return notFound(queue, sequenceNumber);
          const shown = seesSecrets(request.headers, application.operatorSignIn)
            ? message
            : shownLetter(message, application.ports().rules.contracts);
          return { jsonBody: { queue: queue.name, ...shown } };
        }),
    },
    ...Object.fromEntries(
      (["resend", "discard"] as const).map((action): [string, ApiRoute] => [
        `${action}DeadLetter`,
        {
          method: "POST",
          route: `dead-letters/{queue}/{sequenceNumber}/${action}`,
          role: "Jobs.Operate",
          handle: (request, context, operator) =>
            onMessage(request, (queue, sequenceNumber) =>
              handle(action, queue, sequenceNumber, request, context, operator),
            ),
        },
      ]),
    ),
  };

  async function handle(
    action: DeadLetterAction,
    queue: DeadLetterQueue,
    sequenceNumber: string,
    request: HttpRequest,
    context: InvocationContext,
    operator: string,
  ): Promise<HttpResponseInit> {
    const parsed = parseDeadLetterRequest(action, await request.text());
    if (parsed.kind === "invalid") return atFault(parsed.faults);
    const handled = await observe(context, { attributes: { action, queue: queue.name } }, (telemetry) =>
      handleDeadLetter(queue, sequenceNumber, parsed.value, operator, {
        ...deskOf(application).deadLetters(),
        telemetry,
      }),
    );
    return answer(queue, sequenceNumber, handled);
  }

  function noSuchQueue(name: string): HttpResponseInit {
    const names = queues().map((queue) => queue.name);
    return {
      status: 404,
      jsonBody: { error: `There are no dead letters of ${name}; there are those of ${names.join(", ")}.` },
    };
  }

  /** Acts on the message that the route names, if such a message can exist. */
  async function onMessage(
    request: HttpRequest,
    work: (queue: DeadLetterQueue, sequenceNumber: string) => Promise<HttpResponseInit>,
  ): Promise<HttpResponseInit> {
    const { queue: name = "", sequenceNumber = "" } = request.params;
    const queue = queueOf(name);
    if (!queue) return noSuchQueue(name);
    return isSequenceNumber(sequenceNumber) ? work(queue, sequenceNumber) : notFound(queue, sequenceNumber);
  }
}

function outcomeOf(handled: Handled): Omit<MessageWaveResults["results"][number], "sequenceNumber"> {
  switch (handled.kind) {
    case "resent":
      return { outcome: "resent", reason: handled.removed ? null : "the original is still there: discard it" };
    case "discarded":
      return { outcome: "discarded", reason: null };
    case "rejected":
      return { outcome: "skipped", reason: handled.reason };
    case "not-found":
      return { outcome: "skipped", reason: "it is not there any more" };
    default:
      return handled satisfies never;
  }
}

function answer(queue: DeadLetterQueue, sequenceNumber: string, handled: Handled): HttpResponseInit {
  const which = { queue: queue.name, sequenceNumber };
  switch (handled.kind) {
    case "resent": {
      const { target, messageId, removed } = handled;
      return { jsonBody: { ...which, target, messageId, removed } };
    }
    case "discarded":
      return { jsonBody: { ...which, discarded: handled.id, keptUntil: handled.keptUntil } };
    case "rejected":
      return { status: 409, jsonBody: { ...which, reason: handled.reason } };
    case "not-found":
      return notFound(queue, sequenceNumber);
    default:
      return handled satisfies never;
  }
}

function notFound({ name }: DeadLetterQueue, sequenceNumber: string): HttpResponseInit {
  return {
    status: 404,
    jsonBody: { error: `There is no message ${sequenceNumber} among the dead letters of ${name}.` },
  };
}
