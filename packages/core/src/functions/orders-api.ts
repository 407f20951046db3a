// The operator's API (P9, P11, P13): what has become of the orders, and what a person may have done about one.
import type { HttpRequest, HttpResponseInit, InvocationContext } from "@azure/functions";
import type { App } from "../app/create-app.ts";
import { allKeys } from "../messaging/contract.ts";
import { entityTag, parseIfMatch } from "../messaging/entity-tag.ts";
import { seesSecrets } from "../messaging/operator-access.ts";
import { type ActionName, parseListRequest, parseOperatorRequest } from "../messaging/operator-request.ts";
import { continuationOf } from "../messaging/paging.ts";
import { findOrders } from "../operations/find-orders.ts";
import { inspectOrder } from "../operations/inspect-order.ts";
import { type Operated, operateOrder } from "../operations/operate-order.ts";
import type { Versioned } from "../store/order-store.ts";
import { observe } from "../telemetry/invocation.ts";
import { atFault, type Endpoint, type Endpoints, listed, versioned } from "./operator-endpoint.ts";

export function ordersApi(application: App): Endpoints {
  return {
    listOrders: {
      method: "GET",
      route: "orders",
      role: "Orders.Read",
      handle: async (request) => {
        const parsed = parseListRequest(request.query.entries(), allKeys(application.ports().rules.contracts));
        if (parsed.kind === "invalid") return atFault(parsed.faults);
        const { orders, next, looked } = await findOrders(parsed.request, application.ports().store);
        const more = next && { continuation: continuationOf(next) };
        return listed(request, { orders, ...(looked && { looked }), ...more });
      },
    },
    inspectOrder: {
      method: "GET",
      route: "orders/{orderId}",
      role: "Orders.Read",
      handle: async (request) => {
        const orderId = orderIdOf(request);
        const inspection = await inspectOrder(
          orderId,
          application.ports(),
          seesSecrets(request.headers, application.ports().operatorSignIn),
        );
        return inspection ? versioned(request, inspection.etag, inspection) : notFound(orderId);
      },
    },
    ...Object.fromEntries(
      (["resubmit", "compensate", "cancel", "extend", "markResolved"] as const).map((action): [string, Endpoint] => [
        `${action}Order`,
        {
          method: "POST",
          route: `orders/{orderId}/${action}`,
          role: "Orders.Operate",
          handle: (request, context, operator) => operate(action, request, context, operator),
        },
      ]),
    ),
  };

  async function operate(
    action: ActionName,
    request: HttpRequest,
    context: InvocationContext,
    operator: string,
  ): Promise<HttpResponseInit> {
    const orderId = orderIdOf(request);
    const parsed = parseOperatorRequest(action, orderId, await request.text(), application.ports().rules);
    const version = parseIfMatch(request.headers.get("if-match"));
    if (version.kind === "invalid" || parsed.kind === "invalid") {
      return atFault([parsed, version].flatMap((one) => (one.kind === "invalid" ? one.faults : [])));
    }
    const caller = { by: operator, ifMatch: version.value };
    const operated = await observe(context, { attributes: { orderId, action } }, (telemetry) =>
      operateOrder(orderId, parsed.request, caller, application.contextOf(telemetry)),
    );
    if (operated.kind === "done") application.consolePorts().attention.forget();
    return answer(orderId, operated);
  }
}

function answer(orderId: string, operated: Operated): HttpResponseInit {
  switch (operated.kind) {
    case "done": {
      const { startAt, published } = operated;
      return standing(200, operated, { startAt, published });
    }
    case "changed": {
      const error = "The order has changed since it was looked at: look at it again.";
      return standing(412, operated, { error });
    }
    case "rejected":
      return { status: 409, jsonBody: { state: operated.state, reason: operated.reason } };
    case "invalid":
      return atFault(operated.faults);
    case "not-found":
      return notFound(orderId);
    default:
      return operated satisfies never;
  }
}

/** Where the order stands, at which version, and what else is to be said. */
function standing(status: number, { record, etag }: Versioned, more: Record<string, unknown>): HttpResponseInit {
  const { orderId, processState: state, attempt, direction, orderRevision, dueAt = null } = record;
  const tag = entityTag(etag);
  const jsonBody = { orderId, state, attempt, direction, orderRevision, dueAt, etag: tag, ...more };
  return { status, headers: { ETag: tag }, jsonBody };
}

const orderIdOf = (request: HttpRequest): string => request.params["orderId"] ?? "";

function notFound(orderId: string): HttpResponseInit {
  return { status: 404, jsonBody: { error: `There is no order ${orderId}.` } };
}
