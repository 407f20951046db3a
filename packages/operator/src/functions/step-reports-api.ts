// Steps that are done later, for operators (P9, P11): lists the waiting ones, and takes a report in place of the service's own.
import type { HttpResponseInit } from "@azure/functions";
import type { App } from "@scheduler-agent-supervisor/core/create-app";
import { Outage } from "@scheduler-agent-supervisor/core/domain";
import { type ApiRoutes, atFault, engineClient, noSuchJob } from "@scheduler-agent-supervisor/core/functions";
import { parseStepReport } from "@scheduler-agent-supervisor/core/messaging";
import { type Reported, reportEnd, reportStep } from "@scheduler-agent-supervisor/core/scheduling";
import { entityTag } from "@scheduler-agent-supervisor/core/store";
import { observe } from "@scheduler-agent-supervisor/core/telemetry";
import * as df from "durable-functions";
import { deskOf } from "../compose.ts";
import type { Awaiting } from "../contract.ts";
import { parseAwaitingQuery } from "../messaging/awaiting-request.ts";
import { parseIfMatch } from "../messaging/entity-tag.ts";
import { continuationOf } from "../messaging/paging.ts";
import { listed } from "./versioned-answer.ts";

export function stepReportsApi(application: App): ApiRoutes {
  return {
    listAwaiting: {
      method: "GET",
      route: "awaiting",
      role: "Jobs.Read",
      handle: async (request) => {
        const parsed = parseAwaitingQuery(request.query.entries());
        if (parsed.kind === "invalid") return atFault(parsed.faults);
        const { assignee, limit, continuation } = parsed.value;
        const { next, ...page } = await deskOf(application).console.awaiting.read({
          assignee,
          limit,
          after: continuation,
        });
        const awaiting: Awaiting = { ...page, ...(next && { continuation: continuationOf(next) }) };
        return listed(request, awaiting);
      },
    },
    reportStep: {
      method: "POST",
      route: "jobs/{jobId}/steps/{step}/report",
      role: "Jobs.Operate",
      extraInputs: [df.input.durableClient()],
      handle: async (request, context, operator) => {
        const { jobId = "", step = "" } = request.params;
        const ports = application.ports();
        const parsed = parseStepReport(await request.text());
        const version = parseIfMatch(request.headers.get("if-match"));
        if (version.kind === "invalid" || parsed.kind === "invalid") {
          return atFault([parsed, version].flatMap((one) => (one.kind === "invalid" ? one.faults : [])));
        }
        const caller = { by: operator, ifMatch: version.value };
        const { reported, published } = await observe(context, { attributes: { jobId, step } }, async (telemetry) => {
          const taken = await reportStep(jobId, step, parsed.value, caller, { ...ports, telemetry });
          if (taken.kind !== "reported") return { reported: taken, published: false };
          const isPublished = await reportEnd(engineClient(context), jobId, taken.received).catch((cause: unknown) => {
            // It is recorded: the supervisor finds the job when its next step is due.
            if (cause instanceof Outage) return false;
            throw cause;
          });
          return { reported: taken, published: isPublished };
        });
        deskOf(application).console.awaiting.forget();
        return answer(jobId, reported, published, application);
      },
    },
  };
}

function answer(jobId: string, reported: Reported, published: boolean, application: App): HttpResponseInit {
  switch (reported.kind) {
    case "reported":
    case "changed": {
      const { record, etag } = reported;
      const tag = entityTag(etag);
      const current = { jobId, state: record.processState, attempt: record.attempt, etag: tag };
      if (reported.kind === "reported") return { headers: { ETag: tag }, jsonBody: { ...current, published } };
      const error = "It has changed since it was looked at: look at it again.";
      return { status: 412, headers: { ETag: tag }, jsonBody: { ...current, error } };
    }
    case "invalid":
      return atFault(reported.faults);
    case "rejected":
      return { status: 409, jsonBody: { state: reported.state, reason: reported.reason } };
    case "not-found":
      return noSuchJob(jobId, application);
    default:
      return reported satisfies never;
  }
}
