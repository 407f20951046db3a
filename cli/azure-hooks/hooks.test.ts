// What azd's hooks ask of Azure Resource Manager, over HTTP, with answers as Microsoft's reference has them.

import { readFileSync } from "node:fs";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { parseEnv } from "node:util";
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { ROOT } from "../settings.ts";
import { telemetryOf } from "../smoke/smoke-azure.ts";
import { waitForPackageRole } from "./await-package-role.ts";
import { lockFault } from "./check-locks.ts";
import { regionChoices, regionFaults } from "./check-region.ts";
import { providersNeeded, registerProviders } from "./register-providers.ts";
import { openResourceManager, type ResourceManager } from "./resource-manager.ts";
import { smokeObstacle } from "./smoke-obstacle.ts";
import { runbooksAt, unaskedChoices } from "./unasked.ts";

interface Reply {
  readonly status?: number;
  readonly body?: unknown;
}

const FAST = { pollMs: 1, timeoutMs: 1000 };
const NOW = Date.parse("2026-11-01T12:00:00Z");
const credential = { getToken: async () => ({ token: "token", expiresOnTimestamp: Number.POSITIVE_INFINITY }) };

let server: Server;
let address = "";
let manager: ResourceManager;
let asked: string[] = [];
let answer: (request: string) => Reply;

beforeAll(async () => {
  server = createServer((request, response) => {
    const line = `${request.method} ${request.url}`;
    asked.push(line);
    const { status = 200, body = {} } =
      request.headers.authorization === "Bearer token" ? answer(line) : { status: 401 };
    response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(body));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  address = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  manager = openResourceManager(credential, address, 1);
});
afterAll(() => new Promise((resolve) => server.close(resolve)));
beforeEach(() => {
  asked = [];
});

const isRegistered = { body: { registrationState: "Registered" } };
const isNot = { body: { registrationState: "NotRegistered" } };

test("all is registered: nothing is asked for but that", async () => {
  answer = () => isRegistered;
  expect(await registerProviders(manager, "sub", ["Microsoft.App", "Microsoft.Web"], FAST)).toEqual([]);
  expect(asked).toEqual([
    "GET /subscriptions/sub/providers/Microsoft.App?api-version=2021-04-01",
    "GET /subscriptions/sub/providers/Microsoft.Web?api-version=2021-04-01",
  ]);
});

test("what is missing is registered, and waited for", async () => {
  let looks = 0;
  answer = (line) => {
    if (line.startsWith("POST")) return isNot;
    if (line.includes("Microsoft.Web")) return isRegistered;
    looks += 1;
    return looks < 4 ? isNot : isRegistered;
  };
  expect(await registerProviders(manager, "sub", ["Microsoft.App", "Microsoft.Web"], FAST)).toEqual(["Microsoft.App"]);
  expect(asked).toContain("POST /subscriptions/sub/providers/Microsoft.App/register?api-version=2021-04-01");
  expect(looks).toBe(4);
});

test("who may not register learns who can, and how", async () => {
  answer = (line) => (line.startsWith("POST") ? { status: 403 } : isNot);
  await expect(registerProviders(manager, "sub", ["Microsoft.App"], FAST)).rejects.toThrow(
    "az provider register --wait --namespace Microsoft.App",
  );
});

test("a busy Resource Manager is asked again, and one that stays so is a fault", async () => {
  let tries = 0;
  answer = () => {
    tries += 1;
    return tries < 3 ? { status: 429 } : isRegistered;
  };
  expect(await registerProviders(manager, "sub", ["Microsoft.App"], FAST)).toEqual([]);
  answer = () => ({ status: 503 });
  await expect(registerProviders(manager, "sub", ["Microsoft.App"], FAST)).rejects.toThrow("503");
});

test("the list holds Microsoft.App, which only a delegated subnet needs", () => {
  expect(providersNeeded()).toContain("Microsoft.App");
});

test("a new role is waited for, an old one is not", async () => {
  const madeAt = (createdOn: string) => () => ({ body: { properties: { createdOn } } });
  answer = madeAt("2026-11-01T11:59:30.1234567Z");
  expect(Math.round(await waitForPackageRole(manager, "/role", NOW))).toBe(90_123);
  answer = madeAt("2026-10-01T00:00:00Z");
  expect(await waitForPackageRole(manager, "/role", NOW)).toBe(0);
  expect(asked).toEqual(["GET /role?api-version=2022-04-01", "GET /role?api-version=2022-04-01"]);
});

test("a role that may not be read is waited for, one that is gone is reported", async () => {
  answer = () => ({ status: 403 });
  expect(await waitForPackageRole(manager, "/role", NOW)).toBe(120_000);
  answer = () => ({ status: 404 });
  await expect(waitForPackageRole(manager, "/role", NOW)).rejects.toThrow("azd provision");
});

test("telemetry of an order is counted in the workspace; a rejection is a fault", async () => {
  answer = () => ({ body: { tables: [{ name: "PrimaryResult", columns: [], rows: [[12]] }] } });
  expect(await telemetryOf(credential, "ws", "smoke-1", address)).toBe(12);
  expect(asked).toEqual(["POST /v1/workspaces/ws/query"]);
  answer = () => ({ status: 403, body: { error: { code: "InsufficientAccessError" } } });
  await expect(telemetryOf(credential, "ws", "smoke-1", address)).rejects.toThrow("403");
});

const flexRegion = (name: string, orgDomain = "PUBLIC;FLEXCONSUMPTION") => ({ name, properties: { name, orgDomain } });
const nodeOnFlex = (version: string) => {
  const runtime = { skuCode: "FC1", functionAppConfigProperties: { runtime: { name: "node", version } } };
  return {
    minorVersions: [{ stackSettings: { linuxRuntimeSettings: { runtimeVersion: `Node|${version}`, Sku: [runtime] } } }],
  };
};

/** Azure as it answers: two regions with Flex Consumption, one of them with zones. */
function azureSays(line: string): Reply {
  if (line.includes("/geoRegions?"))
    return {
      body: { value: [flexRegion("East US 2", "PUBLIC;FLEXCONSUMPTION;FCZONEREDUNDANCY"), flexRegion("West US")] },
    };
  if (line.includes("/functionAppStacks?"))
    return { body: { value: [{ properties: { majorVersions: [nodeOnFlex("22"), nodeOnFlex("20")] } }] } };
  return { body: { resourceTypes: [{ resourceType: "schedulers", locations: ["East US 2"] }] } };
}
const choices = (location: string, environment: Record<string, string> = {}) =>
  regionChoices(location, (name) => environment[name]);

test("a region that has what is chosen is asked about that and no more", async () => {
  answer = azureSays;
  const all = { ZONE_REDUNDANT: "true", NODE_VERSION: "22", DURABLE_BACKEND: "durableTaskScheduler" };
  expect(await regionFaults(manager, "sub", choices("eastus2", all))).toEqual([]);
  expect(asked.map((line) => line.replace(/\?.*/, ""))).toEqual([
    "GET /subscriptions/sub/providers/Microsoft.Web/geoRegions",
    "GET /providers/Microsoft.Web/locations/eastus2/functionAppStacks",
    "GET /subscriptions/sub/providers/Microsoft.DurableTask",
  ]);
  asked = [];
  expect(await regionFaults(manager, "sub", choices("westus", { NODE_VERSION: "22" }))).toEqual([]);
  expect(asked).toHaveLength(2);
});

test("each choice that the region does not have is named, with what can be had", async () => {
  answer = azureSays;
  const all = { ZONE_REDUNDANT: "true", DURABLE_BACKEND: "durableTaskScheduler" };
  expect(await regionFaults(manager, "sub", choices("westus", all))).toEqual([
    "ZONE_REDUNDANT=true: Flex Consumption has no zones there. It can be had in: East US 2",
    "NODE_VERSION=24: Flex Consumption has Node 22, 20 there",
    "DURABLE_BACKEND=durableTaskScheduler: Durable Task Scheduler is not there. It can be had in: East US 2",
  ]);
  expect(await regionFaults(manager, "sub", choices("mars"))).toEqual([
    "AZURE_LOCATION: Flex Consumption is not there. It can be had in: East US 2, West US",
  ]);
});

test("what Azure does not answer is not held against the region", async () => {
  const all = { ZONE_REDUNDANT: "true", DURABLE_BACKEND: "durableTaskScheduler" };
  for (const reply of [{ status: 403 }, { body: { value: [] } }, { body: "of another shape" }]) {
    answer = () => reply;
    expect(await regionFaults(manager, "sub", choices("eastus2", all))).toEqual([]);
  }
});

const OWNER = { actions: ["*"], notActions: [] };
const ACCESS_ADMINISTRATOR = { actions: ["*/read", "Microsoft.Authorization/*"] };
const CONTRIBUTOR = {
  actions: ["*"],
  notActions: ["Microsoft.Authorization/*/Write", "Microsoft.Authorization/*/Delete"],
};
const ROLES_ADMINISTRATOR = { actions: ["Microsoft.Authorization/roleAssignments/write", "*/read"], notActions: [] };

test.each([
  ["Owner", [OWNER], true],
  ["User Access Administrator", [CONTRIBUTOR, ACCESS_ADMINISTRATOR], true],
  ["a role with that right alone", [CONTRIBUTOR, { actions: ["microsoft.authorization/locks/*"] }], true],
  ["Contributor with Role Based Access Control Administrator", [CONTRIBUTOR, ROLES_ADMINISTRATOR], false],
])("locks: %s may make them: %o", async (_, value, may) => {
  answer = () => ({ body: { value } });
  const fault = (choices: Record<string, string>) => lockFault(manager, "sub", (name) => choices[name]);
  const found = await fault({ LOCK_DATA: "true" });
  if (may) expect(found).toBeUndefined();
  else expect(found).toContain("User Access Administrator");
  expect(asked).toEqual([
    "GET /subscriptions/sub/providers/Microsoft.Authorization/permissions?api-version=2022-04-01",
  ]);
  // A second region locks nothing, and what Azure does not say is not held against who deploys.
  expect(await fault({ LOCK_DATA: "true", SHARED_ENVIRONMENT_NAME: "shop" })).toBeUndefined();
  answer = () => ({ status: 403 });
  expect(await fault({ LOCK_DATA: "true" })).toBeUndefined();
});

test("both pages name the right that locks need", () => {
  for (const page of ["deploy", "pipelines"])
    expect(readFileSync(join(ROOT, `docs/how-to/${page}.md`), "utf8"), page).toMatch(
      /`LOCK_DATA`[^\n]*User Access Administrator/,
    );
});

test.each([
  [{}, undefined],
  [{ NETWORK: "none", GRANT_DEVELOPER_ACCESS: "true" }, undefined],
  [{ NETWORK: "private" }, "private network"],
  [{ GRANT_DEVELOPER_ACCESS: "false" }, "GRANT_DEVELOPER_ACCESS=false"],
  [{ NETWORK: "private", GRANT_DEVELOPER_ACCESS: "false", SMOKE_TEST: "true" }, undefined],
])("smoke test after deploying with %o: what is in its way", (environment: Record<string, string>, why) => {
  const obstacle = smokeObstacle((name) => environment[name]);
  if (why === undefined) expect(obstacle).toBeUndefined();
  else expect(obstacle).toContain(why);
});

test("production.env names nobody, and is told so; with an address and the deployer's own role there is nothing to say", () => {
  const asked = (choices: Record<string, string | undefined>) => unaskedChoices((name) => choices[name]);
  const production = parseEnv(readFileSync(join(ROOT, "infra/choices/production.env"), "utf8"));
  expect(asked(production)).toEqual([
    expect.stringContaining("ALERT_EMAIL"),
    expect.stringContaining("RUNBOOKS"),
    expect.stringContaining("docs/how-to/identity.md"),
  ]);
  const named = {
    ...production,
    ALERT_EMAIL: "on-call@example.com",
    RUNBOOKS: "https://one.example",
    GRANT_DEVELOPER_ACCESS: "true",
  };
  expect(asked(named)).toEqual([]);
  expect(asked({ ...named, CREATE_SIGN_IN: "false", AUTH_CLIENT_ID: "x" })).toHaveLength(1);
  expect(asked({ RAISE_ALERTS: "false" })).toEqual([]);
});

test.each([
  "https://github.com/one/shop.git",
  "https://token@github.com/one/shop",
  "git@github.com:one/shop.git",
  "ssh://git@github.com/one/shop",
])("alerts lead to the runbooks of %s", (origin) => {
  expect(runbooksAt(origin)).toBe("https://github.com/one/shop/blob/HEAD/docs/how-to/runbooks.md");
  expect(runbooksAt(origin.replace("github.com", "github.com.example"))).toBeUndefined();
});
