// Who may call what, where people sign in: every endpoint of the API for every role, on the running host.
import { afterAll, beforeAll, expect, test } from "vitest";
import { startTestStack, type TestStack } from "../support/test-stack.ts";

let app: TestStack;
let host: string;
beforeAll(async () => {
  // The test stands where built-in authentication would, and writes the headers itself.
  app = await startTestStack({ appSettings: { OperatorSignIn: "entra", WEBSITE_AUTH_ENABLED: "True" } });
  host = app.stack.addresses.host?.url ?? "";
});
afterAll(() => app?.[Symbol.asyncDispose]());

/** Each route by the role that it takes. */
const ROUTES = {
  "Orders.Read": [
    "GET api/session",
    "GET api/overview",
    "GET api/attention",
    "GET api/attention/orders",
    "GET api/order-contract",
    "GET api/orders",
    "GET api/orders/{orderId}",
    "GET api/workflows",
    "GET api/dead-letters",
    "GET api/dead-letters/{queue}/{sequenceNumber}",
    "GET api/supervisor/what-if",
    "GET api/bulk",
    "GET api/bulk/{bulkId}",
  ],
  "Orders.Operate": [
    "POST api/orders/{orderId}/resubmit",
    "POST api/orders/{orderId}/undo",
    "POST api/orders/{orderId}/cancel",
    "POST api/orders/{orderId}/extend",
    "POST api/orders/{orderId}/settle",
    "POST api/orders/{orderId}/erase",
    "POST api/dead-letters/{queue}/{sequenceNumber}/resend",
    "POST api/dead-letters/{queue}/{sequenceNumber}/discard",
    "POST api/supervisor/sweep",
    "POST api/bulk",
    "POST api/bulk/{bulkId}/start",
    "POST api/bulk/{bulkId}/pause",
    "POST api/bulk/{bulkId}/resume",
    "POST api/bulk/{bulkId}/cancel",
  ],
} as const;

const principal = (...roles: string[]) => {
  const claims = roles.map((val) => ({ typ: "roles", val }));
  return {
    "x-ms-client-principal": Buffer.from(JSON.stringify({ claims })).toString("base64"),
    "x-ms-client-principal-name": "ada@example.com",
  };
};

async function statusOf(route: string, headers: Record<string, string>): Promise<number> {
  const [method = "", template = ""] = route.split(" ");
  const path = template
    .replace("{queue}", "quarantine")
    .replace("{sequenceNumber}", "1")
    .replace(/\{\w+\}/, "none");
  const body = method === "POST" ? { body: JSON.stringify({ reason: "r" }) } : {};
  const response = await fetch(`${host}/${path}`, {
    method,
    headers: { "content-type": "application/json", ...headers },
    ...body,
  });
  await response.arrayBuffer();
  return response.status;
}

test("no endpoint is missing here", async () => {
  const listed = (await (await fetch(`${host}/admin/functions`)).json()) as { invokeUrlTemplate?: string }[];
  const paths = listed.flatMap(({ invokeUrlTemplate: url }) => (url ? [url.slice(host.length + 1)] : []));
  const known = Object.values(ROUTES).flatMap((routes) => routes.map((route) => route.split(" ")[1]));
  expect(paths.filter((path) => !path.startsWith("console")).sort()).toEqual(known.sort());
});

test.each(Object.entries(ROUTES))("endpoints that take %s", async (role, routes) => {
  for (const route of routes) {
    expect(await statusOf(route, {}), `${route}, not signed in`).toBe(401);
    expect(await statusOf(route, principal("Shop.Manager")), `${route}, another role`).toBe(403);
    const reader = await statusOf(route, principal("Orders.Read"));
    if (role === "Orders.Read") expect([200, 404], `${route}, reader`).toContain(reader);
    else expect(reader, `${route}, reader`).toBe(403);
    expect([401, 403, 500], `${route}, operator`).not.toContain(await statusOf(route, principal("Orders.Operate")));
  }
});

test("the console's session says who it is and whether they may act", async () => {
  const session = async (role: string) =>
    (await fetch(`${host}/api/session`, { headers: principal(role) })).json() as Promise<unknown>;
  expect(await session("Orders.Read")).toMatchObject({ operator: "ada@example.com", mayOperate: false });
  expect(await session("Orders.Operate")).toMatchObject({ operator: "ada@example.com", mayOperate: true });
});
