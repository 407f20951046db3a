// Erasure (operator): removes all that the store keeps of an order that is over.

import { entityTag, parseIfMatch } from "@scheduler-agent-supervisor/core/messaging/entity-tag";
import { parseErasure } from "@scheduler-agent-supervisor/core/messaging/operator-request";
import { eraseOrder } from "@scheduler-agent-supervisor/core/operations/erase-order";
import { observe } from "@scheduler-agent-supervisor/core/telemetry/invocation";
import { application } from "../shared/app.ts";
import { atFault, operatorEndpoint } from "./http/operator-endpoint.ts";

operatorEndpoint("eraseOrder", {
  method: "POST",
  route: "orders/{orderId}/erase",
  role: "Orders.Operate",
  handle: async (request, context, operator) => {
    const orderId = request.params["orderId"] ?? "";
    const parsed = parseErasure(await request.text());
    const version = parseIfMatch(request.headers.get("if-match"));
    if (version.kind === "invalid" || parsed.kind === "invalid") {
      return atFault([parsed, version].flatMap((one) => (one.kind === "invalid" ? one.faults : [])));
    }
    const caller = { by: operator, ifMatch: version.value };
    const erased = await observe(context, { attributes: { orderId, action: "erase" } }, (telemetry) =>
      eraseOrder(orderId, parsed.reason, caller, application.erasurePorts(), application.contextOf(telemetry)),
    );
    switch (erased.kind) {
      case "erased":
        return { jsonBody: { orderId, erased: true } };
      case "rejected":
        return { status: 409, jsonBody: { reason: erased.reason } };
      case "changed": {
        const error = "The order has changed since it was looked at: look at it again.";
        const jsonBody = { orderId, state: erased.record.processState, etag: entityTag(erased.etag), error };
        return { status: 412, jsonBody };
      }
      case "not-found":
        return { status: 404, jsonBody: { error: `There is no order ${orderId}.` } };
      default:
        return erased satisfies never;
    }
  },
});
