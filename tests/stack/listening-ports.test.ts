// Every HTTP server of the local stack, found by its listening port: none takes a request of a page of another site, or under another name, and none
// is held up by a body that never ends. What the durable engine serves there opens with its key alone.
import { connect, type Socket } from "node:net";
import { WEBHOOK_KEY } from "@scheduler-agent-supervisor/local";
import { afterAll, beforeAll, expect, test } from "vitest";
import { answersToForeign, canListPorts, listeningPorts } from "../support/listening-ports.ts";
import { madeOrder } from "../support/made-order.ts";
import { startTestStack, type TestStack } from "../support/test-stack.ts";

let app: TestStack;
let before: ReadonlySet<number>;
beforeAll(async () => {
  before = canListPorts ? listeningPorts() : new Set();
  app = await startTestStack();
});
afterAll(() => app?.[Symbol.asyncDispose]());

test.runIf(canListPorts)("every port that speaks HTTP rejects what is foreign", async () => {
  const { http, faults } = await answersToForeign([...listeningPorts()].filter((port) => !before.has(port)));
  expect(faults).toEqual([]);
  // The host, the store, the bus's administration and four services at least.
  expect(http.length).toBeGreaterThanOrEqual(7);
  const { host, cosmos } = app.stack.addresses;
  for (const url of [host?.url, cosmos?.endpoint, ...Object.values(app.stack.addresses.remotes)])
    expect(http).toContain(Number(new URL(url ?? "").port));
});

/** A request whose body of a thousand bytes stops after its first. */
function openSlowly(port: number, path: string): Socket {
  const socket = connect(port, "127.0.0.1");
  socket.on("error", () => socket.destroy());
  const head = `POST ${path} HTTP/1.1\r\nhost: 127.0.0.1:${port}\r\ncontent-type: application/json`;
  socket.write(`${head}\r\ncontent-length: 1000\r\n\r\n{`);
  return socket;
}

test("bodies that stop after a byte hold no function, and an order beside them ends", async () => {
  const { host, cosmos, remotes } = app.stack.addresses;
  const invoked = async () => {
    const counts = (await (await fetch(`${host?.url}/admin/counts`)).json()) as Record<string, number>;
    return Object.entries(counts).filter(([name]) => /^(completeStep|resubmitJob)/.test(name));
  };
  const before = await invoked();
  const places = [host?.url, cosmos?.endpoint, ...Object.values(remotes)].map((url) => Number(new URL(url ?? "").port));
  const paths = ["/api/completions/nothing", "/api/jobs/none/resubmit", "/charges", "/dbs/orders/colls/orders/docs"];
  const slow = places.flatMap((port) =>
    paths.flatMap((path) => Array.from({ length: 25 }, () => openSlowly(port, path))),
  );
  try {
    await app.shop.send(madeOrder("beside-1"));
    await app.eventually("beside-1", ({ processState }) => processState === "Processed");
    expect((await app.call("api/jobs/beside-1")).status).toBe(200);
    // The host has its open connections, and has asked the app about none of them.
    expect(slow.filter(({ destroyed, localPort }) => !destroyed && localPort).length).toBeGreaterThan(100);
    expect(await invoked()).toEqual(before);
  } finally {
    for (const socket of slow) socket.destroy();
  }
});

test("what the durable engine serves opens with its key alone", async () => {
  const root = `${app.stack.addresses.host?.url}/runtime/webhooks/durabletask`;
  await app.shop.send(madeOrder("webhooks-1"));
  await app.eventually("webhooks-1", ({ processState }) => processState === "Processed");
  const instances = async () => {
    const listed = (await (await fetch(`${root}/instances?code=${WEBHOOK_KEY}`)).json()) as {
      readonly name: string;
      readonly instanceId: string;
      readonly runtimeStatus: string;
    }[];
    const all = listed.map(({ instanceId, name, runtimeStatus }) => `${name} ${instanceId} ${runtimeStatus}`);
    return { all: all.sort(), own: listed.find(({ instanceId }) => instanceId.startsWith("webhooks-1")) };
  };
  const settled = async () => (await instances()).own?.runtimeStatus;
  await expect.poll(settled).toBe("Completed");
  const { all, own } = await instances();
  const { instanceId: id = "", name = "" } = own ?? {};
  const attacks = [
    ["GET", `/instances/${id}`],
    ["GET", `/instances/${id}?showHistory=true&showInput=true&showHistoryOutput=true`],
    ["GET", "/instances"],
    ["DELETE", `/instances/${id}`],
    ["DELETE", "/instances?createdTimeFrom=2000-01-01T00:00:00Z"],
    ...["terminate", "suspend", "resume", "rewind", "restart", "raiseEvent/progress"].map((verb) => [
      "POST",
      `/instances/${id}/${verb}`,
    ]),
    ["POST", `/orchestrators/${name}`],
    ["POST", `/orchestrators/${name}/${id}`],
    ["POST", "/entities/any/one?op=delete"],
  ] as const;
  for (const [method = "", path = ""] of attacks) {
    for (const [key, headers] of [
      ["", {}],
      ["code=", {}],
      ["code=guessed", {}],
      ["", { "x-functions-key": "guessed" }],
      ["", { "x-ms-client-principal-name": "ada@example.com" }],
    ] as const) {
      const url = `${root}${path}${path.includes("?") ? "&" : "?"}${key}`;
      const body = method === "POST" ? { body: "{}" } : {};
      const answer = await fetch(url, { method, headers: { "content-type": "application/json", ...headers }, ...body });
      expect(answer.status, `${method} ${url} ${JSON.stringify(headers)}`).toBe(401);
      expect(await answer.text()).not.toContain("webhooks-1");
    }
  }
  expect((await instances()).all).toEqual(all);
});
