// The simulated services as a function app: what is deployed beside the app for a demonstration runs by itself, and an order is Processed against it.
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type Stack, startStack } from "@scheduler-agent-supervisor/local";
import { afterAll, beforeAll, expect, test } from "vitest";
import { writePackage } from "../../cli/every-app/app-package.ts";
import { packServices } from "../../cli/package/services-package.ts";
import { ROOT } from "../../cli/settings.ts";
import { madeOrder } from "../support/made-order.ts";
import { startTestStack } from "../support/test-stack.ts";

const folder = mkdtempSync(join(tmpdir(), "services-"));
const agents = JSON.parse(readFileSync(join(ROOT, "infra/entities/agents.json"), "utf8")) as {
  readonly name: string;
  readonly setting: string;
}[];
let services: Stack;
let url = "";
beforeAll(async () => {
  writePackage(await packServices(), join(folder, "package"));
  const data = join(folder, "data");
  services = await startStack({ appDir: join(folder, "package/app"), data, parts: [], ports: "free" });
  url = services.addresses.host?.url ?? "";
});
afterAll(async () => {
  await services?.stop();
  rmSync(folder, { recursive: true, force: true });
});

const post = (path: string, body: object, key = "k-1") =>
  fetch(`${url}${path}`, {
    method: "POST",
    headers: { "content-type": "application/json", "idempotency-key": key },
    body: JSON.stringify(body),
  });

test("the same sources make the same bytes, and they name no folder of the machine that packed them", async () => {
  const [one, other] = [await packServices(), await packServices()];
  expect(Buffer.from(one.zip).equals(Buffer.from(other.zip))).toBe(true);
  expect(Buffer.from(one.files.get("services.js") ?? []).toString()).not.toContain(ROOT);
});

test("each agent's service answers under its name, and a repeat has the first one's answer", async () => {
  const first = await post("/payment/charges", { orderId: "o-1", amount: 1, currency: "EUR" });
  expect(first.status).toBe(201);
  const again = await post("/payment/charges", { orderId: "o-1", amount: 1, currency: "EUR" });
  expect(await again.json()).toEqual(await first.json());
  for (const { name } of agents) {
    const answer = await fetch(`${url}/${name}/nothing`);
    expect(await answer.json(), name).toMatchObject({ code: "no-such-path", message: expect.stringContaining(name) });
  }
  expect((await fetch(`${url}/nobody/charges`)).status).toBe(404);
});

test("its controls are behind a key of the app's, and not at the address that agents have", async () => {
  expect((await post("/payment/$faults", { kind: "down" })).status).toBe(404);
  expect((await fetch(`${url}/payment/$effects`)).status).toBe(404);
  for (const path of [
    "%24effects",
    ".%5C$effects",
    "x%5C..%5C$effects",
    "%09$effects",
    "$%0Aeffects",
    "%2F..%2F$effects",
  ])
    expect((await fetch(`${url}/payment/${path}`)).status, path).toBe(404);
  expect((await post("/controls/payment/faults", { kind: "down", calls: 1, retryAfterS: 7 })).status).toBe(201);
  const down = await post("/payment/charges", { orderId: "o-2", amount: 1, currency: "EUR" }, "k-2");
  expect([down.status, down.headers.get("retry-after")]).toEqual([503, "7"]);
  const made = await (await fetch(`${url}/controls/payment/effects?orderId=o-1`)).json();
  expect(made).toMatchObject({ effects: [{ path: "/charges", calls: 2 }] });
  // The local host asks for no key: Azure does.
  const code = Buffer.from((await packServices()).files.get("services.js") ?? []).toString();
  expect(code.split('http("controls"')[1]?.slice(0, 300)).toContain('authLevel: "function"');
});

test("an order reaches Processed against them", async () => {
  const appSettings = Object.fromEntries(agents.map(({ name, setting }) => [setting, `${url}/${name}`]));
  await using app = await startTestStack({ appSettings });
  await app.shop.send(madeOrder("demonstrated-1"));
  const record = await app.eventually("demonstrated-1", ({ processState }) => processState === "Processed");
  expect(Object.values(record.steps).map(({ state }) => state)).toEqual(Array(5).fill("Completed"));
  const { effects } = (await (await fetch(`${url}/controls/payment/effects?orderId=demonstrated-1`)).json()) as {
    effects: { action: string }[];
  };
  expect(effects.map(({ action }) => action)).toEqual(["create", "capture"]);
});
