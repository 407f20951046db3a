// The operators' API: all their queries and actions, each as an HTTP function behind their sign-in.
import type { HttpFunctionOptions } from "@azure/functions";
import type { App } from "@scheduler-agent-supervisor/core/create-app";
import { agentsApi } from "./agents-api.ts";
import { bulkApi } from "./bulk-api.ts";
import { consoleApi } from "./console-api.ts";
import { deadLettersApi } from "./dead-letters-api.ts";
import { discardedApi } from "./discarded-api.ts";
import { erasureApi } from "./erasure-api.ts";
import { jobsApi } from "./jobs-api.ts";
import { operatorFunction } from "./operator-endpoint.ts";
import { reportsApi } from "./reports-api.ts";
import { stepReportsApi } from "./step-reports-api.ts";
import { submissionsApi } from "./submissions-api.ts";
import { supervisorApi } from "./supervisor-api.ts";
import { takenApi } from "./taken-api.ts";
import { workflowsApi } from "./workflows-api.ts";

/** What the console calls a job and several of them, in texts for people. */
export interface Words {
  readonly one: string;
  readonly many: string;
}

const USUAL_WORDS: Words = { one: "job", many: "jobs" };

/** The HTTP functions of the operators' API, by name, as `app.http` takes them. The API itself says job, whatever the words are. */
export function operatorApi(
  application: App,
  words: Words = USUAL_WORDS,
): readonly (readonly [string, HttpFunctionOptions])[] {
  const endpoints = {
    ...jobsApi(application),
    ...submissionsApi(application),
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
  return Object.entries(endpoints).map(([name, endpoint]) => [name, operatorFunction(application, endpoint)]);
}
