// An action on many orders, on the real stack: previewed, in waves, stopped by its canary, and right after the host was killed.
import { randomUUID } from "node:crypto";
import type { StateRecord } from "@scheduler-agent-supervisor/core/domain";
import { createCosmosBulkStore } from "@scheduler-agent-supervisor/operator/adapters";
import * as contract from "@scheduler-agent-supervisor/operator/contract";
import { afterAll, beforeAll, expect, test } from "vitest";
import type { z } from "zod";
import { madeOrder } from "../support/made-order.ts";
import { typedOrders } from "../support/orders-command.ts";
import { containerOf, seenByAll } from "../support/store.ts";
import { startTestStack, type TestStack } from "../support/test-stack.ts";

let app: TestStack;
beforeAll(async () => {
  // What a killed host has written and not yet said is found by the supervisor after this time.
  app = await startTestStack({
    appSettings: { GaugesSchedule: "*/2 * * * * *" },
    tuning: { timing: { claimWithinMs: 5000 } },
  });
});
afterAll(() => app?.[Symbol.asyncDispose]());

type Progress = z.output<typeof contract.bulkProgress>;

const ends = ({ processState, outbox }: StateRecord) => processState === "Error" && outbox.length === 0;

async function ask(path: string, body?: unknown): Promise<{ status: number; body: unknown }> {
  const response = await app.call(`api/${path}`, {
    headers: { "content-type": "application/json", "x-ms-client-principal-name": "ada@example.com" },
    ...(body !== undefined && { method: "POST", body: JSON.stringify(body) }),
  });
  return { status: response.status, body: await response.json() };
}

/** Orders that payment rejects, each until its own fault is ended. */
async function rejected(name: string, count: number): Promise<{ orderIds: string[]; fix: () => Promise<void> }> {
  const orderIds = Array.from({ length: count }, (_, at) => `${name}-${at + 1}`);
  const faults = await Promise.all(
    orderIds.map(async (orderId) => {
      // The check beside it is done first, so that nobody is at work when the order has failed.
      await app.switchOn("payment", { kind: "slow", delayMs: 1500, calls: 1, match: { orderId } });
      const message = `the ${name} card ${orderId} has expired`;
      return app.switchOn("payment", { kind: "reject", status: 402, message, match: { orderId } });
    }),
  );
  for (const orderId of orderIds) await app.shop.send(madeOrder(orderId));
  await Promise.all(orderIds.map((orderId) => app.eventually(orderId, ends)));
  return { orderIds, fix: async () => void (await Promise.all(faults.map((end) => end()))) };
}

async function preview(action: string, target: unknown) {
  const answer = await ask("bulk", { action, target });
  expect(answer.status, JSON.stringify(answer.body)).toBe(201);
  return contract.bulkPreview.parse(answer.body);
}

async function progressOf(bulkId: string): Promise<Progress> {
  return contract.bulkProgress.parse((await ask(`bulk/${bulkId}`)).body);
}

async function over(bulkId: string, withinMs = 60_000): Promise<Progress> {
  const begun = Date.now();
  for (;;) {
    const progress = await progressOf(bulkId);
    if (["done", "stopped", "cancelled"].includes(progress.run.state)) return progress;
    if (Date.now() - begun > withinMs) throw new Error(`after ${withinMs} ms: ${JSON.stringify(progress)}`);
    await new Promise((resolve) => setTimeout(resolve, 250));
  }
}

test("P9 P30 where the cause is still there it stops after one order, and leaves the others alone", async () => {
  const { orderIds } = await rejected("broken", 8);
  const groups = contract.attention.parse((await ask("attention")).body).groups;
  const group = groups.find(({ example }) => example.includes("the broken card"));
  expect(group?.count).toBe(8);
  const { run, notPossible } = await preview("resubmit", { group: group?.id });
  expect(run).toMatchObject({ state: "previewed", total: 8, by: "ada@example.com", wave: 0 });
  expect(notPossible).toEqual([]);
  expect((await ask(`bulk/${run.bulkId}/start`, { reason: "fixed", count: 7 })).status).toBe(409);
  expect((await ask(`bulk/${run.bulkId}/start`, { reason: "fixed", count: 8 })).status).toBe(200);
  const stopped = await over(run.bulkId);
  expect(stopped.run).toMatchObject({ state: "stopped", stopped: "100%", counts: { done: 1, same: 1, well: 0 } });
  expect(stopped.results).toMatchObject([{ outcome: "done", end: "same" }]);
  const attempts = (await app.records.of(orderIds)).map(({ attempt }) => attempt).sort();
  expect(attempts).toEqual([1, 1, 1, 1, 1, 1, 1, 2]);
  expect((await ask(`bulk/${run.bulkId}/resume`, {})).status).toBe(409);

  // Many more came after it, and are over.
  const store = storeOfRuns();
  const before = Date.parse(stopped.run.at);
  for (let later = 1; later <= 60; later += 1) {
    const at = new Date(before + later).toISOString();
    await store.create({ ...stopped.run, bulkId: randomUUID(), state: "done", stopped: null, at }, []);
  }
  await seenByAll();
  const of = async (path: string) => contract.bulkList.parse((await ask(path)).body).runs.map(({ bulkId }) => bulkId);
  expect(await of("bulk")).not.toContain(run.bulkId);
  expect(await of("bulk?open=true")).toEqual([run.bulkId]);
  expect((await typed("needs")).output).toContain(
    `resubmit 8: stopped by itself, 100% with the same cause again. npm run orders -- --app ${appUrl()} run ${run.bulkId}`,
  );
  const waiting = randomUUID();
  const at = "2025-01-01T00:00:00.000Z";
  await store.create({ ...stopped.run, bulkId: waiting, state: "paused", stopped: null, at, updatedAt: at }, []);
  await seenByAll();
  expect(await of("bulk?open=true")).toEqual([run.bulkId, waiting]);
  const hourAgo = new Date(Date.now() - 3_601_000).toISOString();
  const read = await store.run(run.bulkId);
  expect(read && (await store.replace(read, { ...read.run, updatedAt: hourAgo }))).toBe(true);
  await seenByAll();
  expect(await of("bulk?open=true")).toEqual([waiting]);
  expect((await ask(`bulk/${waiting}/cancel`, {})).status).toBe(200);
  expect((await ask("bulk?open=true&continuation=x")).status).toBe(400);
});

function storeOfRuns() {
  return createCosmosBulkStore(containerOf(app.settings).database.container("supervision"));
}

test("P9 P16 P30 each order is done once though the host is killed; what changed since is skipped, newcomers stay out", async () => {
  const { orderIds, fix } = await rejected("fixed", 14);
  const { run } = await preview("resubmit", { jobIds: [...orderIds, "nowhere-1"] });
  expect(run.total).toBe(14);
  await rejected("newcomer", 1);
  const [changed = ""] = orderIds.slice(-1);
  expect((await ask(`jobs/${changed}/markResolved`, { reason: "refunded by the bank" })).status).toBe(200);
  await fix();
  // Slow enough that the kill finds the second wave under way.
  await app.switchOn("shipping", { kind: "slow", delayMs: 1500 });
  expect((await ask(`bulk/${run.bulkId}/start`, { reason: "card service fixed", count: 14 })).status).toBe(200);
  await expect.poll(async () => (await progressOf(run.bulkId)).run.wave).toBe(1);
  await app.stack.kill("host", "SIGKILL");
  await app.stack.restart("host");
  const done = await over(run.bulkId, 90_000);
  expect(done.run).toMatchObject({
    state: "done",
    wave: 2,
    counts: { done: 13, skipped: 1, well: 13, same: 0, other: 0 },
  });
  expect(done.results.find(({ jobId: orderId }) => orderId === changed)).toMatchObject({
    outcome: "skipped",
    reason: "it has changed since the preview",
  });
  for (const record of await app.records.of(orderIds.slice(0, -1))) {
    const resubmissions = record.history.filter(({ what }) => what.includes(`(bulk ${run.bulkId})`));
    expect(resubmissions, record.jobId).toHaveLength(1);
    expect(resubmissions[0]).toMatchObject({ by: "ada@example.com" });
  }
  expect((await app.records.of(["newcomer-1"]))[0]).toMatchObject({ processState: "Error", attempt: 1 });
  const { runs } = contract.bulkList.parse((await ask("bulk")).body);
  expect(runs.map(({ bulkId }) => bulkId)).toContain(run.bulkId);
}, 180_000);

test("P9 P16 a run whose orchestration is lost is started again by itself", async () => {
  const { orderIds, fix } = await rejected("lost", 2);
  await fix();
  const { run } = await preview("resubmit", { jobIds: orderIds });
  // As a crash leaves it after the run was written, and before its orchestration is started.
  const store = storeOfRuns();
  const read = await store.run(run.bulkId);
  if (!read) throw new Error("no run");
  const updatedAt = new Date(Date.now() - 90_000).toISOString();
  expect(await store.replace(read, { ...read.run, state: "running", reason: "fixed", updatedAt })).toBe(true);
  await seenByAll();
  const { runs } = contract.bulkList.parse((await ask("bulk")).body);
  expect(runs.find(({ bulkId }) => bulkId === run.bulkId)).toMatchObject({ state: "running", progressAt: updatedAt });
  expect((await over(run.bulkId)).run).toMatchObject({ state: "done", counts: { done: 2, well: 2 } });
});

test("paused, it acts on no more orders than it has begun with; resumed, it goes on; by any operator", async () => {
  const { orderIds, fix } = await rejected("paused", 4);
  await fix();
  await app.switchOn("shipping", { kind: "slow", delayMs: 1500 });
  const { run } = await preview("resubmit", { jobIds: orderIds });
  expect((await ask(`bulk/${run.bulkId}/start`, { reason: "fixed", count: 4 })).status).toBe(200);
  expect((await ask(`bulk/${run.bulkId}/pause`, {})).body).toMatchObject({ state: "paused" });
  const [canary = "", ...others] = orderIds;
  const begun = async () => (await app.records.of(orderIds)).filter(({ attempt }) => attempt > 1);
  await expect.poll(async () => (await begun()).every((one) => one.processState === "Processed")).toBe(true);
  expect((await begun()).map(({ jobId: orderId }) => orderId).filter((orderId) => orderId !== canary)).toEqual([]);
  expect((await app.records.of(others)).map(({ attempt }) => attempt)).toEqual([1, 1, 1]);
  expect((await ask(`bulk/${run.bulkId}/resume`, {})).body).toMatchObject({ state: "running" });
  expect((await over(run.bulkId)).run).toMatchObject({ state: "done", counts: { done: 4, well: 4 } });
});

test("what is not possible is said before; a run that has not begun can be cancelled", async () => {
  const { orderIds } = await rejected("held", 3);
  await app.shop.send(madeOrder("fine-1"));
  await app.eventually("fine-1", ({ processState }) => processState === "Processed");
  const { run, notPossible } = await preview("markResolved", { jobIds: [...orderIds, "fine-1"] });
  expect(notPossible).toMatchObject([{ jobId: "fine-1", reason: expect.stringContaining("Processed") }]);
  expect((await ask(`bulk/${run.bulkId}/pause`, {})).status).toBe(409);
  expect((await ask(`bulk/${run.bulkId}/start`, { reason: "refunded", count: 3 })).status).toBe(200);
  await over(run.bulkId);
  expect((await progressOf(run.bulkId)).run).toMatchObject({ state: "done", counts: { done: 3, well: 3 } });
  const other = await preview("compensate", { jobIds: orderIds });
  expect((await ask(`bulk/${other.run.bulkId}/cancel`, {})).body).toMatchObject({ state: "cancelled" });
  expect((await ask(`bulk/${other.run.bulkId}/start`, { reason: "r", count: 3 })).status).toBe(409);
  expect((await ask("bulk", { action: "cancel", target: { filter: { waitsFor: "agent:payment" } } })).status).toBe(201);
  const filter = { state: "Error", kind: "resolved", q: "held-" };
  const matching = await preview("resubmit", { filter });
  expect(matching.run).toMatchObject({ total: 3, filter, isAll: true });
  expect(contract.bulkProgress.parse((await ask(`bulk/${matching.run.bulkId}`)).body).run).toEqual(matching.run);
  for (const state of ["Processed", undefined]) {
    expect((await ask("bulk", { action: "markResolved", target: { filter: { state } } })).status).toBe(400);
  }
  expect((await ask("bulk/none")).status).toBe(404);
  expect((await ask("bulk", { action: "explode", target: {} })).status).toBe(400);
});

const appUrl = () => app.stack.addresses.host?.url ?? "";

const typed = (...args: string[]) => typedOrders([...args, "--app", appUrl()]);

test("from the terminal: the causes, who handles an order, a search, and an action on a cause that is followed to its end", async () => {
  await rejected("typed", 3);
  await app.shop.send({ ...madeOrder("typed-unread"), currency: "euro" });
  await expect.poll(async () => (await app.records.quarantined()).length).toBe(1);
  const needs = await typed("needs");
  expect(needs.output).toMatch(
    /^Dead letters of quarantine: 1 message with "currency: must be .*", the oldest .* ago$/m,
  );
  expect((await typed("find", "--business-key", "customer:customer-made", "--limit", "1")).output).toMatch(/^typed-/m);
  const [, cause = ""] = /^([0-9a-f]{16})\t3\t.*typed card/m.exec(needs.output) ?? [];
  expect(cause, needs.output).not.toBe("");
  expect((await typed("take", "typed-1")).output).toContain("typed-1 is taken by local-operator.");
  expect((await typed("needs", cause)).output).toMatch(/^typed-1\t.*\tlocal-operator$/m);
  expect((await typed("show", "typed-1")).output).toMatch(/^taken by local-operator/m);
  expect((await typed("take", "typed-1", "--release")).output).toContain("Nobody has taken typed-1.");

  const preview = await typed("bulk", "markResolved", "--group", cause);
  expect(preview.output).toContain("markResolved: 3 orders");
  const [, run = ""] = /start (\S+) --count 3/.exec(preview.output) ?? [];
  expect(await typed("start", run, "--reason", "refunded")).toMatchObject({ code: 2 });
  expect(await typed("start", run, "--count", "2", "--reason", "refunded")).toMatchObject({
    code: 1,
    output: expect.stringContaining("it is for 3, and"),
  });
  const started = await typed("start", run, "--count", "3", "--reason", "refunded by the bank");
  expect(started.output).toContain("done: 3 of 3, 3 ended well");
  expect(started.code).toBe(0);
  expect((await typed("runs")).output).toMatch(new RegExp(`^${run}\tmarkResolved 3\tdone\tlocal-operator`, "m"));
  const found = await typed("find", "--state", "Error", "--kind", "resolved", "--q", "typed-");
  expect(found.output.trim().split("\n")).toHaveLength(3);
  const matching = await typed("bulk", "resubmit", "--state", "Error", "--q", "typed-");
  expect(matching.output).toContain("resubmit: 3 orders");
  const extension = await typed("bulk", "extend", "--state", "Error", "--q", "typed-");
  expect(extension.output).toContain("extend: 0 orders");
  expect(extension.output).toContain("Not possible for 3 orders");
  expect(await typed("bulk", "resubmit", "typed-1", "--state", "Error")).toMatchObject({ code: 2 });
  const named = await typed("bulk", "resubmit", "typed-1", "typed-3");
  expect(named).toMatchObject({ code: 0, output: expect.stringContaining("resubmit: 2 orders") });
  const timed = ["find", "--state", "Error", "--workflow", "order-fulfilment", "--time-of", "ended"];
  expect((await typed(...timed, "--from", "2026-01-31T00:00:00Z")).output).toMatch(/^typed-1\t/m);
  expect((await typed(...timed, "--to", "2026-01-31T00:00:00Z")).output).toContain("No order matches.");
  expect((await typed(...timed, "--version", "99")).output).toContain("No order matches.");
  expect(await typed("find", "--from", "yesterday")).toMatchObject({
    code: 1,
    output: expect.stringContaining("from: must be an instant such as 2026-01-31T12:00:00Z"),
  });
  expect(await typed("find", "--state", "Nowhere")).toMatchObject({ code: 1, output: expect.stringMatching(/^400: /) });
});

test("from the terminal: where no app answers it is said what to do", async () => {
  const { code, output } = await typedOrders(["needs", "--app", "http://127.0.0.1:9"]);
  expect(code).toBe(1);
  expect(output).toContain("start it with npm start, or name another with --app URL");
});
