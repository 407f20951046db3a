// The durable HTTP API: what the unmodified client library and the management URLs call, one row a route.
import type { DurableHttpRequest, DurableHttpResponse } from "../contract.ts";
import { managementUrls } from "./client-binding.ts";
import { listEntities, readEntity, signalEntity } from "./entity-routes.ts";
import type { Outcome, Started } from "./orchestrations.ts";
import {
  baseUrlOf,
  type Call,
  CONTINUATION_HEADER,
  decodePart,
  type Handler,
  instantOf,
  isTrue,
  json,
  jsonBody,
  ownPath,
  pageSize,
  problem,
  type RouteParts,
} from "./route.ts";
import { shownHistory, statusText } from "./status.ts";
import { type InstanceFilter, type InstanceRow, isUnfinished, STATUSES, type Status } from "./store.ts";

const POLL_AFTER_SECONDS = "10";
/** More than anybody purges at once. */
const NO_LIMIT = -1;

const ROUTES: readonly (readonly [method: string, path: RegExp, handler: Handler])[] = [
  ["POST", /^orchestrators\/([^/]+)(?:\/([^/]+))?$/i, start],
  ["GET", /^instances\/?$/i, list],
  ["DELETE", /^instances\/?$/i, purgeMatching],
  ["GET", /^instances\/([^/]+)$/i, status],
  ["DELETE", /^instances\/([^/]+)$/i, purge],
  ["POST", /^instances\/([^/]+)\/raiseEvent\/([^/]+)$/i, raiseEvent],
  ["POST", /^instances\/([^/]+)\/terminate$/i, terminate],
  ["POST", /^instances\/([^/]+)\/suspend$/i, suspend],
  ["POST", /^instances\/([^/]+)\/resume$/i, resume],
  ["POST", /^instances\/([^/]+)\/rewind$/i, rewind],
  ["POST", /^instances\/([^/]+)\/restart$/i, restart],
  ["GET", /^entities(?:\/([^/]+))?\/?$/i, listEntities],
  ["GET", /^entities\/([^/]+)\/([^/]+)$/i, readEntity],
  ["POST", /^entities\/([^/]+)\/([^/]+)$/i, signalEntity],
  ["DELETE", /^entities\/([^/]+)\/([^/]+)$/i, signalEntity],
];

export async function routeHttp(parts: RouteParts, request: DurableHttpRequest): Promise<DurableHttpResponse> {
  for (const [method, path, handle] of ROUTES) {
    if (method !== request.method) continue;
    const match = path.exec(request.path);
    if (!match) continue;
    const decoded = match.slice(1).map((part) => (part === undefined ? undefined : decodePart(part)));
    return handle({ ...parts, request, parts: decoded });
  }
  return problem(404, `The local durable engine has no route ${request.method} ${request.path}.`);
}

async function start(call: Call) {
  const { request, orchestrations } = call;
  const [name = "", id = ""] = call.parts;
  const body = jsonBody(request);
  if (body.kind === "invalid") return problem(400, "Invalid JSON content");
  if (id !== "" && isRefusedId(id)) {
    return problem(
      400,
      `'${id}' is no instance id: it may not begin with '@', nor contain '/', '\\', '#', '?' or control characters.`,
    );
  }
  return answerStart(call, await orchestrations.start(name, id || undefined, body.text));
}

function answerStart({ request, hubName }: Call, started: Started): DurableHttpResponse {
  switch (started.kind) {
    case "started": {
      const urls = managementUrls(hubName, baseUrlOf(request), started.id);
      const headers = { location: urls["statusQueryGetUri"] ?? "", "retry-after": POLL_AFTER_SECONDS };
      return json(202, JSON.stringify({ id: started.id, ...urls }), headers);
    }
    case "exists": {
      // The real host answers 500 with the exception that its storage throws.
      return fault(
        `An Orchestration instance with the status ${started.status} already exists.`,
        "DurableTask.Core.Exceptions.OrchestrationAlreadyExistsException",
      );
    }
    case "unknown":
      return problem(400, started.message);
    default:
      return started satisfies never;
  }
}

function status({ request, parts: [id = ""], orchestrations }: Call): DurableHttpResponse {
  const row = orchestrations.find(id);
  if (!row) return problem(404, `No instance with ID '${id}' found.`);
  const { query } = request;
  const wantsHistory = isTrue(query.get("showHistory"));
  const history = wantsHistory
    ? shownHistory(row, orchestrations.history(row.int), isTrue(query.get("showHistoryOutput")))
    : undefined;
  const body = statusText(row, query.get("showInput") !== "false", history);
  if (isUnfinished(row.status)) {
    return json(202, body, { location: `${baseUrlOf(request)}${ownPath(request)}`, "retry-after": POLL_AFTER_SECONDS });
  }
  const asError = row.status === "Failed" && isTrue(query.get("returnInternalServerErrorOnFailure"));
  return json(asError ? 500 : 200, body);
}

function list({ request, orchestrations }: Call): DurableHttpResponse {
  const limit = pageSize(request.query);
  const after = Number(request.headers[CONTINUATION_HEADER] || 0);
  const filter = filterOf(request);
  if (typeof filter === "string") return problem(400, filter);
  const found = orchestrations.query({ ...filter, limit: limit + 1, after: Number.isInteger(after) ? after : 0 });
  const page = found.slice(0, limit);
  const showInput = request.query.get("showInput") !== "false";
  const last: InstanceRow | undefined = page.at(-1);
  const more = found.length > limit && last ? { [CONTINUATION_HEADER]: String(last.int) } : {};
  return json(200, `[${page.map((row) => statusText(row, showInput)).join(",")}]`, more);
}

async function purge({ parts: [id = ""], orchestrations }: Call) {
  const instancesDeleted = await orchestrations.purge(id);
  if (instancesDeleted === 0) return problem(404, `No instance with ID '${id}' found.`);
  return json(200, JSON.stringify({ instancesDeleted }));
}

async function purgeMatching({ request, orchestrations }: Call) {
  const filter = filterOf(request);
  if (typeof filter === "string") return problem(400, filter);
  const instancesDeleted = await orchestrations.purgeMatching({ ...filter, limit: NO_LIMIT });
  if (instancesDeleted === 0) return problem(404, "No ended instance matches.");
  return json(200, JSON.stringify({ instancesDeleted }));
}

async function raiseEvent({ request, parts: [id = "", name = ""], orchestrations }: Call) {
  const body = jsonBody(request);
  if (body.kind === "invalid") return problem(400, "Invalid JSON content");
  return answer(await orchestrations.raiseEvent(id, name, body.text));
}

async function terminate({ request, parts: [id = ""], orchestrations }: Call) {
  return answer(await orchestrations.terminate(id, reasonOf(request)));
}

async function suspend({ request, parts: [id = ""], orchestrations }: Call) {
  return answer(await orchestrations.suspend(id, reasonOf(request)));
}

async function resume({ request, parts: [id = ""], orchestrations }: Call) {
  return answer(await orchestrations.resume(id, reasonOf(request)));
}

async function rewind({ request, parts: [id = ""], orchestrations }: Call) {
  const outcome = await orchestrations.rewind(id, reasonOf(request));
  if (outcome !== "unfailed") return answer(outcome);
  const message = "The rewind operation is only supported on failed orchestration instances.";
  return fault(message, "System.InvalidOperationException");
}

/** Under a new id, unless the same one is asked for. */
async function restart(call: Call) {
  const { request, parts, orchestrations } = call;
  const row = orchestrations.find(parts[0] ?? "");
  if (!row) return problem(400, "InstanceId does not match a valid orchestration instance.");
  const isSame = request.query.get("restartWithNewInstanceId")?.toLowerCase() === "false";
  return answerStart(call, await orchestrations.start(row.name, isSame ? row.id : undefined, row.input));
}

function reasonOf({ query }: DurableHttpRequest): string {
  return query.get("reason") ?? "";
}

/** As the real host answers what one of its parts throws. */
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
function filterOf({ query }: DurableHttpRequest): Omit<InstanceFilter, "limit"> | string {
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
  return id.startsWith("@") || /[/\\#?\p{Cc}]/u.test(id);
}
