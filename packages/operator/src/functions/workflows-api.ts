// Lists the versions of the workflows, with how many unfinished jobs each has.
import { type App, versionsInUse } from "@scheduler-agent-supervisor/core/create-app";
import type { ApiRoutes } from "@scheduler-agent-supervisor/core/functions";

export function workflowsApi(application: App): ApiRoutes {
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
