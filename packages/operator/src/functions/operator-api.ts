// The operators' API: all their queries and actions, each as an HTTP function behind their sign-in.
import type { App } from "@scheduler-agent-supervisor/core/create-app";
import { type HttpFunctions, signedInFunctions } from "@scheduler-agent-supervisor/core/functions";
import { agentsApi } from "./agents-api.ts";
import { bulkApi } from "./bulk-api.ts";
import { consoleApi } from "./console-api.ts";
import { deadLettersApi } from "./dead-letters-api.ts";
import { discardedApi } from "./discarded-api.ts";
import { erasureApi } from "./erasure-api.ts";
import { jobsApi } from "./jobs-api.ts";
import { reportsApi } from "./reports-api.ts";
import { stepReportsApi } from "./step-reports-api.ts";
import { supervisorApi } from "./supervisor-api.ts";
import { takenApi } from "./taken-api.ts";
import { workflowsApi } from "./workflows-api.ts";

/** What the console calls a job and several of them, in texts for people. */
export interface Words {
  readonly one: string;
  readonly many: string;
}

const USUAL_WORDS: Words = { one: "job", many: "jobs" };

/** The HTTP functions of the operators' API. The API itself says job, whatever the words are. */
export function operatorApi(application: App, words: Words = USUAL_WORDS): HttpFunctions {
  const endpoints = {
    ...jobsApi(application),
    ...erasureApi(application),
    ...stepReportsApi(application),
    ...bulkApi(application),
    ...takenApi(application),
    ...consoleApi(application, words),
    ...deadLettersApi(application),
    ...discardedApi(application),
    ...agentsApi(application),
    ...supervisorApi(application),
    ...reportsApi(application),
    ...workflowsApi(application),
  };
  return signedInFunctions(application, endpoints);
}
