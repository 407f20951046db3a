// Submission by HTTP (P1, P13): an application that can't send to the bus submits a job, looks at it, and cancels it. It sees its own jobs alone.
import type { HttpRequest, HttpResponseInit, InvocationContext } from "@azure/functions";
import * as df from "durable-functions";
import type { App } from "../app/create-app.ts";
import { Outage } from "../domain/outage.ts";
import { hasEnded, type StateRecord } from "../domain/record/state-record.ts";
import { readBody } from "../messaging/message-body.ts";
import { parseOperatorRequest } from "../messaging/operator-request.ts";
import { WorkflowPaused } from "../scheduler/admission/pauses.ts";
import { operateJob } from "../scheduler/operating/operate-job.ts";
import { startClaimed } from "../scheduler/scheduler-client.ts";
import { type JobProgress, progressFor } from "../submission/job-progress.ts";
import { claimFirst, readSubmission, recordSubmission } from "../submission/record-submission.ts";
import { observe } from "../telemetry/invocation.ts";
import { activeTraceparent } from "../telemetry/trace-context.ts";
import { engineClient } from "./engine-client.ts";
import { ownerFor } from "./sign-in.ts";
import { atFault, type HttpFunctions, noSuchJob, signedInFunctions } from "./signed-in-function.ts";

/** As large as a message to a queue may be. */
const CONTENT_LIMIT = 262_144;
/** Seconds. */
const LOOK_AGAIN = { "Retry-After": "2" };
const TRY_AGAIN = { "Retry-After": "10" };

/** The HTTP functions that take a requester's jobs, and answer what became of them. */
export function submissionsByHttp(application: App): HttpFunctions {
  return signedInFunctions(application, {
    submitJob: {
      method: "POST",
      route: "submissions",
      role: "Jobs.Submit",
      extraInputs: [df.input.durableClient()],
      handle: forOwner(async (request, context, owner) => {
        if (Number(request.headers.get("content-length") ?? 0) > CONTENT_LIMIT) return TOO_LARGE;
        const bytes = Buffer.from(await request.arrayBuffer());
        if (bytes.length > CONTENT_LIMIT) return TOO_LARGE;
        const { value: body, faults } = readBody(bytes, request.headers.get("content-type") ?? undefined, "rejected");
        return observe(context, {}, async (telemetry) => {
          const own = application.contextOf(telemetry);
          const envelope = { caller: owner, faults, isApart: true };
          const message = { body, envelope, traceparent: activeTraceparent() ?? null };
          const job = await recordSubmission(await readSubmission(message, own), message, own);
          if (job.kind === "invalid") return atFault(job.faults);
          if (job.kind === "taken") return { status: 409, jsonBody: { reason: job.faults.join("; ") } };
          const claim = await claimFirst(job, own);
          if (claim?.kind === "claimed") await startClaimed(engineClient(context), claim, own);
          return answerOf(job.record, 202);
        });
      }),
    },
    readSubmission: {
      method: "GET",
      route: "submissions/{jobId}",
      role: "Jobs.Submit",
      handle: forOwner(async (request, _context, owner) => {
        const record = await ownRecord(request, owner);
        return record ? answerOf(record, 200) : noSuchJob(jobIdOf(request), application, "of yours");
      }),
    },
    cancelSubmission: {
      method: "POST",
      route: "submissions/{jobId}/cancel",
      role: "Jobs.Submit",
      handle: forOwner(async (request, context, owner) => {
        const jobId = jobIdOf(request);
        const parsed = parseOperatorRequest("cancel", jobId, await request.text(), application.ports().rules);
        if (parsed.kind === "invalid") return atFault(parsed.faults);
        if (!(await ownRecord(request, owner))) return noSuchJob(jobId, application, "of yours");
        const { reason } = parsed.request;
        const operated = await observe(context, { attributes: { jobId } }, (telemetry) =>
          operateJob(
            jobId,
            { kind: "cancel", reason, byRequester: true },
            { by: owner, ifMatch: "any" },
            application.contextOf(telemetry),
          ),
        );
        if (operated.kind === "done") return answerOf(operated.record, 202);
        if (operated.kind === "rejected")
          return { status: 409, jsonBody: { state: operated.state, reason: operated.reason } };
        return noSuchJob(jobId, application, "of yours");
      }),
    },
  });

  type Handle = (request: HttpRequest, context: InvocationContext, owner: string) => Promise<HttpResponseInit>;

  /** An outage, a pause or a full app is nobody's fault: the same request may be sent again. */
  function forOwner(handle: Handle): (request: HttpRequest, context: InvocationContext) => Promise<HttpResponseInit> {
    return async (request, context) => {
      const owner = ownerFor(request.headers, application.operatorSignIn);
      if (owner === undefined) return { status: 401, jsonBody: { error: "Who has signed in has no id." } };
      try {
        return await handle(request, context, owner);
      } catch (cause) {
        if (!(cause instanceof Outage)) throw cause;
        const why = cause instanceof WorkflowPaused ? `${cause.message}: ` : "";
        return { status: 503, headers: TRY_AGAIN, jsonBody: { error: `${why}send it again later` } };
      }
    };
  }

  /** Undefined for another's job, as for an unknown one. */
  async function ownRecord(request: HttpRequest, owner: string): Promise<StateRecord | undefined> {
    const { store } = application.ports();
    const jobId = jobIdOf(request);
    // "There is none" is a final answer.
    const read = (await store.state(jobId)) ?? (await store.latest(jobId));
    return read?.record.owner === owner ? read.record : undefined;
  }

  function answerOf(record: StateRecord, status: 200 | 202): HttpResponseInit {
    const isOver = hasEnded(record.processState);
    const jsonBody: JobProgress = progressFor(record, application.ports().workflows.find(record.workflow));
    const location = { Location: `/api/submissions/${record.jobId}` };
    return {
      status: isOver ? 200 : status,
      headers: { ...(status === 202 && location), ...(!isOver && LOOK_AGAIN) },
      jsonBody,
    };
  }
}

const TOO_LARGE: HttpResponseInit = {
  status: 413,
  jsonBody: { error: `The content has over ${CONTENT_LIMIT} bytes.` },
};

const jobIdOf = (request: HttpRequest): string => request.params["jobId"] ?? "";
