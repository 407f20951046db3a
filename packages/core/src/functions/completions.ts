// Reports of steps that are done later (P6, P7): the service or person that received the request sends the result to the address in it.
import type { HttpRequest, HttpResponseInit, InvocationContext } from "@azure/functions";
import type { App } from "../app/create-app.ts";
import { Outage } from "../domain/outage.ts";
import { COMPLETIONS_PATH, parseReport, REPORT_LIMIT } from "../scheduler/completion.ts";
import { reportEnd } from "../scheduler/scheduler-client.ts";
import { takeReport } from "../scheduler/take-reply.ts";
import { observe } from "../telemetry/invocation.ts";
import { atFault } from "./at-fault.ts";
import { engineClient } from "./engine-client.ts";

/** The same answer for an unknown address and for a used one, so that a caller who guesses addresses learns nothing. */
const NOBODY_WAITS: HttpResponseInit = {
  status: 409,
  jsonBody: { error: "Nobody waits for this report, or not any more." },
};

const AWAY: HttpResponseInit = {
  status: 503,
  headers: { "Retry-After": "30" },
  jsonBody: { error: "It can't be taken just now: report it again." },
};

/**
 * The address for the report of a step that is done later: the route of `completeStep`. The address is the secret: only the receiver of the
 * request has it, so the route needs no key and no sign-in.
 */
export const COMPLETIONS_ROUTE = `${COMPLETIONS_PATH}/{ticket}`;

/**
 * The HTTP function that takes the report of a step that is done later, by POST. Answers 200 once it is recorded, 400 with the faults, 409 if no
 * step waits for it, 413 for a body that is too large, and 503 if it must be reported again.
 */
export const completeStep =
  (application: App) =>
  async (request: HttpRequest, context: InvocationContext): Promise<HttpResponseInit> => {
    const standing = application.ports();
    const body = await request.text();
    if (Buffer.byteLength(body) > REPORT_LIMIT) {
      return { status: 413, jsonBody: { error: `The report has over ${REPORT_LIMIT} bytes.` } };
    }
    const parsed = parseReport(request.params["ticket"] ?? "", body, standing.rules.contracts.noun);
    if (parsed.kind === "unknown") return NOBODY_WAITS;
    if (parsed.kind === "invalid") return atFault(parsed.faults);
    const { jobId, step } = parsed.report.address;
    const subject = { attributes: { jobId, step } };
    try {
      return await observe(context, subject, async (telemetry) => {
        const taken = await takeReport(parsed.report, { ...standing, telemetry });
        if (taken.kind === "late") return NOBODY_WAITS;
        if (taken.kind === "not yet") return AWAY;
        if (taken.kind === "misfit") return atFault(taken.faults);
        if (taken.kind === "recorded") await reportEnd(engineClient(context), jobId, taken.received);
        return { status: 200, jsonBody: { taken: true } };
      });
    } catch (cause) {
      // A recorded report that was not passed on yet is passed on when it is reported again.
      if (cause instanceof Outage) return AWAY;
      throw cause;
    }
  };
