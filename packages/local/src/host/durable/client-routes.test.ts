// What the unmodified client library sees of instances: the answers of the real host.
import { join } from "node:path";
import { OrchestrationRuntimeStatus } from "durable-functions";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { HOST_REJECTIONS as REJECTIONS } from "../rejections.ts";
import { type Bench, openBench } from "./harness.ts";

const APP = join(import.meta.dirname, "fixtures/orders");
let bench: Bench;
beforeAll(async () => {
  bench = await openBench(APP);
});
afterAll(() => bench.close());

const waiting = (instanceId: string) => bench.client.startNew("waits", { instanceId, input: { names: ["x"] } });

test("a start with the id of a running instance is refused, of an ended one replaces it", async () => {
  await waiting("twice");
  await expect(waiting("twice")).rejects.toThrow(/500.*already exists/);
  await bench.client.raiseEvent("twice", "x", 1);
  await bench.ended("twice");
  await waiting("twice");
  expect((await bench.client.getStatus("twice")).runtimeStatus).not.toBe("Completed");
  await bench.client.raiseEvent("twice", "x", 2);
  expect((await bench.ended("twice")).output).toEqual([2]);
});

test("of many starts with one id at a time one is accepted", async () => {
  const starts = await Promise.allSettled(Array.from({ length: 10 }, () => waiting("contended")));
  expect(starts.filter(({ status }) => status === "fulfilled")).toHaveLength(1);
});

test("what is unknown is not found", async () => {
  await expect(bench.client.getStatus("nobody")).rejects.toThrow("404");
  await expect(bench.client.raiseEvent("nobody", "x", 1)).rejects.toThrow("No instance with ID 'nobody' found.");
  await expect(bench.client.terminate("nobody", "")).rejects.toThrow("No instance with ID 'nobody' found.");
  expect((await bench.client.purgeInstanceHistory("nobody")).instancesDeleted).toBe(0);
});

test("an event for an ended instance is accepted and ignored", async () => {
  await bench.run("returnsNothing", undefined, "over");
  await bench.client.raiseEvent("over", "x", 1);
  await bench.client.terminate("over", "late");
  expect((await bench.client.getStatus("over")).runtimeStatus).toBe("Completed");
});

test("terminate ends with its reason, also a suspended one", async () => {
  await waiting("stopped");
  await bench.client.suspend("stopped", "hold");
  await bench.client.terminate("stopped", "enough");
  expect(await bench.client.getStatus("stopped")).toMatchObject({ runtimeStatus: "Terminated", output: "enough" });
});

test("a suspended instance gathers events and goes on when resumed", async () => {
  await waiting("held");
  await bench.client.suspend("held", "hold");
  await bench.client.raiseEvent("held", "x", "kept");
  await new Promise((resolve) => setTimeout(resolve, 50));
  expect((await bench.client.getStatus("held")).runtimeStatus).toBe("Suspended");
  await bench.client.resume("held", "go");
  expect((await bench.ended("held")).output).toEqual(["kept"]);
});

test("a suspended instance has the reason for its output, and then the reason for which it was resumed", async () => {
  await waiting("reasons");
  await bench.client.suspend("reasons", "stock-taking");
  expect(await bench.client.getStatus("reasons")).toMatchObject({ runtimeStatus: "Suspended", output: "stock-taking" });
  await bench.client.resume("reasons", "done");
  expect((await bench.client.getStatus("reasons")).output).toBe("done");
  await bench.client.raiseEvent("reasons", "x", 1);
  expect((await bench.ended("reasons")).output).toEqual([1]);
});

test("a rewind and a restart are refused by name", async () => {
  await expect(bench.client.rewind("contended", "again")).rejects.toThrow(
    "To rewind an orchestration is not supported",
  );
  const url = `${bench.baseUrl}/runtime/webhooks/durabletask/instances/contended/restart`;
  const answer = await fetch(url, { method: "POST" });
  expect(answer.status).toBe(400);
  expect(await answer.text()).toContain("To restart an orchestration is not supported");
});

test("queries filter, and pages are followed", async () => {
  for (let n = 0; n < 5; n += 1) await bench.run("returnsNothing", n, `page-${n}`);
  const from = new Date(Date.now() - 60_000);
  const completed = await bench.client.getStatusBy({
    createdTimeFrom: from,
    runtimeStatus: [OrchestrationRuntimeStatus.Completed],
  });
  const ids = completed.map(({ instanceId }) => instanceId);
  expect(ids).toEqual(expect.arrayContaining(["page-0", "page-4"]));
  expect(ids).not.toContain("stopped");
  const running = await bench.client.getStatusBy({ runtimeStatus: [OrchestrationRuntimeStatus.Running] });
  expect(running.map(({ instanceId }) => instanceId)).toEqual(["contended"]);
  expect((await bench.client.getStatusAll()).length).toBeGreaterThan(completed.length);

  const url = `${bench.baseUrl}/runtime/webhooks/durabletask/instances?top=2&instanceIdPrefix=page-`;
  const seen: string[] = [];
  for (let token = ""; ; ) {
    const page = await fetch(url, { headers: { "x-ms-continuation-token": token } });
    for (const { instanceId } of (await page.json()) as { instanceId: string }[]) seen.push(instanceId);
    token = page.headers.get("x-ms-continuation-token") ?? "";
    if (token === "") break;
  }
  expect(seen).toEqual(["page-0", "page-1", "page-2", "page-3", "page-4"]);
});

test("purge by id removes an instance, also one that runs; by time only those that have ended", async () => {
  expect((await bench.client.purgeInstanceHistory("page-0")).instancesDeleted).toBe(1);
  await expect(bench.client.getStatus("page-0")).rejects.toThrow("404");
  await waiting("unwanted");
  expect((await bench.client.purgeInstanceHistory("unwanted")).instancesDeleted).toBe(1);
  await expect(bench.client.getStatus("unwanted")).rejects.toThrow("404");
  await waiting("unwanted");
  await bench.client.raiseEvent("unwanted", "x", 1);
  expect((await bench.ended("unwanted")).output).toEqual([1]);
  const all = { createdTimeFrom: new Date(0), runtimeStatus: [OrchestrationRuntimeStatus.Running] };
  expect((await bench.client.purgeInstanceHistoryBy(all)).instancesDeleted).toBe(0);
  const old = { createdTimeFrom: new Date(0), runtimeStatus: [OrchestrationRuntimeStatus.Terminated] };
  expect((await bench.client.purgeInstanceHistoryBy(old)).instancesDeleted).toBe(1);
});

test("waiting for completion gives the output, or the addresses to look at", async () => {
  const request = { url: "http://127.0.0.1/api/start" } as never;
  const id = await bench.client.startNew("chain", { input: { n: 1 } });
  const within = { timeoutInMilliseconds: 2000, retryIntervalInMilliseconds: 20 };
  const done = await bench.client.waitForCompletionOrCreateCheckStatusResponse(request, id, within);
  expect(done.status).toBe(200);
  const soon = { timeoutInMilliseconds: 20, retryIntervalInMilliseconds: 20 };
  const still = await bench.client.waitForCompletionOrCreateCheckStatusResponse(request, "contended", soon);
  expect(still.status).toBe(202);
  expect(bench.client.createHttpManagementPayload("contended").statusQueryGetUri).toMatch(
    `${bench.baseUrl}/runtime/webhooks/durabletask/instances/contended?`,
  );
});

test("the history can be asked for", async () => {
  const id = await bench.client.startNew("chain", { input: { n: 1 } });
  await bench.ended(id);
  const url = `${bench.baseUrl}/runtime/webhooks/durabletask/instances/${id}?showHistory=true&showHistoryOutput=true`;
  const { historyEvents } = (await (await fetch(url)).json()) as { historyEvents: object[] };
  expect(historyEvents).toMatchObject([
    { EventType: "ExecutionStarted", FunctionName: "chain" },
    { EventType: "TaskCompleted", FunctionName: "echo", Result: { n: 1 } },
    { EventType: "TaskCompleted", FunctionName: "add", Result: 2 },
    { EventType: "TaskCompleted", FunctionName: "echo" },
    { EventType: "ExecutionCompleted", OrchestrationStatus: "Completed" },
  ]);
});

test("the history can be had as it is stored", async () => {
  const id = await bench.client.startNew("chain", { input: { n: 1 } });
  await bench.ended(id);
  const instances = `${bench.baseUrl}/runtime/webhooks/durabletask/instances`;
  const stored = (await (await fetch(`${instances}/${id}/$history`)).json()) as { events: object[] };
  expect(stored).toMatchObject({ instanceId: id, name: "chain", runtimeStatus: "Completed" });
  expect(stored.events.slice(0, 3)).toMatchObject([
    { EventType: 12 },
    { EventType: 0, Name: "chain", Input: JSON.stringify({ n: 1 }) },
    { EventType: 4, EventId: 0, Name: "echo" },
  ]);
  expect((await fetch(`${instances}/nobody/$history`)).status).toBe(404);
});

describe(REJECTIONS.instanceId.what, () => {
  test.each(["@at", "a/b", "a\\b", "a#b", "a?b", "a\tb"])("%j", async (id) => {
    const url = `${bench.baseUrl}/runtime/webhooks/durabletask/orchestrators/waits/${encodeURIComponent(id)}`;
    expect((await fetch(url, { method: "POST", body: '{ "names": [] }' })).status).toBe(400);
  });
});

describe(REJECTIONS.eventBody.what, () => {
  const raise = (id: string, headers: Record<string, string>, body?: string) =>
    fetch(`${bench.baseUrl}/runtime/webhooks/durabletask/instances/${id}/raiseEvent/x`, {
      method: "POST",
      headers,
      ...(body !== undefined && { body: Buffer.from(body) }),
    });
  const asJson = { "content-type": "application/json; charset=utf-8" };

  test.each([
    ["text", { "content-type": "text/plain" }, "1"],
    ["no type", {}, "1"],
    ["no body", asJson, undefined],
    ["no JSON", asJson, "{"],
  ])("%s", async (name, headers, body) => {
    const id = `event ${name}`.replaceAll(" ", "-");
    await waiting(id);
    expect((await raise(id, headers, body)).status).toBe(400);
    expect((await raise("nobody", headers, body)).status).toBe(404);
    expect((await raise(id, asJson, "null")).status).toBe(202);
    expect((await bench.ended(id)).output).toEqual([null]);
    expect((await raise(id, headers, body)).status).toBe(410);
  });

  test("the client sends no event without a value", async () => {
    await waiting("no-value");
    await expect(bench.client.raiseEvent("no-value", "x", undefined)).rejects.toThrow("400");
    await bench.client.terminate("no-value", "");
  });
});

test("a start with a body that is no JSON is refused", async () => {
  const url = `${bench.baseUrl}/runtime/webhooks/durabletask/orchestrators/chain`;
  expect((await fetch(url, { method: "POST", body: "{" })).status).toBe(400);
  expect((await fetch(`${bench.baseUrl}/runtime/webhooks/durabletask/nothing`)).status).toBe(404);
});
