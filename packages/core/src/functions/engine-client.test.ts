// What is asked of the engine's own address, and what its answers mean: the same as by the library's client.
import { createServer, type IncomingMessage } from "node:http";
import type { AddressInfo } from "node:net";
import { InvocationContext, input } from "@azure/functions";
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { engineClient } from "./engine-client.ts";

const asked: { path: string | undefined; type: string | undefined; body: string }[] = [];
let status = 202;

const server = createServer(async (request: IncomingMessage, response) => {
  let body = "";
  for await (const chunk of request) body += String(chunk);
  asked.push({ path: request.url, type: request.headers["content-type"], body });
  response.writeHead(status).end(status === 202 ? '{"id":"job-1-1"}' : "not now");
});
beforeAll(() => new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve)));
afterAll(() => new Promise((resolve) => server.close(resolve)));
beforeEach(() => {
  asked.length = 0;
  status = 202;
});

function client(data: object | undefined = {}) {
  const clientInput = input.generic({ type: "durableClient" });
  const context = new InvocationContext({ functionName: "submission", options: { extraInputs: [clientInput] } });
  const { port } = server.address() as AddressInfo;
  context.extraInputs.set(clientInput, { rpcBaseUrl: `http://127.0.0.1:${port}/durabletask/`, ...data });
  return engineClient(context);
}

test("starts an orchestration with its input, under the id that it is given", async () => {
  expect(await client().startNew("scheduler", { instanceId: "job-1-1", input: { jobId: "job-1" } })).toBe("job-1-1");
  const path = "/durabletask/orchestrators/scheduler/job-1-1";
  expect(asked).toEqual([{ path, type: "application/json", body: '{"jobId":"job-1"}' }]);
});

test("an id cannot lead to another address", async () => {
  await client().startNew("scheduler", { instanceId: "a/b?c=d", input: null });
  expect(asked[0]?.path).toBe("/durabletask/orchestrators/scheduler/a%2Fb%3Fc%3Dd");
});

test("a start that the engine does not take is an error with its answer", async () => {
  status = 409;
  const started = client().startNew("scheduler", { instanceId: "job-1-1", input: {} });
  await expect(started).rejects.toThrow("the engine answered 409: not now");
});

test("raises an event; one for an instance that has ended is nobody's", async () => {
  await client().raiseEvent("job-1-1", "progress", { kind: "completed" });
  expect(asked[0]).toMatchObject({
    path: "/durabletask/instances/job-1-1/raiseEvent/progress",
    body: '{"kind":"completed"}',
  });
  status = 410;
  await client().raiseEvent("job-1-1", "progress", {});
});

test("an unknown instance is said in the library's words, and another answer in its own", async () => {
  status = 404;
  await expect(client().raiseEvent("job-1-1", "progress", {})).rejects.toThrow(/^No instance with ID 'job-1-1'/);
  status = 500;
  await expect(client().raiseEvent("job-1-1", "progress", {})).rejects.toThrow("the engine answered 500");
});

test("where the host names no address of its own, it is the library's client", () => {
  expect(() => client({ rpcBaseUrl: undefined })).toThrow("not a valid durable client input");
});
