// The durable HTTP API: what the unmodified client library and the management URLs call, one row a route.

import { diskFault } from "../../database/disk-room.ts";
import type { DurableHttpRequest, DurableHttpResponse } from "../contract.ts";
import { HOST_LIMITS } from "../limits.ts";
import { managementUrls } from "./client-binding.ts";
import { type InstanceFilter, isUnfinished, STATUSES, type Status } from "./instance-store.ts";
import type { Outcome, Started } from "./orchestrations.ts";
import {
  type ApiCall,
  baseUrlOf,
  CONTINUATION_HEADER,
  decodePart,
  type Handler,
  hasRefusedCharacter,
  instantOf,
  isJsonType,
  json,
  jsonBody,
  NO_JSON,
  ownPath,
  pageSize,
  problem,
  type RouteParts,
} from "./route.ts";
import { payloadFault, schedulerIdFault } from "./scheduler-limits.ts";
import { shownHistory } from "./shown-history.ts";
import { statusText } from "./status.ts";

const POLL_AFTER_SECONDS = "10";
const LOOK_AGAIN_AFTER_SECONDS = "5";
/** As on the real host whoever starts an orchestration without an input gives it an empty text. */
const NO_INPUT = '""';
const NO_ENTITIES = "Durable entities are not supported by the local durable engine.";

const ROUTES: readonly (readonly [method: string, path: RegExp, handler: Handler])[] = [
  ["POST", /^orchestrators\/([^/]+)(?:\/([^/]+))?$/i, start],
  ["GET", /^instances\/?$/i, list],
  ["DELETE", /^instances\/?$/i, purgeMatching],
  ["GET", /^instances\/([^/]+)$/i, status],
  // The real host has none of this name: it shows histories, and keeps them in Azure Storage.
  ["GET", /^instances\/([^/]+)\/\$history$/i, storedHistory],
  ["DELETE", /^instances\/([^/]+)$/i, purge],
  ["POST", /^instances\/([^/]+)\/raiseEvent\/([^/]+)$/i, raiseEvent],
  ["POST", /^instances\/([^/]+)\/terminate$/i, terminate],
  ["POST", /^instances\/([^/]+)\/suspend$/i, suspend],
  ["POST", /^instances\/([^/]+)\/resume$/i, resume],
  ["POST", /^instances\/[^/]+\/(rewind|restart)$/i, notSupported],
];

export async function routeHttp(parts: RouteParts, request: DurableHttpRequest): Promise<DurableHttpResponse> {
  if (/^entities(\/|$)/i.test(request.path)) return problem(400, NO_ENTITIES);
  for (const [method, path, handle] of ROUTES) {
    if (method !== request.method) continue;
    const match = path.exec(request.path);
    if (!match) continue;
    const decoded = match.slice(1).map((part) => (part === undefined ? undefined : decodePart(part)));
    try {
      return await handle({ ...parts, request, parts: decoded });
    } catch (cause) {
      const full = diskFault(cause);
      if (full === undefined) throw cause;
      return problem(507, full);
    }
  }
  return problem(404, `The local durable engine has no route ${request.method} ${request.path}.`);
}

async function start(call: ApiCall) {
  const { request, orchestrations, settings } = call;
  const [name = "", id = ""] = call.parts;
  const body = jsonBody(request);
  if (body.kind === "invalid") return problem(400, NO_JSON);
  if (id !== "" && isRefusedId(id)) {
    return problem(
      400,
      `'${id}' is no instance id: it has ${HOST_LIMITS.instanceId.value} characters at most, and may not begin with '@', nor contain '/', '\\', '#', '?' or control characters.`,
    );
  }
  const input = body.text ?? NO_INPUT;
  const refused = schedulerIdFault(settings, id) ?? payloadFault(settings, "The input", input);
  if (refused !== undefined) return problem(400, refused);
  return answerStart(call, await orchestrations.start(name, id || undefined, input));
}

function answerStart({ request, hubName }: ApiCall, started: Started): DurableHttpResponse {
  switch (started.kind) {
    case "started": {
      // The real host's clients know of rewinding, and whoever starts is not told of it.
      const { rewindPostUri: _, ...urls } = managementUrls(hubName, baseUrlOf(request), started.id);
      const headers = { location: urls["statusQueryGetUri"] ?? "", "retry-after": POLL_AFTER_SECONDS };
      return json(202, JSON.stringify({ id: started.id, ...urls }), headers);
    }
    case "exists": {
      // The real host answers 500 with the exception that its storage throws; its words are held against a recording.
      return fault(
        `An Orchestration instance with the status ${started.status} already exists.`,
        "DurableTask.Core.Exceptions.OrchestrationAlreadyExistsException",
      );
    }
    case "unknown":
      return problem(400, started.message);
    case "full":
      return problem(507, started.message);
    default:
      return started satisfies never;
  }
}

const isSet = (query: URLSearchParams, name: string) => query.get(name)?.toLowerCase() === "true";

function status({ request, parts: [id = ""], orchestrations }: ApiCall): DurableHttpResponse {
  const row = orchestrations.find(id);
  if (!row) return { status: 404 };
  const { query } = request;
  const withInputs = query.get("showInput") !== "false";
  const withResults = isSet(query, "showHistoryOutput");
  const history = isSet(query, "showHistory")
    ? shownHistory(row, orchestrations.history(row.int), { withInputs, withResults })
    : undefined;
  const body = statusText(row, withInputs, history);
  if (isUnfinished(row.status)) {
    const location = `${baseUrlOf(request)}${ownPath(request)}`;
    return json(202, body, { location, "retry-after": LOOK_AGAIN_AFTER_SECONDS });
  }
  const asError = row.status === "Failed" && isSet(query, "returnInternalServerErrorOnFailure");
  return json(asError ? 500 : 200, body);
}

/** As the engine has it stored: every event, with all that a replay needs. */
function storedHistory({ parts: [id = ""], orchestrations }: ApiCall): DurableHttpResponse {
  const row = orchestrations.find(id);
  if (!row) return { status: 404 };
  const { name, status: runtimeStatus } = row;
  return json(200, JSON.stringify({ instanceId: id, name, runtimeStatus, events: orchestrations.history(row.int) }));
}

/** In the order of their starts. */
function list({ request, orchestrations }: ApiCall): DurableHttpResponse {
  const limit = pageSize(request.query);
  const filter = filterOf(request);
  if (typeof filter === "string") return problem(400, filter);
  const after = Number(request.headers[CONTINUATION_HEADER] ?? 0);
  const rows = orchestrations.query({ ...filter, limit: limit + 1, after: Number.isInteger(after) ? after : 0 });
  const page = rows.slice(0, limit);
  const showInput = request.query.get("showInput") !== "false";
  const last = page.at(-1);
  const more = rows.length > limit && last ? { [CONTINUATION_HEADER]: String(last.int) } : {};
  return json(200, `[${page.map((row) => statusText(row, showInput)).join(",")}]`, more);
}

async function purge({ parts: [id = ""], orchestrations }: ApiCall) {
  const instancesDeleted = await orchestrations.purge(id);
  if (instancesDeleted === 0) return { status: 404 };
  return json(200, JSON.stringify({ instancesDeleted }));
}

async function purgeMatching({ request, orchestrations }: ApiCall) {
  if (instantOf(request.query, "createdTimeFrom") === undefined) {
    return problem(400, "The query has no createdTimeFrom: what is purged has a beginning.");
  }
  const filter = filterOf(request);
  if (typeof filter === "string") return problem(400, filter);
  const instancesDeleted = await orchestrations.purgeMatching(filter);
  if (instancesDeleted === 0) return problem(404, "No ended instance matches.");
  return json(200, JSON.stringify({ instancesDeleted }));
}

/** HttpApiHandler, HandleRaiseEventRequestAsync: the instance is looked at first. */
async function raiseEvent({ request, parts: [id = "", name = ""], orchestrations, settings }: ApiCall) {
  const body = jsonBody(request);
  const isJson = isJsonType(request.headers["content-type"]);
  if (isJson && body.kind === "json" && body.text !== null) {
    const tooLarge = payloadFault(settings, "The event's data", body.text);
    if (tooLarge !== undefined) return problem(400, tooLarge);
    return answer(await orchestrations.raiseEvent(id, name, body.text));
  }
  const row = orchestrations.find(id);
  if (!row || !isUnfinished(row.status)) return answer(row ? "ended" : "absent");
  return problem(400, isJson ? NO_JSON : "An event's body has to be declared as application/json.");
}

async function terminate({ request, parts: [id = ""], orchestrations }: ApiCall) {
  return answer(await orchestrations.terminate(id, reasonOf(request)));
}

async function suspend({ request, parts: [id = ""], orchestrations }: ApiCall) {
  return answer(await orchestrations.suspend(id, reasonOf(request)));
}

async function resume({ request, parts: [id = ""], orchestrations }: ApiCall) {
  return answer(await orchestrations.resume(id, reasonOf(request)));
}

function notSupported({ parts: [verb = ""] }: ApiCall): DurableHttpResponse {
  return problem(400, `To ${verb} an orchestration is not supported by the local durable engine.`);
}

function reasonOf({ query }: DurableHttpRequest): string {
  return query.get("reason") ?? "";
}

/** As the real host answers what one of its parts throws; recorded, and held against it. */
function fault(message: string, type: string): DurableHttpResponse {
  const Message = "Something went wrong while processing your request";
  return json(500, JSON.stringify({ Message, ExceptionMessage: message, ExceptionType: type }));
}

/** The client takes 410, ended already, for success, and of a 404 without a body it makes a message of its own. */
function answer(outcome: Outcome): DurableHttpResponse {
  if (outcome === "absent") return { status: 404 };
  return { status: outcome === "ended" ? 410 : 202 };
}

/** A text says what is wrong with the query. */
function filterOf({ query }: DurableHttpRequest): Omit<InstanceFilter, "limit" | "after"> | string {
  const statuses = query.getAll("runtimeStatus").flatMap((list) => list.split(",").filter(Boolean));
  const known = statuses.filter((status): status is Status => (STATUSES as readonly string[]).includes(status));
  const createdFrom = instantOf(query, "createdTimeFrom");
  const createdTo = instantOf(query, "createdTimeTo");
  const idPrefix = query.get("instanceIdPrefix");
  for (const name of ["createdTimeFrom", "createdTimeTo"]) {
    const given = query.get(name);
    if (given && Number.isNaN(Date.parse(given))) return `${name} is no date: ${given}`;
  }
  return {
    // Canceled and ContinuedAsNew exist in the API and never here: they match nothing.
    ...(statuses.length > 0 && { statuses: known }),
    ...(createdFrom !== undefined && { createdFrom }),
    ...(createdTo !== undefined && { createdTo }),
    ...(idPrefix && { idPrefix }),
  };
}

function isRefusedId(id: string): boolean {
  return id.length > HOST_LIMITS.instanceId.value || id.startsWith("@") || hasRefusedCharacter(id);
}
