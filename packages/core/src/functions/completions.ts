// Reports of steps that are done later (P6, P7): the service or person that received the request sends the result to the address in it.
import type { HttpRequest, HttpResponseInit, InvocationContext } from "@azure/functions";
import type { App } from "../app/create-app.ts";
import { textOfBody } from "../domain/content/body-text.ts";
import { Outage } from "../domain/outage.ts";
import { reportEnd } from "../scheduler/scheduler-client.ts";
import { COMPLETIONS_PATH, createDoubtedAddresses, parseReport, REPORT_LIMIT } from "../scheduler/steps/completion.ts";
import { takeReport } from "../scheduler/steps/take-reply.ts";
import { NotStorable } from "../store/job-store.ts";
import { observe } from "../telemetry/invocation.ts";
import { measure } from "../telemetry/metrics.ts";
import { engineClient } from "./engine-client.ts";
import { atFault } from "./signed-in-function.ts";

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

const TOO_LARGE: HttpResponseInit = {
  status: 413,
  jsonBody: { error: `The report has over ${REPORT_LIMIT} bytes.` },
};

/**
 * The address for the report of a step that is done later: the route of `completeStep`. The address is the secret: only the receiver of the
 * request has it, so the route needs no key and no sign-in.
 */
export const COMPLETIONS_ROUTE = `${COMPLETIONS_PATH}/{ticket}`;

/**
 * The HTTP function that takes the report of a step that is done later, by POST. Answers 200 once it is recorded, 400 with the faults, 409 if no
 * step waits for it, 413 for a body that is too large, and 503 if it must be reported again. Anybody may call it: until the address proves to be
 * the app's own, nothing is written, nothing of the request is recorded, and the store is read once at most. That read may be stale: an unknown
 * address has to be reported again first.
 */
export const completeStep = (application: App) => {
  const doubted = createDoubtedAddresses();
  return async (request: HttpRequest, context: InvocationContext): Promise<HttpResponseInit> => {
    if (Number(request.headers.get("content-length") ?? 0) > REPORT_LIMIT) return rejected(TOO_LARGE);
    const ports = application.ports();
    const bytes = Buffer.from(await request.arrayBuffer());
    if (bytes.length > REPORT_LIMIT) return rejected(TOO_LARGE);
    const body = textOfBody(bytes, request.headers.get("content-type") ?? "");
    const text = body.kind === "text" ? body.text : "";
    const ticket = request.params["ticket"] ?? "";
    const parsed = parseReport(ticket, text);
    if (parsed.kind === "unknown") return rejected(NOBODY_WAITS);
    if (body.kind === "unreadable") return rejected(atFault([`the body: ${body.fault}`]));
    if (parsed.kind === "invalid") return rejected(atFault(parsed.faults));
    const { jobId } = parsed.report.address;
    try {
      return await observe(context, {}, async (telemetry) => {
        const taken = await takeReport(parsed.report, { ...ports, telemetry });
        if (taken.kind === "unknown") return rejected(doubted.mayBeNew(ticket, ports.now()) ? AWAY : NOBODY_WAITS);
        if (taken.kind === "late") return NOBODY_WAITS;
        if (taken.kind === "not yet") return AWAY;
        if (taken.kind === "misfit") return atFault(taken.faults);
        if (taken.kind === "recorded") await reportEnd(engineClient(context), jobId, taken.received);
        return { status: 200, jsonBody: { taken: true } };
      });
    } catch (cause) {
      // A recorded report that was not passed on yet is passed on when it is reported again.
      if (cause instanceof Outage) return AWAY;
      if (cause instanceof NotStorable) return atFault([cause.message]);
      throw cause;
    }
  };
};

/** One count, of which the caller chooses nothing. */
function rejected(answer: HttpResponseInit): HttpResponseInit {
  measure("completions.rejected", 1);
  return answer;
}
