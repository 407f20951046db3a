// Agents and workflows, for operators: what is paused, how each endpoint does, and pausing and resuming them.

import type { Pauses } from "@scheduler-agent-supervisor/core/messaging/console-contract";
import { parsePauseChange } from "@scheduler-agent-supervisor/core/messaging/pause-request";
import { changePause } from "@scheduler-agent-supervisor/core/operations/pauses";
import { observe } from "@scheduler-agent-supervisor/core/telemetry/invocation";
import { application } from "../shared/app.ts";
import { atFault, operatorEndpoint } from "./http/operator-endpoint.ts";

operatorEndpoint("agentStandings", {
  method: "GET",
  route: "agents",
  role: "Orders.Read",
  handle: async () => ({ jsonBody: await application.consolePorts().agents() }),
});

operatorEndpoint("changePause", {
  method: "POST",
  route: "pauses",
  role: "Orders.Operate",
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
});
