// Erasure (operator): removes all data of a job that is over from the store.

import type { App } from "@scheduler-agent-supervisor/core/create-app";
import { type ApiRoutes, atFault, noSuchJob } from "@scheduler-agent-supervisor/core/functions";
import { parseErasure } from "@scheduler-agent-supervisor/core/messaging";
import { entityTag } from "@scheduler-agent-supervisor/core/store";
import { observe } from "@scheduler-agent-supervisor/core/telemetry";
import { deskOf } from "../compose.ts";
import { parseIfMatch } from "../messaging/entity-tag.ts";
import { eraseJob } from "../operations/erase-job.ts";

export function erasureApi(application: App): ApiRoutes {
  return {
    eraseJob: {
      method: "POST",
      route: "jobs/{jobId}/erase",
      role: "Jobs.Operate",
      handle: async (request, context, operator) => {
        const jobId = request.params["jobId"] ?? "";
        const parsed = parseErasure(await request.text());
        const version = parseIfMatch(request.headers.get("if-match"));
        if (version.kind === "invalid" || parsed.kind === "invalid") {
          return atFault([parsed, version].flatMap((one) => (one.kind === "invalid" ? one.faults : [])));
        }
        const caller = { by: operator, ifMatch: version.value };
        const erased = await observe(context, { attributes: { jobId, action: "erase" } }, (telemetry) =>
          eraseJob(jobId, parsed.reason, caller, deskOf(application).erasure, application.contextOf(telemetry)),
        );
        switch (erased.kind) {
          case "erased":
            return { jsonBody: { jobId, erased: true } };
          case "rejected":
            return { status: 409, jsonBody: { reason: erased.reason } };
          case "changed": {
            const error = "It has changed since it was looked at: look at it again.";
            const jsonBody = { jobId, state: erased.record.processState, etag: entityTag(erased.etag), error };
            return { status: 412, jsonBody };
          }
          case "not-found":
            return noSuchJob(jobId, application);
          default:
            return erased satisfies never;
        }
      },
    },
  };
}
