// Reports of steps that are done later (P6, P7): whoever was asked to do one says what came of it, by the address that it was given.
import type { HttpRequest, HttpResponseInit, InvocationContext } from "@azure/functions";
import type { App } from "../app/create-app.ts";
import { Outage } from "../domain/outage.ts";
import { COMPLETIONS_PATH, parseReport, REPORT_LIMIT } from "../messaging/completion.ts";
import { takeReport } from "../operations/take-reply.ts";
import { reportEnd } from "../scheduler-client.ts";
import { observe } from "../telemetry/invocation.ts";
import { engineClient } from "./engine-client.ts";
import { atFault } from "./operator-endpoint.ts";

/** The same for an address that was never given out and for one that is used up: who tries others learns nothing. */
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
 * Where a report of a step that is done later goes: the route of `completeStep`. The address is the secret: whoever has it was asked, so that no key and
 * no sign-in is wanted.
 */
export const COMPLETIONS_ROUTE = `${COMPLETIONS_PATH}/{ticket}`;

/**
 * The HTTP function that takes the report of a step that is done later, by POST. Answers 200 once it is recorded, 400 with the faults, 409 where nobody waits for it, 413 for a
 * body that is too large, and 503 where it has to be reported again.
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
      // What is recorded and not handed over yet is handed over when it is reported again.
      if (cause instanceof Outage) return AWAY;
      throw cause;
    }
  };
