// The operators' console's own requests besides the operator's API: the signed-in operator, the overview, and the cases for a person.

import { randomUUID } from "node:crypto";
import type { App } from "@scheduler-agent-supervisor/core/create-app";
import { type ApiRoutes, accessTo, atFault } from "@scheduler-agent-supervisor/core/functions";
import { allKeys, contentSchemaOf, contractFor, resultSchemaOf } from "@scheduler-agent-supervisor/core/messaging";
import { notableEvents } from "@scheduler-agent-supervisor/core/telemetry";
import { deskOf } from "../compose.ts";
import type { AuditPage, Changes, JobAudit, Session, Supervisor } from "../contract.ts";
import { parseAttentionPage } from "../messaging/attention-request.ts";
import { continuationOf } from "../messaging/paging.ts";
import { parseAuditLogQuery, parseAuditQuery } from "../messaging/supervisor-request.ts";
import { openApi } from "../openapi/document.ts";
import { shownEntry, shownLateReply } from "../operations/shown-entry.ts";
import { consoleBuild } from "./console-files.ts";
import { listed } from "./versioned-answer.ts";

export function consoleApi(application: App, words: Session["words"]): ApiRoutes {
  return {
    session: {
      method: "GET",
      route: "session",
      role: "Jobs.Read",
      handle: async (request, _context, operator) => {
        const { environment, signIn, pauses, traceUrl } = deskOf(application).console;
        const { contracts } = application.business;
        const mayOperate = accessTo("Jobs.Operate", request.headers, signIn).kind === "granted";
        const session: Session = {
          operator,
          mayOperate,
          environment,
          words,
          keys: [...allKeys(contracts)],
          ...waitable(application),
          build: consoleBuild(),
          traceUrl,
          // The operator's name is returned also while the store is unavailable.
          pauses: await pauses.current().then(
            (current) => [...current],
            () => null,
          ),
        };
        return { jsonBody: session };
      },
    },
    // From memory alone: a view asks often whether the app answers at all, and reads the lists again if something has happened.
    changes: {
      method: "GET",
      route: "changes",
      role: "Jobs.Read",
      handle: async () => ({
        jsonBody: { asOf: new Date().toISOString(), process: PROCESS, count: notableEvents() } satisfies Changes,
      }),
    },
    overview: {
      method: "GET",
      route: "overview",
      role: "Jobs.Read",
      handle: async (request) => listed(request, await deskOf(application).console.attention.overview()),
    },
    traffic: {
      method: "GET",
      route: "traffic",
      role: "Jobs.Read",
      handle: async () => ({ jsonBody: await deskOf(application).console.traffic() }),
    },
    lastHour: {
      method: "GET",
      route: "last-hour",
      role: "Jobs.Read",
      handle: async () => ({ jsonBody: await deskOf(application).console.lastHour() }),
    },
    waitingMessages: {
      method: "GET",
      route: "waiting-messages",
      role: "Jobs.Read",
      handle: async () => ({ jsonBody: await deskOf(application).console.waitingMessages() }),
    },
    attention: {
      method: "GET",
      route: "attention",
      role: "Jobs.Read",
      handle: async (request) => listed(request, await deskOf(application).console.attention.groups()),
    },
    attentionJobs: {
      method: "GET",
      route: "attention/jobs",
      role: "Jobs.Read",
      handle: async (request) => {
        const parsed = parseAttentionPage(request.query.entries());
        if (parsed.kind === "invalid") return atFault(parsed.faults);
        const { group, from, limit } = parsed.value;
        return listed(request, await deskOf(application).console.attention.page(group, from, limit));
      },
    },
    leadingSupervisor: {
      method: "GET",
      route: "supervisor",
      role: "Jobs.Read",
      handle: async () => {
        const { supervision, gauges } = deskOf(application).console;
        const [leader, freshness] = await Promise.all([supervision.leader(), gauges()]);
        return { jsonBody: { leader, gauges: freshness } satisfies Supervisor };
      },
    },
    auditLog: {
      method: "GET",
      route: "audit-log",
      role: "Jobs.Read",
      handle: async (request) => {
        const parsed = parseAuditLogQuery(request.query.entries(), Date.now());
        if (parsed.kind === "invalid") return atFault(parsed.faults);
        const { from, to, limit, continuation } = parsed.value;
        const { supervision } = deskOf(application).console;
        const { entries, next } = await supervision.page({ from, to }, limit, continuation);
        const more = next ? { continuation: continuationOf(next) } : {};
        const page: AuditPage = { from, to, entries: entries.map(shownEntry), ...more };
        return listed(request, page);
      },
    },
    jobAudit: {
      method: "GET",
      route: "jobs/{jobId}/audit",
      role: "Jobs.Read",
      handle: async (request) => {
        const parsed = parseAuditQuery(request.query.entries());
        if (parsed.kind === "invalid") return atFault(parsed.faults);
        const { entries, next, lateReplies } = await deskOf(application).console.supervision.ofJob(
          request.params["jobId"] ?? "",
          MOST_OF_AN_JOB,
          parsed.value.continuation,
        );
        const audit: JobAudit = {
          entries: entries.map(shownEntry),
          isAll: next === undefined,
          lateReplies: lateReplies.map(shownLateReply),
          ...(next && { continuation: continuationOf(next) }),
        };
        return { jsonBody: audit };
      },
    },
    openapi: {
      method: "GET",
      route: "openapi.json",
      role: "Jobs.Read",
      handle: async () => ({ headers: { "Cache-Control": "private, max-age=300" }, jsonBody: openApi() }),
    },
    resultContract: {
      method: "GET",
      route: "result-contract/{agent}/{operation}",
      role: "Jobs.Read",
      handle: async (request) => {
        const { agent: name, operation = "" } = request.params;
        const schema = application.business.agents.find((agent) => agent.name === name)?.results[operation];
        if (!schema) return { status: 404, jsonBody: { error: `No agent ${name} declares a result of ${operation}.` } };
        return { headers: { "Cache-Control": "private, max-age=300" }, jsonBody: resultSchemaOf(schema) };
      },
    },
    jobContract: {
      method: "GET",
      route: "job-contract",
      role: "Jobs.Read",
      handle: async (request) => ({
        headers: { "Cache-Control": "private, max-age=300" },
        jsonBody: contentSchemaOf(
          contractFor(request.query.get("workflow") ?? "", application.ports().rules.contracts),
        ),
      }),
    },
  };
}

/** What a search by `waitsFor` can name. */
function waitable({ business: { serviceAgents, workflows } }: App): Pick<Session, "agents" | "steps"> {
  const steps = workflows.flatMap((workflow) => workflow.steps.map(({ name }) => name));
  return { agents: serviceAgents.map(({ name }) => name), steps: [...new Set(steps)].sort() };
}

/** Several processes may answer in turn, each with a count of its own. */
const PROCESS = randomUUID();

/** The number of entries of one job on a page. */
const MOST_OF_AN_JOB = 100;
