// What the app reports of itself that no job shows; and its dismissal, once its cause is dealt with.

import type { App } from "@scheduler-agent-supervisor/core/create-app";
import { type ApiRoutes, atFault } from "@scheduler-agent-supervisor/core/functions";
import { observe } from "@scheduler-agent-supervisor/core/telemetry";
import { deskOf } from "../compose.ts";
import { parseDismissal } from "../messaging/dismissal-request.ts";
import { dismissReport } from "../operations/dismiss-report.ts";

export function reportsApi(application: App): ApiRoutes {
  return {
    reports: {
      method: "GET",
      route: "reports",
      role: "Jobs.Read",
      handle: async () => ({ jsonBody: await deskOf(application).reports.current() }),
    },
    dismissReport: {
      method: "POST",
      route: "reports/{id}/dismiss",
      role: "Jobs.Operate",
      handle: async (request, context, operator) => {
        const parsed = parseDismissal(await request.text());
        if (parsed.kind === "invalid") return atFault(parsed.faults);
        const dismissal = { id: request.params["id"] ?? "", reason: parsed.value.reason };
        const { reports } = deskOf(application);
        const isDone = await observe(context, { attributes: { action: "dismissReport" } }, (telemetry) =>
          dismissReport(dismissal, operator, reports, application.contextOf(telemetry)),
        );
        if (!isDone)
          return { status: 409, jsonBody: { reason: "It is not reported any more, or has happened again." } };
        return { jsonBody: await reports.current() };
      },
    },
  };
}
