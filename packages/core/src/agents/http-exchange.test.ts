// What may come between an agent and its service on the way: connections that never stood, interim answers, packed ones, and a resource elsewhere.

import { createPrivateKey } from "node:crypto";
import { once } from "node:events";
import { createServer as createHttpServer, type RequestListener } from "node:http";
import { createServer as createHttpsServer } from "node:https";
import { type AddressInfo, createServer, type Server, type Socket } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import { createServer as createTlsServer } from "node:tls";
import { brotliCompressSync, deflateRawSync, deflateSync, gzipSync, zstdCompressSync } from "node:zlib";
import { afterEach, describe, expect, test } from "vitest";
import { bounds } from "../../tests/bounds.ts";
import { sampleJob } from "../../tests/jobs.ts";
import { defineAgent } from "../app/define-agent.ts";
import type { AgentCall, AgentReply, Wire } from "./agent.ts";
import { callService, keepId } from "./http-service.ts";
import { routeAgent } from "./route-agent.ts";
import { idAs } from "./service-request.ts";

/** Of localhost, for nothing but these tests. */
const KEY = {
  ...{ kty: "EC", crv: "P-256", x: "mz0pymgVzTY33QqMQ2MKMCf2aSW6yeKQ9J3kNObkNA0" },
  ...{ y: "4Bl6RBo47T5ww0_07AXyjbwTkJ4MqiMhQtzlXRML1UI", d: "17whAw-GZysDjebieVnVM5uBQhs0ZfsN_tOdLxaOcG8" },
};
const key = createPrivateKey({ key: KEY, format: "jwk" }).export({ type: "pkcs8", format: "pem" });
/** Until 2076, signed by itself. */
const untrusted = {
  key,
  cert: `-----BEGIN CERTIFICATE-----
MIIBVTCB/KADAgECAgECMAoGCCqGSM49BAMCMBQxEjAQBgNVBAMMCWxvY2FsaG9z
dDAgFw0yNjAxMDEwMDAwMDBaGA8yMDc2MDEwMTAwMDAwMFowFDESMBAGA1UEAwwJ
bG9jYWxob3N0MFkwEwYHKoZIzj0CAQYIKoZIzj0DAQcDQgAEmz0pymgVzTY33QqM
Q2MKMCf2aSW6yeKQ9J3kNObkNA3gGXpEGjjtPnDDT/TsBfKNvBOQngyqIyFC3OVd
EwvVQqM9MDswGgYDVR0RBBMwEYIJbG9jYWxob3N0hwR/AAABMB0GA1UdDgQWBBQ7
hxlI7LswD8W8R9svULo+8sdjpDAKBggqhkjOPQQDAgNIADBFAiBvJMTczrJ/Eu0t
3jJzm3oWPHyLlHTUKdg0Bzkyt68K9gIhAPOZwpPmwtSMnu6QFlYcHrPqYmEtM7gg
q0+S2XU3YLEb
-----END CERTIFICATE-----`,
};
/** Of 2020. */
const ended = {
  key,
  cert: `-----BEGIN CERTIFICATE-----
MIIBVDCB+qADAgECAgEBMAoGCCqGSM49BAMCMBQxEjAQBgNVBAMMCWxvY2FsaG9z
dDAeFw0yMDAxMDEwMDAwMDBaFw0yMTAxMDEwMDAwMDBaMBQxEjAQBgNVBAMMCWxv
Y2FsaG9zdDBZMBMGByqGSM49AgEGCCqGSM49AwEHA0IABJs9KcpoFc02N90KjENj
CjAn9mklusnikPSd5DTm5DQN4Bl6RBo47T5ww0/07AXyjbwTkJ4MqiMhQtzlXRML
1UKjPTA7MBoGA1UdEQQTMBGCCWxvY2FsaG9zdIcEfwAAATAdBgNVHQ4EFgQUO4cZ
SOy7MA/FvEfbL1C6PvLHY6QwCgYIKoZIzj0EAwIDSQAwRgIhAJFOmspuVwhYof+a
xSkOiCdNcyq/D/Wr6ymIz0rNeVyIAiEA+vo6XCvUiN/Qs2ZTzdX/VnvR+CSosqNO
0peA/K0BXBc=
-----END CERTIFICATE-----`,
};

let server: Server | undefined;
const sockets = new Set<Socket>();
/** Requests that reached the service. */
let requests = 0;
afterEach(() => {
  for (const socket of sockets) socket.destroy();
  server?.close();
  requests = 0;
});

async function portOf(listening: Server): Promise<number> {
  server = listening.listen(0, "127.0.0.1");
  server.on("connection", (socket: Socket) => {
    sockets.add(socket);
    socket.on("error", () => undefined);
  });
  await once(server, "listening");
  return (server.address() as AddressInfo).port;
}

const made: RequestListener = (_, response) => {
  requests += 1;
  response.writeHead(201, { "content-type": "application/json" }).end('{"id":"x-1"}');
};

const CALL = { job: sampleJob("job-1"), results: {}, idempotencyKey: "job-1:step:forward", compensates: null };

function post(endpoint: string, wire?: Wire, withinMs = 3000): Promise<AgentReply> {
  const call: AgentCall = {
    ...CALL,
    endpoint,
    completeBy: new Date(Date.now() + withinMs).toISOString(),
    signal: AbortSignal.timeout(withinMs),
    wire,
  };
  return callService({ path: "things", body: {}, keep: keepId("id"), answers: [] }, call);
}

describe("P32 what was never sent did not happen", () => {
  test.each([
    ["a certificate that nobody trusts", async () => portOf(createHttpsServer(untrusted, made))],
    ["a certificate that has ended", async () => portOf(createHttpsServer(ended, made))],
    [
      "TLS too old",
      async () =>
        portOf(createHttpsServer({ ...untrusted, maxVersion: "TLSv1.1", ciphers: "DEFAULT@SECLEVEL=0" }, made)),
    ],
    ["plain HTTP on the port", async () => portOf(createHttpServer(made))],
    [
      "a reset in the handshake",
      async () => portOf(createServer((socket) => socket.once("data", () => socket.resetAndDestroy()))),
    ],
    ["an end in the handshake", async () => portOf(createServer((socket) => socket.once("data", () => socket.end())))],
    ["another protocol", async () => portOf(createServer((socket) => socket.end("220 mail ESMTP\r\n")))],
    [
      "no cipher in common",
      async () => portOf(createTlsServer({ ...untrusted, maxVersion: "TLSv1.2", ciphers: "PSK" })),
    ],
  ])("%s", async (_, listens) => {
    const reply = await post(`https://localhost:${await listens()}/`);
    expect(reply).toMatchObject({ kind: "unavailable", mayHaveHappened: false });
    expect(requests).toBe(0);
  });

  test.each([
    ["no name", "http://no-such-host.invalid/"],
    ["nobody listens", "http://127.0.0.1:1/"],
    ["no route", "http://[100::1]:9/"],
  ])("%s", async (_, endpoint) => {
    const wire: Wire = { isSent: false };
    const reply = await post(endpoint, wire, 1500);
    expect(reply).toMatchObject({ kind: "unavailable", mayHaveHappened: false });
    expect(wire.isSent).toBe(false);
  });

  test("plain HTTP to a port that speaks TLS, and says so", async () => {
    const alert = Buffer.from([0x15, 0x03, 0x03, 0x00, 0x02, 0x02, 0x46]);
    const port = await portOf(createServer((socket) => socket.once("data", () => socket.end(alert))));
    expect(await post(`http://127.0.0.1:${port}/`)).toMatchObject({ kind: "unavailable", mayHaveHappened: false });
  });

  test("a try that ends while it connects", async () => {
    // It accepts connections, and its handshake never ends.
    const port = await portOf(createServer(() => undefined));
    const agent = defineAgent({
      name: "things",
      service: { setting: "ThingsEndpoints", local: "" },
      seen: () => ({}),
      results: { do: idAs("id") },
      operations: { do: () => ({ path: "things", body: {} }) },
      policies: { do: { atMostOnce: true, tries: 2, tryTimeoutMs: 100 } },
    });
    const endpoint = { url: `https://127.0.0.1:${port}/`, capacity: 4 };
    const routed = routeAgent(agent, [endpoint], { now: Date.now, firstPauseMs: 1 });
    const { job, results, idempotencyKey, compensates } = CALL;
    const request = { job, results, idempotencyKey, compensates };
    expect(await routed.call("do", request, bounds(new Date(Date.now() + 5000).toISOString()))).toEqual({
      ...{ kind: "expired", tries: 2 },
      lastError: { endpoint: endpoint.url, message: "no answer within 100 ms" },
    });
    const cut = await routed.call("do", request, bounds(new Date(Date.now() + 50).toISOString()));
    expect(cut).not.toHaveProperty("outcomeUnknown");
  });
});

test("RFC 9110 15.2: a 100 that nobody asked for is passed over, whole, in parts and often", async () => {
  for (const parts of [
    ["HTTP/1.1 100 Continue\r\n\r\n"],
    ["HTTP/1.1 100", " Continue\r\nx: y\r\n", "\r\nHTTP/1.1 100 Continue\r\n\r\n"],
  ]) {
    const port = await portOf(
      createServer(async (socket) => {
        await once(socket, "data");
        for (const part of [
          ...parts,
          'HTTP/1.1 201 Created\r\ncontent-type: application/json\r\ncontent-length: 12\r\n\r\n{"id":"x-1"}',
        ]) {
          socket.write(part);
          await sleep(20);
        }
      }),
    );
    expect(await post(`http://127.0.0.1:${port}/`)).toEqual({ kind: "done", result: { id: "x-1" } });
    server?.close();
  }
});

test.each([
  ["gzip", gzipSync],
  ["x-gzip", gzipSync],
  ["br", brotliCompressSync],
  ["deflate", deflateSync],
  ["deflate", deflateRawSync],
  ["zstd", zstdCompressSync],
  ["gzip, identity", gzipSync],
])("RFC 9110 8.4: an answer in %s is unpacked", async (coding, pack) => {
  const port = await portOf(
    createHttpServer((_, response) => {
      response.writeHead(201, { "content-type": "application/json", "content-encoding": coding });
      response.end(pack('{"id":"x-1"}'));
    }),
  );
  expect(await post(`http://127.0.0.1:${port}/`)).toEqual({ kind: "done", result: { id: "x-1" } });
});
