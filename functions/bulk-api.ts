// Actions on many orders (P9, P13): previewed, started, watched, paused and cancelled by any operator; and the activity that does one turn.
import type { HttpRequest, HttpResponseInit, InvocationContext } from "@azure/functions";
import { isBulkId, parseBulkPreview, parseBulkStart } from "@scheduler-agent-supervisor/core/messaging/bulk-request";
import type { BulkList, BulkPreview, BulkProgress } from "@scheduler-agent-supervisor/core/messaging/console-contract";
import { allKeys } from "@scheduler-agent-supervisor/core/messaging/contract";
import {
  type BulkOrder,
  changeBulk,
  listBulk,
  watchBulk,
} from "@scheduler-agent-supervisor/core/operations/operate-bulk";
import { previewBulk } from "@scheduler-agent-supervisor/core/operations/preview-bulk";
import { runBulk } from "@scheduler-agent-supervisor/core/operations/run-bulk";
import { startOnce } from "@scheduler-agent-supervisor/core/scheduler-client";
import { observe } from "@scheduler-agent-supervisor/core/telemetry/invocation";
import * as df from "durable-functions";
import { application } from "../shared/app.ts";
import { atFault, operatorEndpoint } from "./http/operator-endpoint.ts";

const ORCHESTRATOR = "bulkRun";
const client = df.input.durableClient();

df.app.activity("bulkTurn", {
  handler: (bulkId: string, context) =>
    observe(context, { attributes: { bulkId } }, (telemetry) =>
      runBulk(bulkId, { ...application.bulkPorts(), telemetry }),
    ),
});

operatorEndpoint("previewBulk", {
  method: "POST",
  route: "bulk",
  role: "Orders.Operate",
  handle: async (request, _context, operator) => {
    const parsed = parseBulkPreview(await request.text(), allKeys(application.bulkPorts().rules.contracts));
    if (parsed.kind === "invalid") return atFault(parsed.faults);
    const { action, target } = parsed.value;
    const preview = await previewBulk(action, target, operator, application.bulkPorts());
    return { status: 201, jsonBody: { ...preview, notPossible: [...preview.notPossible] } satisfies BulkPreview };
  },
});

operatorEndpoint("listBulk", {
  method: "GET",
  route: "bulk",
  role: "Orders.Read",
  handle: async () => ({ jsonBody: { runs: await listBulk(application.bulkPorts()) } satisfies BulkList }),
});

operatorEndpoint("watchBulk", {
  method: "GET",
  route: "bulk/{bulkId}",
  role: "Orders.Read",
  handle: async (request) => {
    const bulkId = bulkIdOf(request);
    const progress: BulkProgress | undefined = isBulkId(bulkId)
      ? await watchBulk(bulkId, application.bulkPorts())
      : undefined;
    return progress ? { jsonBody: progress } : notFound(request);
  },
});

operatorEndpoint("startBulk", {
  method: "POST",
  route: "bulk/{bulkId}/start",
  role: "Orders.Operate",
  extraInputs: [client],
  handle: async (request, context, operator) => {
    const parsed = parseBulkStart(await request.text());
    if (parsed.kind === "invalid") return atFault(parsed.faults);
    return change({ kind: "start", ...parsed.value }, request, context, operator);
  },
});

for (const kind of ["pause", "resume", "cancel"] as const) {
  operatorEndpoint(`${kind}Bulk`, {
    method: "POST",
    route: `bulk/{bulkId}/${kind}`,
    role: "Orders.Operate",
    extraInputs: [client],
    handle: (request, context, operator) => change({ kind }, request, context, operator),
  });
}

async function change(
  order: BulkOrder,
  request: HttpRequest,
  context: InvocationContext,
  operator: string,
): Promise<HttpResponseInit> {
  const bulkId = bulkIdOf(request);
  if (!isBulkId(bulkId)) return notFound(request);
  const changed = await observe(context, { attributes: { bulkId, action: order.kind } }, (telemetry) =>
    changeBulk(bulkId, order, operator, { ...application.bulkPorts(), telemetry }),
  );
  switch (changed.kind) {
    case "changed":
      // Also where it runs already: the process that started it may have died in between.
      if (changed.run.state === "running") {
        await startOnce(df.getClient(context), ORCHESTRATOR, `bulk.${bulkId}`, bulkId);
      }
      return { jsonBody: changed.run };
    case "rejected":
      return { status: 409, jsonBody: { reason: changed.reason } };
    case "not-found":
      return notFound(request);
    default:
      return changed satisfies never;
  }
}

const bulkIdOf = (request: HttpRequest): string => request.params["bulkId"] ?? "";

function notFound(request: HttpRequest): HttpResponseInit {
  return { status: 404, jsonBody: { error: `There is no action on many orders ${bulkIdOf(request)}.` } };
}
