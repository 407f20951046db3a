// The operator's API (P9, P11, P13): shows the state of the jobs, and acts on one job.
import type { HttpRequest, HttpResponseInit, InvocationContext } from "@azure/functions";
import type { App } from "@scheduler-agent-supervisor/core/create-app";
import type { Versioned } from "@scheduler-agent-supervisor/core/domain";
import {
  type ApiRoute,
  type ApiRoutes,
  atFault,
  noSuchJob,
  seesSecrets,
} from "@scheduler-agent-supervisor/core/functions";
import {
  allKeys,
  type OperatorRequest,
  type Parsed,
  parseOperatorRequest,
  parseStepOutcome,
} from "@scheduler-agent-supervisor/core/messaging";
import { type Operated, operateJob } from "@scheduler-agent-supervisor/core/scheduling";
import { entityTag } from "@scheduler-agent-supervisor/core/store";
import { observe } from "@scheduler-agent-supervisor/core/telemetry";
import { deskOf } from "../compose.ts";
import type { JobTotal } from "../contract.ts";
import { parseIfMatch } from "../messaging/entity-tag.ts";
import { parseCountRequest, parseListRequest } from "../messaging/list-request.ts";
import { continuationOf } from "../messaging/paging.ts";
import { findJobs } from "../operations/find-jobs.ts";
import { inspectJob } from "../operations/inspect-job.ts";
import { listed, versioned } from "./versioned-answer.ts";

export function jobsApi(application: App): ApiRoutes {
  return {
    listJobs: {
      method: "GET",
      route: "jobs",
      role: "Jobs.Read",
      handle: async (request) => {
        const parsed = parseListRequest(request.query.entries(), allKeys(application.ports().rules.contracts));
        if (parsed.kind === "invalid") return atFault(parsed.faults);
        const { jobs, next, looked } = await findJobs(parsed.request, {
          search: deskOf(application).search,
          store: application.ports().store,
        });
        const more = next && { continuation: continuationOf(next) };
        return listed(request, { jobs, ...(looked && { looked }), ...more });
      },
    },
    countJobs: {
      method: "GET",
      route: "job-count",
      role: "Jobs.Read",
      handle: async (request) => {
        const parsed = parseCountRequest(request.query.entries(), allKeys(application.ports().rules.contracts));
        if (parsed.kind === "invalid") return atFault(parsed.faults);
        const jsonBody: JobTotal = await deskOf(application).search.count(parsed.request);
        return { jsonBody };
      },
    },
    inspectJob: {
      method: "GET",
      route: "jobs/{jobId}",
      role: "Jobs.Read",
      handle: async (request) => {
        const jobId = jobIdOf(request);
        const inspection = await inspectJob(
          jobId,
          application.ports(),
          seesSecrets(request.headers, application.operatorSignIn),
        );
        return inspection ? versioned(request, inspection.etag, inspection) : noSuchJob(jobId, application);
      },
    },
    recordOutcome: {
      method: "POST",
      route: "jobs/{jobId}/steps/{step}/outcome",
      role: "Jobs.Operate",
      handle: async (request, context, operator) => {
        const parsed = parseStepOutcome(await request.text());
        const step = request.params["step"] ?? "";
        const asked =
          parsed.kind === "invalid"
            ? parsed
            : ({ kind: "valid", request: { kind: "recordOutcome", step, ...parsed.value } } as const);
        return operate("recordOutcome", asked, request, context, operator);
      },
    },
    ...Object.fromEntries(
      (["resubmit", "compensate", "cancel", "extend", "markResolved"] as const).map((action): [string, ApiRoute] => [
        `${action}Job`,
        {
          method: "POST",
          route: `jobs/{jobId}/${action}`,
          role: "Jobs.Operate",
          handle: async (request, context, operator) => {
            const { rules } = application.ports();
            const asked = parseOperatorRequest(action, jobIdOf(request), await request.text(), rules);
            return operate(action, asked, request, context, operator);
          },
        },
      ]),
    ),
  };

  async function operate(
    action: OperatorRequest["kind"],
    parsed: Parsed<{ readonly request: OperatorRequest }>,
    request: HttpRequest,
    context: InvocationContext,
    operator: string,
  ): Promise<HttpResponseInit> {
    const jobId = jobIdOf(request);
    const version = parseIfMatch(request.headers.get("if-match"));
    if (version.kind === "invalid" || parsed.kind === "invalid") {
      return atFault([parsed, version].flatMap((one) => (one.kind === "invalid" ? one.faults : [])));
    }
    const caller = { by: operator, ifMatch: version.value };
    const operated = await observe(context, { attributes: { jobId, action } }, (telemetry) =>
      operateJob(jobId, parsed.request, caller, application.contextOf(telemetry)),
    );
    if (operated.kind === "done") {
      const { attention, heldUp } = deskOf(application).console;
      attention.forget();
      heldUp.forget();
    }
    return answer(jobId, operated, application);
  }
}

function answer(jobId: string, operated: Operated, application: App): HttpResponseInit {
  switch (operated.kind) {
    case "done":
      return jobAnswer(200, operated, { published: operated.published });
    case "changed": {
      const error = "It has changed since it was looked at: look at it again.";
      return jobAnswer(412, operated, { error });
    }
    case "rejected":
      return { status: 409, jsonBody: { state: operated.state, reason: operated.reason } };
    case "invalid":
      return atFault(operated.faults);
    case "not-found":
      return noSuchJob(jobId, application);
    default:
      return operated satisfies never;
  }
}

/** The job's state, its version, and further members. */
function jobAnswer(status: number, { record, etag }: Versioned, more: Record<string, unknown>): HttpResponseInit {
  const { jobId, processState: state, attempt, direction, thenForward, jobRevision, dueAt = null } = record;
  const tag = entityTag(etag);
  const course = { direction, ...(thenForward && { thenForward }) };
  const jsonBody = { jobId, state, attempt, ...course, jobRevision, dueAt, etag: tag, ...more };
  return { status, headers: { ETag: tag }, jsonBody };
}

const jobIdOf = (request: HttpRequest): string => request.params["jobId"] ?? "";
