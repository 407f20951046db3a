// Agents and workflows, for operators: lists pauses and the health of each endpoint; pauses and resumes.

import type { App } from "@scheduler-agent-supervisor/core/create-app";
import { type ApiRoutes, atFault } from "@scheduler-agent-supervisor/core/functions";
import { changePause } from "@scheduler-agent-supervisor/core/scheduling";
import { observe } from "@scheduler-agent-supervisor/core/telemetry";
import { deskOf } from "../compose.ts";
import type { Pauses } from "../contract.ts";
import { parseAttentionPage } from "../messaging/attention-request.ts";
import { parsePauseChange } from "../messaging/pause-request.ts";
import { listed } from "./versioned-answer.ts";

export function agentsApi(application: App): ApiRoutes {
  return {
    agentHealth: {
      method: "GET",
      route: "agents",
      role: "Jobs.Read",
      handle: async () => ({ jsonBody: await deskOf(application).console.agents() }),
    },
    heldUp: {
      method: "GET",
      route: "held-up",
      role: "Jobs.Read",
      handle: async (request) => listed(request, await deskOf(application).console.heldUp.groups()),
    },
    heldUpJobs: {
      method: "GET",
      route: "held-up/jobs",
      role: "Jobs.Read",
      handle: async (request) => {
        const parsed = parseAttentionPage(request.query.entries());
        if (parsed.kind === "invalid") return atFault(parsed.faults);
        const { group, from, limit } = parsed.value;
        return listed(request, await deskOf(application).console.heldUp.page(group, from, limit));
      },
    },
    changePause: {
      method: "POST",
      route: "pauses",
      role: "Jobs.Operate",
      handle: async (request, context, operator) => {
        const parsed = parsePauseChange(await request.text());
        if (parsed.kind === "invalid") return atFault(parsed.faults);
        const { kind, name } = parsed.value;
        const { pauses, known } = deskOf(application).console;
        // An operator can also resume an agent or workflow here that an app of another version has paused.
        const isKnown = known[kind].includes(name) || (await pauses.isPaused({ kind, name }));
        if (!isKnown) return { status: 404, jsonBody: { error: `There is no ${kind} ${name}.` } };
        const current = await observe(context, { attributes: { action: parsed.value.change } }, (telemetry) =>
          changePause(parsed.value, operator, pauses, application.contextOf(telemetry)),
        );
        return { jsonBody: { pauses: [...current] } satisfies Pauses };
      },
    },
  };
}
