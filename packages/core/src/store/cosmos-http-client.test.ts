// The store's HTTP client over real sockets, beside the SDK's own client: the same expectations hold for both.

import { once } from "node:events";
import { createServer, type Server, type Socket } from "node:net";
import { buffer } from "node:stream/consumers";
import { gunzipSync, gzipSync } from "node:zlib";
import {
  createDefaultHttpClient,
  createHttpHeaders,
  createPipelineRequest,
  type HttpClient,
  type PipelineRequest,
  RestError,
} from "@azure/core-rest-pipeline";
import { CosmosClient } from "@azure/cosmos";
import { afterEach, describe, expect, test, vi } from "vitest";
import { createCosmosHttpClient } from "./cosmos-http-client.ts";

const clients: Record<string, () => HttpClient> = {
  "the SDK's": createDefaultHttpClient,
  "the store's": createCosmosHttpClient,
};

const begun: { readonly server: Server; readonly sockets: Socket[] }[] = [];
afterEach(() => {
  for (const { server, sockets } of begun.splice(0)) {
    for (const socket of sockets) socket.destroy();
    server.close();
  }
});

interface Peer {
  readonly url: string;
  readonly sockets: readonly Socket[];
  /** Each request's bytes, as they came. */
  readonly requests: string[];
}

/** A server that does that with each request which has arrived. */
async function peer(answer: (socket: Socket, requests: number) => void): Promise<Peer> {
  const requests: string[] = [];
  const sockets: Socket[] = [];
  const server = createServer((socket) => {
    sockets.push(socket);
    socket.on("error", () => {});
    socket.on("data", (data) => {
      requests.push(data.toString("latin1"));
      answer(socket, requests.length);
    });
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  begun.push({ server, sockets });
  const address = server.address();
  return { url: `http://127.0.0.1:${typeof address === "object" ? address?.port : ""}/dbs/a?b=c`, sockets, requests };
}

async function unusedUrl(): Promise<string> {
  const { url } = await peer(() => {});
  const { server } = begun.at(-1) as (typeof begun)[number];
  server.close();
  await once(server, "close");
  return url;
}

function post(url: string, more: Partial<PipelineRequest> = {}): PipelineRequest {
  return createPipelineRequest({ url, method: "POST", body: '{"é":1}', allowInsecureConnection: true, ...more });
}

/** What the retries look at: the error's class, its code and, of an abort, its name. */
async function failure(sent: Promise<unknown>): Promise<object> {
  const cause = await sent.then(
    (response) => Promise.reject(new Error(`it was answered: ${JSON.stringify(response)}`)),
    (error: Error & { readonly code?: string }) => error,
  );
  const { name, code } = cause;
  return { name, code, isRestError: cause instanceof RestError, isTypeError: cause instanceof TypeError };
}

const restError = (code: string) => ({ name: "RestError", code, isRestError: true, isTypeError: false });
const abortError = { name: "AbortError", code: undefined, isRestError: false, isTypeError: false };
const typeError = (code: unknown) => ({ name: "TypeError", code, isRestError: false, isTypeError: true });

const BEGINNING = 'HTTP/1.1 200 OK\r\ncontent-length: 100\r\n\r\n{"a":';
const CHUNKED = "HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n5\r\nhello\r\n";
const ANSWER = "HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nok";

/** Once the client has read what was written. */
function afterWriting(socket: Socket, text: string, then: () => void): void {
  socket.write(text, () => setTimeout(then, 20));
}

describe.each(Object.keys(clients))("%s client", (which) => {
  const client = (clients[which] as () => HttpClient)();

  test("a refused connection", async () => {
    expect(await failure(client.sendRequest(post(await unusedUrl())))).toEqual(restError("ECONNREFUSED"));
  });

  test("a name that is not found", async () => {
    const sent = client.sendRequest(post("http://no-such-account.invalid/"));
    expect(await failure(sent)).toMatchObject({
      ...restError(""),
      code: expect.stringMatching(/^(ENOTFOUND|EAI_AGAIN)$/),
    });
  });

  test.each<[string, string, (socket: Socket) => void]>([
    ["closed before the answer", "ECONNRESET", (socket) => socket.end()],
    ["reset before the answer", "ECONNRESET", (socket) => socket.resetAndDestroy()],
    ["closed within the body", "PARSE_ERROR", (socket) => afterWriting(socket, BEGINNING, () => socket.end())],
    [
      "reset within the body",
      "PARSE_ERROR",
      (socket) => afterWriting(socket, BEGINNING, () => socket.resetAndDestroy()),
    ],
    ["closed within a chunked body", "PARSE_ERROR", (socket) => afterWriting(socket, CHUNKED, () => socket.end())],
    ["answered with what is not HTTP", "HPE_INVALID_CONSTANT", (socket) => socket.end("hello\r\n\r\n")],
    [
      "answered with too long headers",
      "HPE_HEADER_OVERFLOW",
      (socket) => socket.end(`HTTP/1.1 200 OK\r\nx-long: ${"y".repeat(40_000)}\r\n\r\n`),
    ],
  ])("a connection %s: %s, and nothing is sent again", async (_, code, answer) => {
    const { url, sockets, requests } = await peer(answer);
    expect(await failure(client.sendRequest(post(url)))).toEqual(restError(code));
    expect({ requests: requests.length, connections: sockets.length }).toEqual({ requests: 1, connections: 1 });
  });

  test("an abort before it begins: nothing is sent", async () => {
    const { url, sockets } = await peer(() => {});
    expect(await failure(client.sendRequest(post(url, { abortSignal: AbortSignal.abort() })))).toEqual(abortError);
    expect(sockets).toHaveLength(0);
  });

  test("an abort before there is a connection: nothing is sent", async () => {
    const { url, requests } = await peer((socket) => socket.end(ANSWER));
    const controller = new AbortController();
    const sent = failure(client.sendRequest(post(url, { abortSignal: controller.signal })));
    controller.abort();
    expect(await sent).toEqual(abortError);
    await new Promise((resolve) => setTimeout(resolve, 50));
    expect(requests).toHaveLength(0);
  });

  test("an abort before the answer ends the connection", async () => {
    const controller = new AbortController();
    const { url, sockets } = await peer(() => controller.abort());
    expect(await failure(client.sendRequest(post(url, { abortSignal: controller.signal })))).toEqual(abortError);
    await vi.waitFor(() => expect(sockets[0]?.destroyed).toBe(true));
  });

  test("an abort within the body", async () => {
    const controller = new AbortController();
    const { url, sockets } = await peer((socket) => afterWriting(socket, BEGINNING, () => controller.abort()));
    const sent = client.sendRequest(post(url, { abortSignal: controller.signal }));
    expect(await failure(sent)).toEqual(restError("PARSE_ERROR"));
    await vi.waitFor(() => expect(sockets[0]?.destroyed).toBe(true));
  });

  test("a timeout of the request's own", async () => {
    const { url } = await peer(() => {});
    expect(await failure(client.sendRequest(post(url, { timeout: 30 })))).toEqual(abortError);
  });

  test("what cannot be sent is a TypeError, which the store does not repeat", async () => {
    const headers = createHttpHeaders({ "x-ms-name": "Жук" });
    const sent = client.sendRequest(post("http://127.0.0.1:1/", { headers }));
    expect(await failure(sent)).toMatchObject({
      ...typeError(undefined),
      code: expect.toBeOneOf([undefined, "ERR_INVALID_CHAR"]),
    });
    expect(await failure(client.sendRequest(post("https://no address")))).toEqual(typeError("ERR_INVALID_URL"));
    const insecure = client.sendRequest(post("http://127.0.0.1:1/", { allowInsecureConnection: false }));
    await expect(insecure).rejects.toThrow("allowInsecureConnection is false");
  });

  test("an answer: status, headers, a text of several chunks", async () => {
    const { url } = await peer((socket) => {
      const [first, second] = [Buffer.from("é").subarray(0, 1), Buffer.from("é").subarray(1)];
      socket.write(
        "HTTP/1.1 412 No\r\nETag: a\r\nx-ms-a: 1\r\nX-Ms-A: 2\r\nx-ms-none:\r\ntransfer-encoding: chunked\r\n\r\n",
      );
      for (const part of [first, second])
        socket.write(Buffer.concat([Buffer.from("1\r\n"), part, Buffer.from("\r\n")]));
      socket.write("0\r\n\r\n");
    });
    const request = post(url);
    const response = await client.sendRequest(request);
    expect(response).toMatchObject({ status: 412, bodyAsText: "é", request });
    expect(response.headers.get("ETAG")).toBe("a");
    expect(response.headers.toJSON()).toEqual({ etag: "a", "x-ms-a": "1, 2", "transfer-encoding": "chunked" });
  });

  test.each([
    ["a 204", "HTTP/1.1 204 No Content\r\n\r\n", 204, ""],
    ["a body that ends with the connection", "HTTP/1.1 200 OK\r\n\r\nhello", 200, "hello"],
  ])("%s", async (_, answer, status, bodyAsText) => {
    const { url } = await peer((socket) => socket.end(answer));
    expect(await client.sendRequest(post(url))).toMatchObject({ status, bodyAsText });
  });

  test.each([
    ["a text", '{"é":1}'],
    ["bytes", Buffer.from("bytes")],
  ])("what is sent: %s", async (_, body) => {
    const { url, requests } = await peer((socket) => socket.end(ANSWER));
    const headers = createHttpHeaders({ "X-Ms-Date": "today", "content-type": "application/json" });
    await client.sendRequest(post(url, { body, headers }));
    const [head = "", sent] = (requests[0] ?? "").split("\r\n\r\n");
    expect(head).toMatch(/^POST \/dbs\/a\?b=c HTTP\/1\.1\r\n/);
    expect(head.toLowerCase().split("\r\n").slice(1).sort()).toEqual([
      "connection: keep-alive",
      `content-length: ${Buffer.byteLength(body)}`,
      "content-type: application/json",
      `host: ${new URL(url).host}`,
      "x-ms-date: today",
    ]);
    expect(sent).toBe(Buffer.from(body).toString("latin1"));
  });

  test("connections are kept: requests that follow one another take two at most", async () => {
    const { url, sockets, requests } = await peer((socket) => socket.write(ANSWER));
    for (let at = 0; at < 20; at++) await client.sendRequest(post(url));
    expect(requests).toHaveLength(20);
    expect(sockets.length).toBeLessThanOrEqual(2);
  });

  test("each connection has one request at a time", async () => {
    const { url, sockets } = await peer((socket) => setTimeout(() => socket.write(ANSWER), 20));
    await Promise.all([1, 2, 3].map(() => client.sendRequest(post(url))));
    expect(sockets).toHaveLength(3);
  });

  test("an idle connection that the server closed is not used again", async () => {
    const { url, sockets, requests } = await peer((socket) => afterWriting(socket, ANSWER, () => socket.end()));
    await client.sendRequest(post(url));
    await vi.waitFor(() => expect(sockets[0]?.destroyed).toBe(true));
    expect(await client.sendRequest(post(url))).toMatchObject({ bodyAsText: "ok" });
    expect({ requests: requests.length, connections: sockets.length }).toEqual({ requests: 2, connections: 2 });
  });

  test("a kept connection that is closed in place of an answer: nothing is sent again", async () => {
    const { url, sockets, requests } = await peer((socket, count) =>
      count === 1 ? socket.write(ANSWER) : socket.end(),
    );
    await client.sendRequest(post(url));
    await new Promise((resolve) => setTimeout(resolve, 20));
    expect(await failure(client.sendRequest(post(url)))).toEqual(restError("ECONNRESET"));
    expect({ requests: requests.length, connections: sockets.length }).toEqual({ requests: 2, connections: 1 });
  });

  test("what the SDK does not ask of it: an answer as a stream, and one that is compressed", async () => {
    const { url } = await peer((socket) => {
      const packed = gzipSync("unpacked");
      socket.write(`HTTP/1.1 200 OK\r\ncontent-encoding: gzip\r\ncontent-length: ${packed.length}\r\n\r\n`);
      socket.write(packed);
    });
    const headers = createHttpHeaders({ "accept-encoding": "gzip" });
    expect(await client.sendRequest(post(url, { headers }))).toMatchObject({ bodyAsText: "unpacked" });
    const { readableStreamBody } = await client.sendRequest(post(url, { streamResponseStatusCodes: new Set([200]) }));
    expect(gunzipSync(await buffer(readableStreamBody as NodeJS.ReadableStream)).toString()).toBe("unpacked");
  });

  test.each<[string, object, (socket: Socket) => void]>([
    ["no answer in time", { code: "TimeoutError" }, () => {}],
    ["a connection that is closed", { code: "ECONNRESET" }, (socket) => socket.end()],
    [
      "an answer that breaks off",
      { code: "PARSE_ERROR" },
      (socket) => afterWriting(socket, BEGINNING, () => socket.end()),
    ],
    ["an error with a body", { code: 412, substatus: 7 }, (socket) => socket.write(jsonAnswer(412, { message: "No" }))],
  ])("under the SDK, a write comes once: %s", async (_, expected, answer) => {
    const { url, requests } = await peer((socket, count) => {
      if (requests[count - 1]?.startsWith("GET / ")) socket.write(jsonAnswer(200, accountAt(url)));
      else answer(socket);
    });
    const connectionPolicy = { requestTimeout: 200, enableEndpointDiscovery: false };
    const endpoint = new URL("/", url).href;
    const cosmos = new CosmosClient({ endpoint, key: "a2V5", httpClient: client, connectionPolicy });
    try {
      const writing = cosmos
        .database("d")
        .container("c")
        .item("state", "job")
        .patch([{ op: "set", path: "/a", value: 1 }]);
      await expect(writing).rejects.toMatchObject(expected);
      expect(requests.filter((request) => request.startsWith("PATCH "))).toHaveLength(1);
    } finally {
      cosmos.dispose();
    }
  });
});

function jsonAnswer(status: number, body: object): string {
  const text = JSON.stringify(body);
  return `HTTP/1.1 ${status} As-Said\r\nx-ms-substatus: 7\r\ncontent-length: ${text.length}\r\n\r\n${text}`;
}

function accountAt(url: string): object {
  const locations = [{ name: "here", databaseAccountEndpoint: new URL("/", url).href }];
  const consistency = { userConsistencyPolicy: { defaultConsistencyLevel: "Session" } };
  return { _self: "", id: "local", writableLocations: locations, readableLocations: locations, ...consistency };
}
