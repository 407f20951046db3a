// Who handles which job: an operator takes it, and the others see the name.

import type { App } from "@scheduler-agent-supervisor/core/create-app";
import { type ApiRoutes, atFault, noSuchJob } from "@scheduler-agent-supervisor/core/functions";
import { observe } from "@scheduler-agent-supervisor/core/telemetry";
import { deskOf } from "../compose.ts";
import type { TakeAnswer, TakenJobs } from "../contract.ts";
import { parseTake } from "../messaging/take-request.ts";
import { takeJob } from "../operations/take-job.ts";
import { listed } from "./versioned-answer.ts";

export function takenApi(application: App): ApiRoutes {
  return {
    listTaken: {
      method: "GET",
      route: "taken",
      role: "Jobs.Read",
      handle: async (request) => {
        const taken = await deskOf(application).console.taken.all();
        const answer: TakenJobs = { asOf: new Date().toISOString(), taken: [...taken] };
        return listed(request, answer);
      },
    },
    takeJob: {
      method: "POST",
      route: "jobs/{jobId}/take",
      role: "Jobs.Operate",
      handle: async (request, context, operator) => {
        const jobId = request.params["jobId"] ?? "";
        const parsed = parseTake(await request.text());
        if (parsed.kind === "invalid") return atFault(parsed.faults);
        const { taken } = parsed.value;
        const { store } = application.ports();
        if (!((await store.state(jobId)) ?? (await store.latest(jobId)))) return noSuchJob(jobId, application);
        const takenBy = await observe(context, { attributes: { jobId, action: "take" } }, (telemetry) =>
          takeJob({ jobId, taken }, operator, deskOf(application).console.taken, application.contextOf(telemetry)),
        );
        if (taken && takenBy !== operator) return { status: 409, jsonBody: { reason: `${takenBy} has taken it` } };
        return { jsonBody: { jobId, takenBy } satisfies TakeAnswer };
      },
    },
  };
}
