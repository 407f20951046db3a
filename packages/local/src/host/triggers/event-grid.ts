// Event Grid triggers: events come as HTTP requests to one webhook, which names the function; a subscription is confirmed there first.
// (Event Grid documentation, "Webhook event delivery" and "CloudEvents v1.0 schema".)
import { randomUUID } from "node:crypto";
import type { IncomingMessage, ServerResponse } from "node:http";
import type { FunctionApp, RegisteredFunction } from "../contract.ts";
import { takeBody } from "../http/request-body.ts";

const PATH = "/runtime/webhooks/eventgrid";

export interface EventGridParts {
  readonly app: FunctionApp;
  /** What opens the webhook, as `code` or in the header. */
  readonly key: string;
  failed(registered: RegisteredFunction, invocationId: string, cause: unknown): void;
}

export function isEventGrid(path: string): boolean {
  return path.toLowerCase() === PATH;
}

/** The function that the events are for. */
export function eventGridFunction(query: URLSearchParams): string {
  return query.get("functionName") ?? "";
}

export async function serveEventGrid(
  { app, key, failed }: EventGridParts,
  request: IncomingMessage,
  response: ServerResponse,
  query: URLSearchParams,
): Promise<void> {
  const answer = (status: number, body = "") => {
    const type = body.startsWith("{") ? "application/json" : "text/plain";
    response.writeHead(status, { "content-type": `${type}; charset=utf-8` }).end(body);
  };
  if ((query.get("code") ?? request.headers["x-functions-key"]) !== key) return answer(401);
  const name = eventGridFunction(query);
  const registered = app.functions.get(name);
  if (registered?.trigger.type.toLowerCase() !== "eventgridtrigger")
    return answer(404, `cannot find function: '${name}'`);
  if (request.method === "OPTIONS") {
    const origin = request.headers["webhook-request-origin"];
    if (typeof origin === "string") response.setHeader("webhook-allowed-origin", origin);
    return answer(200);
  }
  const body = await takeBody(request, response);
  if (!body) return;
  const events = eventsOf(body.toString());
  if (!events) return answer(400, "The body has to be an event, or a list of events, in JSON.");
  const kind = String(request.headers["aeg-event-type"] ?? "Notification").toLowerCase();
  if (kind === "subscriptionvalidation") {
    const { validationCode } = (events[0]?.["data"] ?? {}) as { validationCode?: unknown };
    return answer(200, JSON.stringify({ validationResponse: validationCode }));
  }
  if (kind !== "notification") return answer(202);
  const outcomes = await Promise.all(events.map((event) => invoke(app, registered, event, failed)));
  // Whoever delivers tries again all that the request had.
  answer(outcomes.every(Boolean) ? 202 : 500);
}

async function invoke(
  app: FunctionApp,
  registered: RegisteredFunction,
  event: Readonly<Record<string, unknown>>,
  failed: EventGridParts["failed"],
): Promise<boolean> {
  const invocationId = randomUUID();
  const { data } = event;
  const triggerMetadata = data === undefined || data === null ? {} : { data: { json: JSON.stringify(data) } };
  const inputs = { [registered.triggerName]: { json: JSON.stringify(event) } };
  try {
    await app.invoke(registered.name, { invocationId, inputs, triggerMetadata });
    return true;
  } catch (cause) {
    failed(registered, invocationId, cause);
    return false;
  }
}

/** Event Grid's own schema is a list; a CloudEvent comes alone, or in a list. */
function eventsOf(body: string): Record<string, unknown>[] | undefined {
  try {
    const value = JSON.parse(body) as unknown;
    const events = Array.isArray(value) ? value : [value];
    const isEvent = (event: unknown) => typeof event === "object" && event !== null && !Array.isArray(event);
    return events.every(isEvent) ? (events as Record<string, unknown>[]) : undefined;
  } catch {
    return undefined;
  }
}
