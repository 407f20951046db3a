// Agents and workflows, for operators: what is paused, how each endpoint does, and pausing and resuming them.

import type { App } from "../app/create-app.ts";
import type { Pauses } from "../messaging/console-contract.ts";
import { parsePauseChange } from "../messaging/pause-request.ts";
import { changePause } from "../operations/pauses.ts";
import { observe } from "../telemetry/invocation.ts";
import { atFault, type Endpoints } from "./operator-endpoint.ts";

export function agentsApi(application: App): Endpoints {
  return {
    agentStandings: {
      method: "GET",
      route: "agents",
      role: "Jobs.Read",
      handle: async () => ({ jsonBody: await application.consolePorts().agents() }),
    },
    changePause: {
      method: "POST",
      route: "pauses",
      role: "Jobs.Operate",
      handle: async (request, context, operator) => {
        const parsed = parsePauseChange(await request.text());
        if (parsed.kind === "invalid") return atFault(parsed.faults);
        const { kind, name } = parsed.value;
        const { pauses, known } = application.consolePorts();
        // What an app of another version has paused can be resumed here too.
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
