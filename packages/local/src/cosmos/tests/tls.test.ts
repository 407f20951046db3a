// TLS on the server's one port, for clients that insist on it; and how connections end.
import { execFile } from "node:child_process";
import { readFileSync } from "node:fs";
import { type ClientRequest, request as requestPlain } from "node:http";
import { Agent, request as requestSecure } from "node:https";
import { connect as dial } from "node:net";
import { join } from "node:path";
import { promisify } from "node:util";
import { CosmosClient, type CosmosClientOptions } from "@azure/cosmos";
import { afterAll, beforeAll, expect, test } from "vitest";
import { EMULATOR_KEY } from "../resources/signature.ts";
import { type RunningCosmos, startCosmos } from "../start.ts";
import { codeOf, ORDERS, type TemporaryServer, temporaryServer } from "./temporary-server.ts";

let at: TemporaryServer;
let tls: NonNullable<RunningCosmos["tls"]>;
let agent: Agent;
beforeAll(async () => {
  at = await temporaryServer({ tls: {} });
  tls = secured(at.server);
  agent = trusting(tls);
});
afterAll(async () => {
  agent.destroy();
  await at.stop();
});

function secured({ tls: running }: RunningCosmos): typeof tls {
  if (!running) throw new Error("TLS was asked for");
  return running;
}

function trusting({ certificateFile }: typeof tls): Agent {
  return new Agent({ ca: readFileSync(certificateFile), keepAlive: true });
}

function statusOf(request: ClientRequest): Promise<number | undefined> {
  return new Promise((resolve, reject) => {
    request.once("error", reject).once("response", (response) => {
      response.resume().once("end", () => resolve(response.statusCode));
    });
  });
}

function connect(options: Partial<CosmosClientOptions>): CosmosClient {
  return new CosmosClient({ endpoint: tls.endpoint, key: EMULATOR_KEY, ...options });
}

test("the SDK over TLS: documents, a batch and queries", async () => {
  const client = connect({ agent });
  const orders = client.database("test").container("orders");
  const text = "y".repeat(500_000);
  await orders.items.create({ id: "secured", orderId: "tls", text });
  const operations = [{ operationType: "Create" as const, resourceBody: { id: "second", orderId: "tls" } }];
  expect((await orders.items.batch(operations, "tls")).code).toBe(200);
  const { resources } = await orders.items.query("SELECT c.id FROM c ORDER BY c.id").fetchAll();
  expect(resources).toEqual([{ id: "second" }, { id: "secured" }]);
  const { resource } = await orders.item("secured", "tls").read<{ text: string }>();
  expect(resource?.text).toBe(text);
  // From this address the client takes all others.
  const { resource: account } = await client.getDatabaseAccount();
  expect(account?.writableLocations).toMatchObject([{ databaseAccountEndpoint: tls.endpoint }]);
  client.dispose();
});

test("a process that was told of the certificate by NODE_EXTRA_CA_CERTS", async () => {
  const script = `
    import { CosmosClient } from "@azure/cosmos";
    const client = new CosmosClient(process.argv[1]);
    const { resource } = await client.database("test").container("plain").items.upsert({ id: "child", pk: "child" });
    console.log(resource.id);
    client.dispose();`;
  const { stdout } = await promisify(execFile)(
    process.execPath,
    ["--input-type=module", "-e", script, tls.connectionString],
    { cwd: import.meta.dirname, env: { ...process.env, NODE_EXTRA_CA_CERTS: tls.certificateFile } },
  );
  expect(stdout.trim()).toBe("child");
});

test("who does not ask for TLS is served on the same port as before", async () => {
  await at.plain.items.create({ id: "plain", pk: "plain" });
  const { resource: account } = await at.client.getDatabaseAccount();
  expect(account?.writableLocations).toMatchObject([{ databaseAccountEndpoint: at.server.endpoint }]);
  expect(new URL(tls.endpoint).port).toBe(new URL(at.server.endpoint).port);
});

test.each(["http", "https"])("a connection that begins with a large request over %s is read in order", async (how) => {
  const options = { method: "POST", path: "/dbs", port: at.server.port, host: "localhost", agent: false as const };
  const ca = readFileSync(tls.certificateFile);
  const request = how === "http" ? requestPlain(options) : requestSecure({ ...options, ca });
  request.end(Buffer.alloc(3_000_000, " "));
  expect(await statusOf(request)).toBe(401);
});

test("a handshake that fails, or that nobody trusts, ends its own connection alone", async () => {
  const socket = dial(at.server.port, "127.0.0.1");
  socket.on("error", () => {});
  socket.resume();
  socket.write(Buffer.from("160301000501000001ff", "hex"));
  await new Promise((resolve) => socket.once("close", resolve));
  const distrustful = connect({ connectionPolicy: { retryOptions: { maxRetryAttemptCount: 0 } } });
  expect(await codeOf(distrustful.getDatabaseAccount())).toBe("DEPTH_ZERO_SELF_SIGNED_CERT");
  distrustful.dispose();
  await at.plain.items.create({ id: "still here", pk: "plain" });
});

test("a resource token is refused by name", async () => {
  const client = new CosmosClient({ endpoint: at.server.endpoint, resourceTokens: { plain: "type=resource&ver=1.0" } });
  await expect(client.database("test").container("plain").read()).rejects.toMatchObject({
    code: 401,
    message: expect.stringContaining("Resource tokens are not supported by this server"),
  });
  client.dispose();
});

test("an Entra token, which clients send over TLS alone, is refused by name", async () => {
  const getToken = async () => ({ token: "none", expiresOnTimestamp: Date.now() + 3_600_000 });
  const client = new CosmosClient({ endpoint: tls.endpoint, aadCredentials: { getToken }, agent });
  const reading = client.database("test").container("plain").item("plain", "plain").read();
  await expect(reading).rejects.toMatchObject({
    code: 401,
    message: expect.stringContaining("Entra tokens are not supported by this server"),
  });
  client.dispose();
});

test.each(["http", "https"])("a request over %s that is being sent when the server leaves is answered", async (how) => {
  const data = join(at.data, how);
  const server = await startCosmos({ port: 0, data, tls: {}, resources: { database: "test", containers: [ORDERS] } });
  const own = trusting(secured(server));
  const { port } = server;
  const idle = dial(port, "127.0.0.1").on("error", () => {});
  const options = {
    method: "POST",
    path: "/dbs",
    port,
    host: "localhost",
    headers: { "content-length": 2, expect: "100-continue" },
  };
  const request = how === "http" ? requestPlain(options) : requestSecure({ ...options, agent: own });
  const answered = statusOf(request);
  request.flushHeaders();
  await new Promise((resolve) => request.once("continue", resolve));
  const closed = server.close();
  const late = dial(port, "127.0.0.1");
  expect(await new Promise((resolve) => late.once("error", resolve))).toMatchObject({ code: "ECONNREFUSED" });
  request.end("{}");
  expect(await answered).toBe(401);
  await closed;
  idle.destroy();
  own.destroy();
});

test("a client that stops in the middle of a request does not hold the server up", async () => {
  const server = await startCosmos({ port: 0, data: join(at.data, "held"), tls: {} });
  const headers = { "content-length": 2, expect: "100-continue" };
  const request = requestPlain({ method: "POST", path: "/dbs", port: server.port, host: "127.0.0.1", headers });
  const broken = new Promise((resolve) => request.once("error", resolve));
  request.flushHeaders();
  await new Promise((resolve) => request.once("continue", resolve));
  await server.close();
  expect(await broken).toMatchObject({ code: "ECONNRESET" });
});
