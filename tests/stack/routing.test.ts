// P18, P19 on the real stack: two endpoints of one service, one of which fails; and urgent orders where room is scarce.
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import type { StateRecord } from "@scheduler-agent-supervisor/core/domain";
import { FAULT_HEADERS } from "@scheduler-agent-supervisor/local/remotes";
import { afterAll, beforeAll, expect, test } from "vitest";
import { ROOT } from "../../cli/settings.ts";
import { madeOrder } from "../support/made-order.ts";
import { startTestStack, type TestStack } from "../support/test-stack.ts";

const SECOND = "shipping-west";

let app: TestStack;
let folder: string;
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), "remotes-"));
  const remotesFile = join(folder, "remotes.mjs");
  const own = pathToFileURL(join(ROOT, "samples/remotes.ts")).href;
  const second = `{ ...own.find(({ name }) => name === "shipping"), name: "${SECOND}", port: 7090 }`;
  writeFileSync(
    remotesFile,
    `import { services as own } from "${own}";\nexport const services = [...own, ${second}];\n`,
  );
  app = await startTestStack({
    remotesFile,
    appSettings: ({ remotes }) => ({
      ShippingEndpoints: `${remotes["shipping"]};capacity=8, ${remotes[SECOND]};capacity=8`,
      FraudEndpoints: `${remotes["fraud"]};capacity=2`,
    }),
    tuning: { breaker: { failures: 2 } },
  });
});
afterAll(async () => {
  await app?.[Symbol.asyncDispose]();
  rmSync(folder, { recursive: true, force: true });
});

const ended = ({ processState }: StateRecord) => processState === "Processed";
const shippedBy = ({ steps }: StateRecord) => new URL(steps["arrangeShipping"]?.endpoint ?? "http://none").port;
const portOf = (service: string) => new URL(app.stack.addresses.remotes[service] ?? "").port;

async function run(orderIds: readonly string[], changes: object = {}): Promise<StateRecord[]> {
  await Promise.all(orderIds.map((orderId) => app.shop.send({ ...madeOrder(orderId), ...changes })));
  return Promise.all(orderIds.map((orderId) => app.eventually(orderId, ended)));
}

const named = (name: string, count: number) => Array.from({ length: count }, (_, index) => `${name}-${index}`);

test("P18 P19 a broken endpoint gets no more work, the other one takes it; a probe brings it back", async () => {
  await app.switchOn("shipping", { kind: "down" });
  const during = await run(named("outage", 12));
  for (const record of during) expect(record).toMatchObject({ attempt: 1, failureCount: 0 });
  expect(new Set(during.map(shippedBy))).toEqual(new Set([portOf(SECOND)]));
  expect(during.map(({ steps }) => steps["arrangeShipping"]?.because).join()).toMatch(/broken|failed|healthy/);
  expect(await app.effects("shipping")).toEqual([]);

  await fetch(`${app.stack.addresses.remotes["shipping"]}/$faults`, { method: "DELETE", headers: FAULT_HEADERS });
  const back = async () => new Set((await run(named(`back-${Date.now()}`, 6))).map(shippedBy));
  await expect.poll(back).toEqual(new Set([portOf("shipping"), portOf(SECOND)]));
});

test("P19 where room is scarce urgent orders go first, and the others don't starve", async () => {
  // While the first two have all of its places, the others come: whoever is faster to arrive gains nothing.
  await app.switchOn("fraud", { kind: "slow", delayMs: 3000, calls: 2 });
  await app.switchOn("fraud", { kind: "slow", delayMs: 150, calls: 60 });
  const normal = named("normal", 30);
  const urgent = named("urgent", 12);
  const [slow, fast] = await Promise.all([run(normal), run(urgent, { priority: "high" })]);
  const checkedAt = ({ steps }: StateRecord) => Date.parse(steps["checkFraud"]?.endedAt ?? "");
  const median = (records: readonly StateRecord[]) => records.map(checkedAt).sort()[records.length >> 1] ?? 0;
  expect(median(fast)).toBeLessThan(median(slow));
  const lastUrgent = Math.max(...fast.map(checkedAt));
  const meanwhile = slow.filter((record) => checkedAt(record) < lastUrgent);
  expect(meanwhile.length, "normal orders that were checked while urgent ones waited").toBeGreaterThan(0);
});

test("P9 P18 a gateway rejects our credential for a while: no order is rejected for it, and each has one charge", async () => {
  await app.switchOn("payment", { kind: "reject", status: 403, code: "AccessDenied", forMs: 2500, path: "/charges" });
  const orderIds = named("credential", 6);
  for (const record of await run(orderIds)) expect(record).toMatchObject({ processState: "Processed", error: null });
  for (const orderId of orderIds) {
    const made = (await app.effects("payment", orderId)).filter(({ action }) => action === "create");
    expect(made).toHaveLength(1);
  }
});
