// Lists the versions of the workflows, with how many unfinished jobs each has.
import { versionsInUse } from "@scheduler-agent-supervisor/core/composition";
import type { App } from "@scheduler-agent-supervisor/core/create-app";
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
  };
}
