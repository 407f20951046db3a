// Answers to requests that can't be served.
import type { HttpResponseInit } from "@azure/functions";
import type { App } from "../app/create-app.ts";
import { nounOf } from "../messaging/job-id.ts";

/** All faults at once. */
export function atFault(faults: readonly string[]): HttpResponseInit {
  return { status: 400, jsonBody: { error: "The request is at fault.", faults } };
}

/** In the app's own noun: operators and requesters read it. @param whose what narrows it, such as `of yours` */
export function noSuchJob(jobId: string, application: App, whose?: string): HttpResponseInit {
  const which = [nounOf(application.ports().rules.contracts), jobId, ...(whose ? [whose] : [])].join(" ");
  return { status: 404, jsonBody: { error: `There is no ${which}.` } };
}
