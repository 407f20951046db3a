// What a simulated service does later, and reports to the address that it was given.
import { once } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { json } from "node:stream/consumers";
import { afterEach, beforeEach, expect, test } from "vitest";
import type { RemoteService } from "./definition.ts";
import { FAULT_HEADERS } from "./fault-key.ts";
import { type RunningRemotes, startRemotes } from "./start.ts";

const SERVICES: RemoteService[] = [
  {
    name: "hotels",
    resources: [
      {
        path: "/bookings",
        idPrefix: "ho",
        actions: [{ name: "cancel", status: "cancelled" }],
        later: { reportTo: "reportTo", afterMs: 20, result: "bookingId" },
        returns: { floor: 4 },
      },
    ],
  },
];

let data: string;
let remotes: RunningRemotes;
let hotels: string;
let reported: { path: string; body: unknown }[];
let statuses: number[];
let listener: Server;
let address: string;

beforeEach(async () => {
  reported = [];
  statuses = [];
  listener = createServer(async (request, response) => {
    reported.push({ path: request.url ?? "", body: await json(request) });
    response.writeHead(statuses.shift() ?? 200).end();
  }).listen(0, "127.0.0.1");
  await once(listener, "listening");
  address = `http://127.0.0.1:${(listener.address() as AddressInfo).port}`;
  data = await mkdtemp(join(tmpdir(), "remotes-"));
  await start();
});

afterEach(async () => {
  await remotes.close();
  await rm(data, { recursive: true });
  listener.close();
});

async function start(): Promise<void> {
  remotes = await startRemotes({ services: SERVICES, data });
  hotels = remotes.services[0]?.url ?? "";
}

async function call(path: string, body: object, key: string) {
  const headers = { ...FAULT_HEADERS, "Idempotency-Key": key };
  const response = await fetch(`${hotels}${path}`, { method: "POST", headers, body: JSON.stringify(body) });
  return { status: response.status, body: (await response.json()) as { readonly id: string } };
}

const book = (key: string, reportTo?: string) => call("/bookings", { reportTo }, key);

test("is accepted, and reported to the address that the request named, once for each key", async () => {
  const accepted = await book("k", `${address}/a`);
  expect(accepted).toMatchObject({ status: 202, body: { status: "accepted" } });
  expect(await book("k", `${address}/a`)).toMatchObject({ status: 202, body: accepted.body });
  await expect.poll(() => reported.length).toBe(1);
  expect(reported[0]).toEqual({
    path: "/a",
    body: { kind: "done", result: { bookingId: accepted.body.id, floor: 4 } },
  });
});

test("is done at once where no address is named", async () => {
  const made = await book("k");
  expect(made).toMatchObject({ status: 201, body: { status: "created", floor: 4 } });
  const asked = await fetch(`${hotels}/bookings/${made.body.id}`);
  expect(await asked.json()).toEqual({ id: made.body.id, floor: 4 });
});

test("is reported again until somebody takes it, by the next process too", async () => {
  statuses = [503, 503];
  await book("k", `${address}/a`);
  await expect.poll(() => reported.length).toBe(1);
  await remotes.close();
  await start();
  await expect.poll(() => reported.length).toBe(3);
});

test("is not reported once it is taken back, and later where a fault says so", async () => {
  await call(`/$faults`, { kind: "late", delayMs: 60_000, calls: 1 }, "f");
  const { body } = await book("k", `${address}/a`);
  await call(`/bookings/${body.id}/cancel`, {}, "u");
  await book("k2", `${address}/b`);
  await expect.poll(() => reported.map(({ path }) => path)).toEqual(["/b"]);
});
