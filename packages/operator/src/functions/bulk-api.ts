// Actions on many jobs (P9, P13): any operator can preview, start, watch, pause and cancel them; and the activity that does one turn.
import type { HttpRequest, HttpResponseInit, InvocationContext } from "@azure/functions";
import type { App } from "@scheduler-agent-supervisor/core/create-app";
import { type ApiRoute, type ApiRoutes, atFault, engineClient } from "@scheduler-agent-supervisor/core/functions";
import { allKeys } from "@scheduler-agent-supervisor/core/messaging";
import { startOnce } from "@scheduler-agent-supervisor/core/scheduling";
import { observe } from "@scheduler-agent-supervisor/core/telemetry";
import * as df from "durable-functions";
import { deskOf } from "../compose.ts";
import type { BulkList, BulkPreview, BulkProgress } from "../contract.ts";
import { isBulkId, parseBulkList, parseBulkPreview, parseBulkStart } from "../messaging/bulk-request.ts";
import { continuationOf } from "../messaging/paging.ts";
import { type BulkCommand, changeBulk, listBulk, listOpenBulk, watchBulk } from "../operations/operate-bulk.ts";
import { previewBulk } from "../operations/preview-bulk.ts";

export function bulkApi(application: App): ApiRoutes {
  return {
    previewBulk: {
      method: "POST",
      route: "bulk",
      role: "Jobs.Operate",
      handle: async (request, _context, operator) => {
        const parsed = parseBulkPreview(await request.text(), allKeys(deskOf(application).bulk.rules.contracts));
        if (parsed.kind === "invalid") return atFault(parsed.faults);
        const { target, ...asked } = parsed.value;
        const preview = await previewBulk(asked, target, operator, deskOf(application).bulk);
        return { status: 201, jsonBody: { ...preview, notPossible: [...preview.notPossible] } satisfies BulkPreview };
      },
    },
    listBulk: {
      method: "GET",
      route: "bulk",
      role: "Jobs.Read",
      handle: async (request) => {
        const parsed = parseBulkList(request.query.entries());
        if (parsed.kind === "invalid") return atFault(parsed.faults);
        const { open, continuation } = parsed.value;
        if (open) return { jsonBody: (await listOpenBulk(deskOf(application).bulk)) satisfies BulkList };
        const { runs, next } = await listBulk(deskOf(application).bulk, continuation);
        return { jsonBody: { runs, ...(next && { continuation: continuationOf(next) }) } satisfies BulkList };
      },
    },
    watchBulk: {
      method: "GET",
      route: "bulk/{bulkId}",
      role: "Jobs.Read",
      handle: async (request) => {
        const bulkId = bulkIdOf(request);
        const progress: BulkProgress | undefined = isBulkId(bulkId)
          ? await watchBulk(bulkId, deskOf(application).bulk)
          : undefined;
        return progress ? { jsonBody: progress } : notFound(request);
      },
    },
    startBulk: {
      method: "POST",
      route: "bulk/{bulkId}/start",
      role: "Jobs.Operate",
      extraInputs: [client],
      handle: async (request, context, operator) => {
        const parsed = parseBulkStart(await request.text());
        if (parsed.kind === "invalid") return atFault(parsed.faults);
        return change({ kind: "start", ...parsed.value }, request, context, operator);
      },
    },
    ...Object.fromEntries(
      (["pause", "resume", "cancel"] as const).map((kind): [string, ApiRoute] => [
        `${kind}Bulk`,
        {
          method: "POST",
          route: `bulk/{bulkId}/${kind}`,
          role: "Jobs.Operate",
          extraInputs: [client],
          handle: (request, context, operator) => change({ kind }, request, context, operator),
        },
      ]),
    ),
  };

  async function change(
    command: BulkCommand,
    request: HttpRequest,
    context: InvocationContext,
    operator: string,
  ): Promise<HttpResponseInit> {
    const bulkId = bulkIdOf(request);
    if (!isBulkId(bulkId)) return notFound(request);
    const changed = await observe(context, { attributes: { bulkId, action: command.kind } }, (telemetry) =>
      changeBulk(bulkId, command, operator, { ...deskOf(application).bulk, telemetry }),
    );
    switch (changed.kind) {
      case "changed":
        // Also if it runs already: the process that started it may have crashed in between.
        if (changed.run.state === "running") {
          await startOnce(engineClient(context), ORCHESTRATOR, `bulk.${bulkId}`, bulkId);
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
}

const ORCHESTRATOR = "bulkRun";
const client = df.input.durableClient();

const bulkIdOf = (request: HttpRequest): string => request.params["bulkId"] ?? "";

function notFound(request: HttpRequest): HttpResponseInit {
  return { status: 404, jsonBody: { error: `There is no bulk action ${bulkIdOf(request)}.` } };
}
