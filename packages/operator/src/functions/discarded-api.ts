// Messages that operators discarded (P11), as HTTP functions: shows them, and sends them again.

import type { App } from "@scheduler-agent-supervisor/core/create-app";
import { type ApiRoutes, atFault, seesSecrets } from "@scheduler-agent-supervisor/core/functions";
import { observe } from "@scheduler-agent-supervisor/core/telemetry";
import { deskOf } from "../compose.ts";
import { shownLetter } from "../messaging/dead-letter-message.ts";
import { parseDeadLetterRequest, parseDiscardedList } from "../messaging/dead-letter-request.ts";
import { continuationOf } from "../messaging/paging.ts";
import { listDiscarded, readDiscarded, resendDiscarded } from "../operations/discarded-messages.ts";
import { listed } from "./versioned-answer.ts";

export function discardedApi(application: App): ApiRoutes {
  return {
    listDiscarded: {
      method: "GET",
      route: "discarded-messages",
      role: "Jobs.Read",
      handle: async (request) => {
        const parsed = parseDiscardedList(request.query.entries());
        if (parsed.kind === "invalid") return atFault(parsed.faults);
        const { limit, continuation } = parsed.value;
        const { discarded, next } = await listDiscarded(limit, continuation, deskOf(application).deadLetters());
        return listed(request, { discarded, ...(next && { continuation: continuationOf(next) }) });
      },
    },
    readDiscarded: {
      method: "GET",
      route: "discarded-messages/{id}",
      role: "Jobs.Read",
      handle: async (request) => {
        const id = request.params["id"] ?? "";
        const found = await readDiscarded(id, deskOf(application).deadLetters());
        if (!found) return notFound(id);
        const isShown = seesSecrets(request.headers, application.operatorSignIn);
        return {
          jsonBody: isShown
            ? found
            : { ...found, message: shownLetter(found.message, application.ports().rules.contracts) },
        };
      },
    },
    resendDiscarded: {
      method: "POST",
      route: "discarded-messages/{id}/resend",
      role: "Jobs.Operate",
      handle: async (request, context, operator) => {
        const id = request.params["id"] ?? "";
        const parsed = parseDeadLetterRequest("resend", await request.text());
        if (parsed.kind === "invalid") return atFault(parsed.faults);
        const resent = await observe(context, { attributes: { action: "resendDiscarded" } }, (telemetry) =>
          resendDiscarded(id, parsed.value, operator, { ...deskOf(application).deadLetters(), telemetry }),
        );
        switch (resent.kind) {
          case "resent":
            return { jsonBody: { target: resent.target, messageId: resent.messageId } };
          case "rejected":
            return { status: 409, jsonBody: { reason: resent.reason } };
          case "not-found":
            return notFound(id);
          default:
            return resent satisfies never;
        }
      },
    },
  };
}

function notFound(id: string) {
  return { status: 404, jsonBody: { error: `There is no discarded message ${id}, or not any more.` } };
}
