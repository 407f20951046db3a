// Lists the versions of the workflows, with how many unfinished jobs each has; and gives advice on the times of their steps.
import { versionsInUse } from "@scheduler-agent-supervisor/core/composition";
import type { App } from "@scheduler-agent-supervisor/core/create-app";
import { atFault } from "@scheduler-agent-supervisor/core/hosting";
import { deskOf } from "../compose.ts";
import { parseAdviceQuery } from "../messaging/advice-request.ts";
import type { Endpoints } from "./operator-endpoint.ts";

export function workflowsApi(application: App): Endpoints {
  return {
    listWorkflows: {
      method: "GET",
      route: "workflows",
      role: "Jobs.Read",
      handle: async () => {
        const { known, register } = application.workflowPorts();
        return { jsonBody: { workflows: await versionsInUse(known, register) } };
      },
    },
    advice: {
      method: "GET",
      route: "advice",
      role: "Jobs.Read",
      handle: async (request) => {
        const parsed = parseAdviceQuery(request.query.entries());
        if (parsed.kind === "invalid") return atFault(parsed.faults);
        const { workflow, changes } = parsed.value;
        if (workflow !== undefined && !application.business.workflowNames.includes(workflow))
          return { status: 404, jsonBody: { error: `There is no workflow ${workflow}.` } };
        return { jsonBody: await deskOf(application).console.advice(workflow, changes) };
      },
    },
  };
}
