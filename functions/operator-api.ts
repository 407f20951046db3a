// The operator's API (P9, P11, P13): what has become of the orders, and what a person may have done about one.
import { app, type HttpRequest, type HttpResponseInit, type InvocationContext } from "@azure/functions";
import { ports } from "../shared/compose.ts";
import {
  type ActionName,
  continuationOf,
  operatorName,
  parseListRequest,
  parseOperatorRequest,
} from "../shared/messaging/operator-request.ts";
import { inspectOrder, type Operated, operateOrder } from "../shared/operations/operate-order.ts";
import { logTelemetry } from "../shared/telemetry/events.ts";

app.http("listOrders", {
  methods: ["GET"],
  authLevel: "function",
  route: "orders",
  handler: async (request) => {
    const parsed = parseListRequest(request.query.entries());
    if (parsed.kind === "invalid") return atFault(parsed.faults);
    const { orders, next } = await ports().store.list(parsed.request);
    return { jsonBody: { orders, ...(next && { continuation: continuationOf(next) }) } };
  },
});

app.http("inspectOrder", {
  methods: ["GET"],
  authLevel: "function",
  route: "orders/{orderId}",
  handler: async (request) => {
    const orderId = orderIdOf(request);
    const inspection = await inspectOrder(orderId, ports());
    return inspection ? { jsonBody: inspection } : notFound(orderId);
  },
});

for (const action of ["resubmit", "undo", "extend"] as const) {
  app.http(`${action}Order`, {
    methods: ["POST"],
    authLevel: "function",
    route: `orders/{orderId}/${action}`,
    handler: (request, context) => operate(action, request, context),
  });
}

async function operate(
  action: ActionName,
  request: HttpRequest,
  context: InvocationContext,
): Promise<HttpResponseInit> {
  // A page of another site can send a form in a signed-in operator's name, but no JSON.
  if (!/^application\/json\b/i.test(request.headers.get("content-type") ?? "")) {
    return { status: 415, jsonBody: { error: "The content type must be application/json." } };
  }
  const orderId = orderIdOf(request);
  const parsed = parseOperatorRequest(action, orderId, await request.text(), ports().rules);
  if (parsed.kind === "invalid") return atFault(parsed.faults);
  const by = operatorName(request.headers.get("x-ms-client-principal-name"));
  return answer(orderId, await operateOrder(orderId, parsed.request, by, ports(), logTelemetry(context)));
}

function answer(orderId: string, operated: Operated): HttpResponseInit {
  switch (operated.kind) {
    case "done": {
      const { processState, attempt, direction, orderRevision, dueAt = null } = operated.record;
      const { startAt, told } = operated;
      return { jsonBody: { orderId, state: processState, attempt, direction, orderRevision, dueAt, startAt, told } };
    }
    case "refused":
      return { status: 409, jsonBody: { state: operated.state, reason: operated.reason } };
    case "invalid":
      return atFault(operated.faults);
    case "not-found":
      return notFound(orderId);
    default:
      return operated satisfies never;
  }
}

const orderIdOf = (request: HttpRequest): string => request.params["orderId"] ?? "";

function atFault(faults: readonly string[]): HttpResponseInit {
  return { status: 400, jsonBody: { error: "The request is at fault.", faults } };
}

function notFound(orderId: string): HttpResponseInit {
  return { status: 404, jsonBody: { error: `There is no order ${orderId}.` } };
}
