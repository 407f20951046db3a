// The app as it is composed: its agents call their services as its managed identity, by the real library and a token endpoint.

import { afterEach, expect, test, vi } from "vitest";
import { bounds as boundsOf } from "../packages/core/tests/bounds.ts";
import { startHttpServer } from "../packages/core/tests/http-server.ts";
import { sampleOrder } from "../tests/support/orders.ts";
import { business } from "./business.ts";

afterEach(() => vi.unstubAllEnvs());

test("an endpoint that wants a token gets one of the app's identity", async () => {
  const tokensAsked: (string | undefined)[] = [];
  await using identity = await startHttpServer((request, response) => {
    tokensAsked.push(request.url);
    const token = { access_token: "token-of-the-app", token_type: "Bearer", resource: "api://payment" };
    const expires_on = Math.floor(Date.now() / 1000) + 86_400;
    response.writeHead(200, { "content-type": "application/json" }).end(JSON.stringify({ ...token, expires_on }));
  });
  const credentials: (string | undefined)[] = [];
  await using payment = await startHttpServer((request, response) => {
    credentials.push(request.headers.authorization);
    response.writeHead(201, { "content-type": "application/json" }).end(JSON.stringify({ id: "ch-1" }));
  });
  const nobody = "http://127.0.0.1:1";
  const settings = {
    // By these App Service and Functions say where tokens of the identity are.
    IDENTITY_ENDPOINT: `${identity.url}msi/token`,
    IDENTITY_HEADER: "header",
    ServiceBus__fullyQualifiedNamespace: "shop.servicebus.windows.net",
    ServiceBus__credential: "managedidentity",
    ServiceBus__clientId: "client-of-the-app",
    Cosmos: "AccountEndpoint=https://127.0.0.1:1/;AccountKey=a2V5",
    AzureWebJobsStorage: "UseDevelopmentStorage=true",
    ...Object.fromEntries(business.serviceAgents.map(({ service }) => [service.setting, nobody])),
    PaymentEndpoints: `${payment.url};token:api://payment/.default`,
  };
  for (const [name, value] of Object.entries(settings)) vi.stubEnv(name, value);
  const { application } = await import("./app.ts");
  const request = { job: sampleOrder("order-1"), results: {}, idempotencyKey: "key", compensates: null };
  const completeBy = new Date(Date.now() + 10_000).toISOString();
  const reply = await application.ports().agents.get("payment")?.call("authorize", request, boundsOf(completeBy));
  expect(reply).toMatchObject({ kind: "done", result: { chargeId: "ch-1" } });
  expect(credentials).toEqual(["Bearer token-of-the-app"]);
  expect(tokensAsked).toHaveLength(1);
  expect(tokensAsked[0]).toMatch(/resource=api%3A%2F%2Fpayment/);
  expect(tokensAsked[0]).toMatch(/client_id=client-of-the-app/);
});
