// What the operators' console asks for beside the operator's API: who it is, how things stand, and what needs a person.

import { parseAttentionPage } from "@scheduler-agent-supervisor/core/messaging/attention-request";
import type {
  OrderAudit,
  Session,
  SupervisionPage,
  Supervisor,
} from "@scheduler-agent-supervisor/core/messaging/console-contract";
import { contractFor, schemaOf } from "@scheduler-agent-supervisor/core/messaging/contract";
import { openApi } from "@scheduler-agent-supervisor/core/messaging/openapi/document";
import { accessTo } from "@scheduler-agent-supervisor/core/messaging/operator-access";
import { continuationOf } from "@scheduler-agent-supervisor/core/messaging/paging";
import { parseSupervisionQuery } from "@scheduler-agent-supervisor/core/messaging/supervisor-request";
import { shownEntry, shownInAudit } from "@scheduler-agent-supervisor/core/operations/shown-entry";
import { application } from "../shared/app.ts";
import { consoleBuild } from "./http/console-files.ts";
import { atFault, listed, operatorEndpoint } from "./http/operator-endpoint.ts";

operatorEndpoint("session", {
  method: "GET",
  route: "session",
  role: "Orders.Read",
  handle: async (request, _context, operator) => {
    const { environment, signIn, pauses, traceUrl } = application.consolePorts();
    const mayOperate = accessTo("Orders.Operate", request.headers, signIn).kind === "granted";
    const session: Session = {
      operator,
      mayOperate,
      environment,
      build: consoleBuild(),
      traceUrl,
      // Who may look is told who they are, also where the store is away.
      pauses: [...(await pauses.current().catch(() => []))],
    };
    return { jsonBody: session };
  },
});

operatorEndpoint("overview", {
  method: "GET",
  route: "overview",
  role: "Orders.Read",
  handle: async (request) => listed(request, await application.consolePorts().attention.overview()),
});

operatorEndpoint("traffic", {
  method: "GET",
  route: "traffic",
  role: "Orders.Read",
  handle: async () => ({ jsonBody: await application.consolePorts().traffic() }),
});

operatorEndpoint("attention", {
  method: "GET",
  route: "attention",
  role: "Orders.Read",
  handle: async (request) => listed(request, await application.consolePorts().attention.groups()),
});

operatorEndpoint("attentionOrders", {
  method: "GET",
  route: "attention/orders",
  role: "Orders.Read",
  handle: async (request) => {
    const parsed = parseAttentionPage(request.query.entries());
    if (parsed.kind === "invalid") return atFault(parsed.faults);
    const { group, from, limit } = parsed.value;
    return listed(request, await application.consolePorts().attention.page(group, from, limit));
  },
});

operatorEndpoint("leadingSupervisor", {
  method: "GET",
  route: "supervisor",
  role: "Orders.Read",
  handle: async () => {
    const supervisor: Supervisor = { leader: await application.consolePorts().supervision.leader() };
    return { jsonBody: supervisor };
  },
});

operatorEndpoint("supervisorEntries", {
  method: "GET",
  route: "supervisor/entries",
  role: "Orders.Read",
  handle: async (request) => {
    const parsed = parseSupervisionQuery(request.query.entries());
    if (parsed.kind === "invalid") return atFault(parsed.faults);
    const { limit, continuation, day = new Date().toISOString().slice(0, 10) } = parsed.value;
    const { entries, next } = await application.consolePorts().supervision.page(day, limit, continuation);
    const more = next ? { continuation: continuationOf(next) } : {};
    const page: SupervisionPage = { day, entries: entries.map(shownEntry), ...more };
    return listed(request, page);
  },
});

/** So many entries of one order. */
const MOST_OF_AN_ORDER = 100;

operatorEndpoint("orderAudit", {
  method: "GET",
  route: "orders/{orderId}/audit",
  role: "Orders.Read",
  handle: async (request) => {
    const { entries, isAll } = await application
      .consolePorts()
      .supervision.ofOrder(request.params["orderId"] ?? "", MOST_OF_AN_ORDER);
    const audit: OrderAudit = { entries: entries.map(shownInAudit), isAll };
    return { jsonBody: audit };
  },
});

operatorEndpoint("openapi", {
  method: "GET",
  route: "openapi.json",
  role: "Orders.Read",
  handle: async () => ({ headers: { "Cache-Control": "private, max-age=300" }, jsonBody: openApi() }),
});

operatorEndpoint("orderContract", {
  method: "GET",
  route: "order-contract",
  role: "Orders.Read",
  handle: async (request) => ({
    headers: { "Cache-Control": "private, max-age=300" },
    jsonBody: schemaOf(contractFor(request.query.get("workflow") ?? "", application.ports().rules.contracts)),
  }),
});
