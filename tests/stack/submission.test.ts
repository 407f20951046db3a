// P1 P2 P3: what submission writes, as it goes over the wire to Cosmos DB.
import { once } from "node:events";
import { createServer, request, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { afterAll, beforeAll, expect, test } from "vitest";
import { settingsFor } from "../../cli/settings.ts";
import { madeOrder } from "../support/made-order.ts";
import { startTestStack, type TestStack } from "../support/test-stack.ts";

interface BatchOperation {
  readonly operationType: string;
  readonly resourceBody: Record<string, unknown>;
}

const batches: BatchOperation[][] = [];
let cosmos = "";
let server: Server;
let app: TestStack;

/** Stands between the app and Cosmos DB, and keeps each transactional batch. */
async function startRecorder(): Promise<number> {
  server = createServer(async (incoming, outgoing) => {
    const chunks: Buffer[] = [];
    for await (const chunk of incoming) chunks.push(chunk);
    const body = Buffer.concat(chunks);
    const { method, headers, url } = incoming;
    if (headers["x-ms-cosmos-is-batch-request"]) batches.push(JSON.parse(body.toString()));
    const passed = request(new URL(url ?? "/", cosmos), { method, headers }, (answer) => {
      outgoing.writeHead(answer.statusCode ?? 500, answer.headers);
      answer.pipe(outgoing);
    });
    passed.on("error", () => outgoing.destroy());
    passed.end(body);
  });
  await once(server.listen(0, "127.0.0.1"), "listening");
  return (server.address() as AddressInfo).port;
}

beforeAll(async () => {
  const port = await startRecorder();
  app = await startTestStack({
    appSettings: (addresses) => {
      const direct = settingsFor(addresses)["Cosmos"] ?? "";
      cosmos = /AccountEndpoint=([^;]+)/.exec(direct)?.[1] ?? "";
      return { Cosmos: direct.replace(cosmos, `http://127.0.0.1:${port}/`) };
    },
  });
});
afterAll(async () => {
  await app?.[Symbol.asyncDispose]();
  server?.close();
});

test("P1 P2 P3 order and record go in ONE batch: Pending, unlocked, without failures, no step begun", async () => {
  await app.shop.send(madeOrder("fresh-1"));
  await app.eventually("fresh-1", ({ processState }) => processState === "Processed");
  expect(batches).toHaveLength(1);
  const [order, record, ...more] = batches[0] ?? [];
  expect(more).toEqual([]);
  expect(order).toMatchObject({
    operationType: "Create",
    resourceBody: { id: "job", jobId: "fresh-1", orderId: "fresh-1" },
  });
  expect(record).toMatchObject({
    operationType: "Create",
    resourceBody: {
      ...{ id: "state", jobId: "fresh-1", orderId: "fresh-1" },
      processState: "Pending",
      lockedBy: null,
      completeBy: null,
      failureCount: 0,
      attempt: 1,
    },
  });
  for (const step of Object.values(record?.resourceBody["steps"] ?? {})) {
    expect(step).toMatchObject({ state: "NotStarted", completeBy: null, retryCount: 0, result: null });
  }
});
