// The answer about a job that is not there, in the app's own noun: operators and requesters read it.
import type { HttpResponseInit } from "@azure/functions";
import type { App } from "@scheduler-agent-supervisor/core/create-app";
import { nounOf } from "@scheduler-agent-supervisor/core/messaging";

/** @param whose what narrows it, such as `of yours` */
export function noSuchJob(jobId: string, application: App, whose?: string): HttpResponseInit {
  const which = [nounOf(application.ports().rules.contracts), jobId, ...(whose ? [whose] : [])].join(" ");
  return { status: 404, jsonBody: { error: `There is no ${which}.` } };
}
