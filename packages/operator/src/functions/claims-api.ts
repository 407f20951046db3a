// Claims and notes: which operator handles a case, and the notes for the next operator.

import type { App } from "@scheduler-agent-supervisor/core/create-app";
import { atFault } from "@scheduler-agent-supervisor/core/hosting";
import { observe } from "@scheduler-agent-supervisor/core/telemetry";
import { deskOf } from "../compose.ts";
import type { Handlings } from "../messaging/console-contract.ts";
import { parseIfMatch } from "../messaging/entity-tag.ts";
import { parseHandlingChange } from "../messaging/handling-request.ts";
import { parsePage } from "../messaging/page-request.ts";
import { continuationOf } from "../messaging/paging.ts";
import { changeClaim } from "../operations/handle-job.ts";
import { type Endpoints, listed } from "./operator-endpoint.ts";

export function claimsApi(application: App): Endpoints {
  return {
    listClaims: {
      method: "GET",
      route: "claims",
      role: "Jobs.Read",
      handle: async (request) => {
        const parsed = parsePage(request.query.entries());
        if (parsed.kind === "invalid") return atFault(parsed.faults);
        const { limit, continuation } = parsed.value;
        const { next, ...page } = await deskOf(application).console.handling.page(limit, continuation);
        const claims: Handlings = { ...page, ...(next && { continuation: continuationOf(next) }) };
        return listed(request, claims);
      },
    },
    changeClaim: {
      method: "POST",
      route: "claims",
      role: "Jobs.Operate",
      handle: async (request, context, operator) => {
        const parsed = parseHandlingChange(await request.text());
        const header = request.headers.get("if-match");
        const seen = parseIfMatch(header);
        if (parsed.kind === "invalid" || seen.kind === "invalid") {
          return atFault([parsed, seen].flatMap((one) => (one.kind === "invalid" ? one.faults : [])));
        }
        const { target, change } = parsed.value;
        const version = header === null ? undefined : seen.value;
        const { handling } = deskOf(application).console;
        const handled = await observe(context, { attributes: { action: change.kind } }, (telemetry) =>
          changeClaim({ target, change, seen: version }, operator, handling, application.contextOf(telemetry)),
        );
        switch (handled.kind) {
          case "changed":
            return { headers: { ETag: handled.handling.etag }, jsonBody: handled.handling };
          case "rejected":
            return { status: 409, jsonBody: { reason: handled.reason } };
          case "stale":
            return { status: 412, jsonBody: { error: "Somebody else has claimed it or added a note since." } };
          default:
            return handled satisfies never;
        }
      },
    },
  };
}
