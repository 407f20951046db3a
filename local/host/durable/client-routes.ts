// The durable HTTP API: what the unmodified client library and the management URLs call, one row a route.
import type { DurableHttpRequest, DurableHttpResponse } from "../contract.ts";
import { managementUrls } from "./client-binding.ts";
import type { Entities } from "./entities.ts";
import type { Orchestrations, Outcome } from "./orchestrations.ts";
import { shownHistory, statusText } from "./status.ts";
import { type InstanceFilter, type InstanceRow, isUnfinished, STATUSES, type Status } from "./store.ts";

export interface RouteParts {
  readonly hubName: string;
  readonly orchestrations: Orchestrations;
  readonly entities: Entities;
}

interface Call extends RouteParts {
  readonly request: DurableHttpRequest;
  /** The variable parts of the path, decoded. */
  readonly parts: readonly string[];
}

type Handler = (call: Call) => DurableHttpResponse | Promise<DurableHttpResponse>;

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
  ["POST", /^instances\/([^/]+)\/rewind$/i, notSupported("Rewinding")],
  ["POST", /^instances\/([^/]+)\/restart$/i, notSupported("Restarting")],
  ["GET", /^entities\/([^/]+)\/([^/]+)$/i, readEntity],
  ["POST", /^entities\/([^/]+)\/([^/]+)$/i, signalEntity],
];

const DEFAULT_PAGE = 100;
const POLL_AFTER_SECONDS = "10";
const CONTINUATION_HEADER = "x-ms-continuation-token";
/** More than anybody purges at once. */
const NO_LIMIT = -1;

export async function routeHttp(parts: RouteParts, request: DurableHttpRequest): Promise<DurableHttpResponse> {
  for (const [method, path, handle] of ROUTES) {
    if (method !== request.method) continue;
    const match = path.exec(request.path);
    if (!match) continue;
    const decoded = match.slice(1).map((part) => decodePart(part ?? ""));
    return handle({ ...parts, request, parts: decoded });
  }
  return problem(404, `The local durable engine has no route ${request.method} ${request.path}.`);
}

async function start({ request, parts: [name = "", id = ""], orchestrations, hubName }: Call) {
  const body = jsonBody(request);
  if (body.kind === "invalid") return problem(400, "Invalid JSON content");
  if (id !== "" && isRefusedId(id)) {
    return problem(
      400,
      `'${id}' is no instance id: it may not begin with '@', nor contain '/', '\\', '#', '?' or control characters.`,
    );
  }
  const started = await orchestrations.start(name, id || undefined, body.text);
  switch (started.kind) {
    case "started": {
      const urls = managementUrls(hubName, baseUrlOf(request), started.id);
      const headers = { location: urls["statusQueryGetUri"] ?? "", "retry-after": POLL_AFTER_SECONDS };
      return json(202, JSON.stringify({ id: started.id, ...urls }), headers);
    }
    case "exists": {
      // The real host answers 500 with the exception that its storage throws.
      const message = `An Orchestration instance with the status ${started.status} already exists.`;
      return json(
        500,
        JSON.stringify({
          Message: "Something went wrong while processing your request",
          ExceptionMessage: message,
          ExceptionType: "DurableTask.Core.Exceptions.OrchestrationAlreadyExistsException",
        }),
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
  const top = Number(request.query.get("top") ?? DEFAULT_PAGE);
  const limit = Number.isInteger(top) && top > 0 ? top : DEFAULT_PAGE;
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
  if (instancesDeleted === 0) return problem(404, `No ended instance with ID '${id}' found.`);
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
  return answer(id, await orchestrations.raiseEvent(id, name, body.text));
}

async function terminate({ request, parts: [id = ""], orchestrations }: Call) {
  return answer(id, await orchestrations.terminate(id, request.query.get("reason") ?? ""));
}

async function suspend({ parts: [id = ""], orchestrations }: Call) {
  return answer(id, await orchestrations.suspend(id));
}

async function resume({ parts: [id = ""], orchestrations }: Call) {
  return answer(id, await orchestrations.resume(id));
}

function readEntity({ parts: [name = "", key = ""], entities }: Call): DurableHttpResponse {
  const state = entities.state(name, key);
  return state === undefined ? problem(404, `No entity ${name} with the key '${key}'.`) : json(200, state);
}

async function signalEntity({ request, parts: [name = "", key = ""], entities }: Call) {
  const body = jsonBody(request);
  if (body.kind === "invalid") return problem(400, "Invalid JSON content");
  const refusal = await entities.signal(name, key, request.query.get("op") ?? "", body.text);
  return refusal === undefined ? { status: 202 } : problem(400, refusal);
}

/** As plain text, for the client makes an error of the body as it is. */
function notSupported(what: string): Handler {
  const body = `${what} an instance is not supported by the local durable engine: start it again under a new id.`;
  return () => ({ status: 501, headers: { "content-type": "text/plain" }, body });
}

/** The client takes 410, ended already, for success. */
function answer(id: string, outcome: Outcome): DurableHttpResponse {
  if (outcome === "absent") return problem(404, `No instance with ID '${id}' found.`);
  return { status: outcome === "ended" ? 410 : 202 };
}

type Body = { readonly kind: "json"; readonly text: string | null } | { readonly kind: "invalid" };

function jsonBody({ body }: DurableHttpRequest): Body {
  if (body === "") return { kind: "json", text: null };
  try {
    JSON.parse(body);
    return { kind: "json", text: body };
  } catch {
    return { kind: "invalid" };
  }
}

/** A text says what is wrong with the query. */
function filterOf({ query }: DurableHttpRequest): Omit<InstanceFilter, "limit"> | string {
  const statuses = query.getAll("runtimeStatus").flatMap((list) => list.split(",").filter(Boolean));
  const known = statuses.filter((status): status is Status => (STATUSES as readonly string[]).includes(status));
  const createdFrom = Date.parse(query.get("createdTimeFrom") ?? "");
  const createdTo = Date.parse(query.get("createdTimeTo") ?? "");
  const idPrefix = query.get("instanceIdPrefix");
  for (const name of ["createdTimeFrom", "createdTimeTo"]) {
    const given = query.get(name);
    if (given && Number.isNaN(Date.parse(given))) return `${name} is no date: ${given}`;
  }
  return {
    // Canceled and ContinuedAsNew exist in the API and never here: they match nothing.
    ...(statuses.length > 0 && { statuses: known }),
    ...(!Number.isNaN(createdFrom) && { createdFrom }),
    ...(!Number.isNaN(createdTo) && { createdTo }),
    ...(idPrefix && { idPrefix }),
  };
}

function isRefusedId(id: string): boolean {
  return id.startsWith("@") || /[/\\#?\p{Cc}]/u.test(id);
}

function baseUrlOf({ headers }: DurableHttpRequest): string {
  return `http://${headers["host"] ?? "localhost"}`;
}

function ownPath({ path, query }: DurableHttpRequest): string {
  const text = query.toString();
  return `/runtime/webhooks/durabletask/${path}${text ? `?${text}` : ""}`;
}

/** A lone percent sign stands for itself. */
function decodePart(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}

function isTrue(value: string | null): boolean {
  return value?.toLowerCase() === "true";
}

function json(status: number, body: string, headers: Record<string, string> = {}): DurableHttpResponse {
  return { status, headers: { "content-type": "application/json; charset=utf-8", ...headers }, body };
}

function problem(status: number, message: string): DurableHttpResponse {
  return json(status, JSON.stringify({ Message: message }));
}
