// The check of services, over HTTP: a good service, and each fault that it has to see, by the agent's own operations, credential and reading.
import { randomUUID } from "node:crypto";
import { once } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import { defineAgent, idAs, statusAs, whatToCompensate } from "@scheduler-agent-supervisor/core/agents";
import { defineApp, defineContract, type Job, jobId, jobMembers } from "@scheduler-agent-supervisor/core/app";
import { NO_RULES, workflowsOf } from "@scheduler-agent-supervisor/core/workflows";
import { afterEach, expect, test } from "vitest";
import { z } from "zod";
import { checkService } from "./check-service.ts";

interface Stay extends Job {
  readonly jobId: string;
  readonly guest: string;
}

const contract = defineContract<Stay>({
  schema: z.strictObject({ ...jobMembers("stay"), jobId, guest: z.string() }),
  secrets: ["guest"],
  keys: [],
  keysOf: () => ({}),
});

const roomsAgent = (policy: "keys" | "find" | "atMostOnce") =>
  defineAgent({
    name: "rooms",
    service: { setting: "RoomsEndpoints", local: "http://127.0.0.1:7199" },
    seen: ({ jobId: id, guest }: Stay) => ({ id, guest }),
    answers: [
      { status: 409, code: "in-progress", means: "later" },
      { status: 409, means: "rejected" },
      { status: 422, means: "rejected" },
    ],
    results: { book: idAs("roomId"), cancel: statusAs("status") },
    operations: {
      book: ({ job, idempotencyKey }) => ({ path: "rooms", body: { ...job, reference: idempotencyKey } }),
      cancel: (call) => ({ path: `rooms/${whatToCompensate(call, "roomId")}/cancel`, body: {} }),
    },
    policies: {
      ...(policy === "atMostOnce" && { book: { atMostOnce: true } }),
      ...(policy === "find" && {
        book: {
          find: {
            settlesWithinMs: 10,
            ask: (call) => ({
              path: `rooms?reference=${encodeURIComponent(call.idempotencyKey)}`,
              keep: ({ items }) => {
                const [first] = items as { readonly id: string }[];
                return first ? { roomId: first.id } : null;
              },
            }),
          },
        },
      }),
    },
  });

function businessWith(policy: "keys" | "find" | "atMostOnce") {
  const agents = [roomsAgent(policy)] as const;
  const stay = workflowsOf(
    agents,
    NO_RULES,
  )({
    name: "stay",
    version: 1,
    policy: { failureThreshold: 3, waits: [], onExhausted: "fail", onRejected: "fail" },
    steps: [
      {
        name: "bookRoom",
        agent: "rooms",
        operation: "book",
        after: [],
        completeWithin: "PT10S",
        compensation: { operation: "cancel", completeWithin: "PT10S" },
      },
    ],
  });
  return { contracts: { usual: contract, usualWorkflow: "stay", of: {} }, agents, workflows: [stay] } as const;
}

/** A service of rooms, and what is wrong with it. */
interface Faults {
  /** It knows no keys. */
  readonly forgetsKeys?: boolean;
  /** It looks for the key, and keeps it only some time later. */
  readonly keepsKeysLate?: boolean;
  /** It knows the key of what was cancelled no more. */
  readonly takesLateOriginals?: boolean;
  readonly ignoresEarlyCancellations?: boolean;
  readonly rejectsRepeats?: boolean;
  /** Its query finds nothing. */
  readonly findsNothing?: boolean;
  readonly hasList?: boolean;
}

const opened: AsyncDisposable[] = [];
afterEach(async () => {
  for (const one of opened.splice(0)) await one[Symbol.asyncDispose]();
});

async function startRooms(faults: Faults = {}) {
  const rooms = new Map<string, { readonly id: string; readonly reference: string; isCancelled: boolean }>();
  const answers = new Map<string, object>();
  const cancelledKeys = new Set<string>();
  const effects: object[] = [];
  const asked: { readonly headers: IncomingMessage["headers"]; readonly text: string }[] = [];
  const answer = async (request: IncomingMessage): Promise<[number, object]> => {
    const text = await textOf(request);
    const url = new URL(request.url ?? "/", "http://rooms");
    if (url.pathname === "/$effects") return faults.hasList ? [200, { effects }] : [404, {}];
    asked.push({ headers: request.headers, text });
    if (request.headers["x-key"] !== "k-1234567") return [401, { message: "no key" }];
    if (request.method === "GET") {
      const found = [...rooms.values()].filter(({ reference }) => reference === url.searchParams.get("reference"));
      return [200, { items: faults.findsNothing ? [] : found }];
    }
    const key = String(request.headers["idempotency-key"]);
    const [, , id, action] = url.pathname.split("/");
    const known = answers.get(key);
    if (known && faults.rejectsRepeats) return [409, { code: "duplicate", message: "it was booked before" }];
    if (known && !faults.forgetsKeys) return [200, known];
    if (action === "cancel") {
      const named = decodeURIComponent(id ?? "");
      const room = rooms.get(named);
      if (room) {
        room.isCancelled = true;
        if (faults.takesLateOriginals) answers.delete(room.reference);
      } else if (!faults.ignoresEarlyCancellations) cancelledKeys.add(named.replace("key:", ""));
      const done = { status: room ? "cancelled" : "nothing-to-cancel" };
      if (room) effects.push({ key, id });
      answers.set(key, done);
      return [200, done];
    }
    if (cancelledKeys.has(key)) return [409, { code: "cancelled", message: "it was cancelled before" }];
    const made = { id: `room-${randomUUID()}`, reference: key, isCancelled: false };
    if (faults.keepsKeysLate) await sleep(50);
    rooms.set(made.id, made);
    effects.push({ key, id: made.id });
    answers.set(key, made);
    return [201, made];
  };
  const server = createServer((request, response: ServerResponse) => {
    void answer(request).then(([status, body]) => {
      response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(body));
    });
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  opened.push({
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      server.close();
      await once(server, "close");
    },
  });
  const { port } = server.address() as AddressInfo;
  return { url: `http://127.0.0.1:${port}/`, asked, rooms };
}

async function textOf(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of request as AsyncIterable<Buffer>) chunks.push(chunk);
  return Buffer.concat(chunks).toString();
}

async function checked(faults: Faults, policy: "keys" | "find" | "atMostOnce" = "keys") {
  const service = await startRooms(faults);
  const reports = await checkService({
    business: defineApp(businessWith(policy)),
    agent: "rooms",
    endpoints: {
      rooms: {
        url: service.url,
        capacity: 8,
        authentication: { kind: "header", header: "x-key", setting: "RoomsKey" },
      },
    },
    authenticators: {
      settingOf: (name) => (name === "RoomsKey" ? "k-1234567" : undefined),
      identity: { getToken: async () => null },
    },
    contents: [{ guest: "Ada Lovelace" }],
    lateAfterMs: 0,
  });
  const [book, cancel] = reports;
  if (!book || !cancel) throw new Error("an operation was not checked");
  return { ...service, book, cancel };
}

const ALL_HOLD = {
  repeated: "holds",
  concurrent: "holds",
  late: "holds",
  afterCompensation: "holds",
  compensatedFirst: "holds",
};

test.each([true, false])("P34 a good service holds every check, with a list of its effects: %s", async (hasList) => {
  const { book, cancel, asked, rooms } = await checked({ hasList });
  expect(book.verdicts).toEqual(ALL_HOLD);
  expect([...book.faults, ...cancel.faults]).toEqual([]);
  // Without a list nobody can say whether a cancellation was done twice: its answers are equal either way.
  const cancelled = hasList ? "holds" : "notSeen";
  expect(cancel.verdicts).toEqual({ repeated: cancelled, concurrent: cancelled, late: cancelled });
  expect(new Set(asked.map(({ headers }) => headers["x-key"]))).toEqual(new Set(["k-1234567"]));
  // What is made for the check of a request does not stay.
  const left = [...rooms.values()].filter(({ isCancelled }) => !isCancelled);
  expect(left).toEqual([]);
});

test.each([true, false])(
  "P34 a service that knows no keys is seen, with a list of its effects: %s",
  async (hasList) => {
    const { book } = await checked({ forgetsKeys: true, hasList });
    expect(book.verdicts).toMatchObject({
      repeated: "fails",
      concurrent: "fails",
      late: "fails",
      afterCompensation: "fails",
    });
    expect(book.faults).toEqual([expect.stringContaining("Declare atMostOnce or find in its policy")]);
    const { book: declared } = await checked({ forgetsKeys: true, hasList }, "atMostOnce");
    expect(declared.faults).toEqual([]);
  },
);

test("P34 a service that keeps its keys too late has two effects of two requests at once", async () => {
  const { book } = await checked({ keepsKeysLate: true });
  expect(book.verdicts).toEqual({ ...ALL_HOLD, concurrent: "fails" });
  expect(book.faults).toHaveLength(1);
});

test.each([true, false])(
  "P34 a late original that is accepted is seen, with a list of effects: %s",
  async (hasList) => {
    const { book } = await checked({ takesLateOriginals: true, hasList });
    expect(book.verdicts).toEqual({ ...ALL_HOLD, afterCompensation: "fails" });
    expect(book.faults).toEqual([expect.stringContaining("requested again after its compensation, it is done anew")]);
  },
);

test("P34 a compensation that is ignored because it came before its request is seen", async () => {
  const { book } = await checked({ ignoresEarlyCancellations: true });
  expect(book.verdicts).toEqual({ ...ALL_HOLD, compensatedFirst: "fails" });
});

test("P34 a repeat that is rejected is no success for the agent", async () => {
  const { book } = await checked({ rejectsRepeats: true });
  expect(book.verdicts).toMatchObject({ repeated: "fails", late: "fails" });
  expect(book.cases[0]?.seen).toContain("it was booked before");
});

test("P34 a find that lies is seen, and one that says the truth makes up for missing keys", async () => {
  const { book } = await checked({ forgetsKeys: true }, "find");
  expect(book.verdicts).toMatchObject({ repeated: "fails", found: "holds" });
  expect(book.faults).toEqual([]);
  const { book: lied } = await checked({ forgetsKeys: true, findsNothing: true }, "find");
  expect(lied.verdicts).toMatchObject({ found: "fails" });
  expect(lied.faults).toEqual([expect.stringContaining("its find does not say what was done")]);
});

test("P34 what could not be asked is not checked, and says why; no answer shows the content's secrets", async () => {
  const business = defineApp(businessWith("keys"));
  const options = { business, agent: "rooms", contents: [{ guest: "Ada Lovelace" }], lateAfterMs: 0 };
  const away = { url: "http://127.0.0.1:1/", capacity: 1 };
  const [book, cancel] = await checkService({ ...options, endpoints: { rooms: away } });
  expect(book).toMatchObject({ cases: [], notChecked: expect.stringContaining("ECONNREFUSED") });
  expect(cancel?.notChecked).toContain("book, which it compensates");
  const wrong = checkService({ ...options, endpoints: {}, operations: ["bok"], contents: [{ gest: "Ada" }] });
  await expect(wrong).rejects.toThrow(/RoomsEndpoints[\s\S]*no operation bok: it has book, cancel[\s\S]*guest/);
});

test("P34 at start a service that failed its check has to be declared atMostOnce or find", () => {
  const failed = { at: "2026-11-26", operations: { book: { repeated: "fails", found: "fails" } } } as const;
  const loaded = (policy: "keys" | "find" | "atMostOnce", rooms: object = failed) => {
    const checkedServices = { rooms } as never;
    return defineApp({ ...businessWith(policy), checkedServices }).loadWorkflows();
  };
  expect(() => loaded("keys")).toThrow(/agent rooms, operation book: .*Declare atMostOnce or find/);
  expect(() => loaded("find")).toThrow(/its find does not say what was done/);
  expect(() => loaded("atMostOnce")).not.toThrow();
  expect(() => loaded("keys", { at: "", operations: { bok: {} } })).toThrow(/operation bok, which rooms does not have/);
  const strange = { flats: { at: "", operations: {} } } as never;
  const unknown = defineApp({ ...businessWith("keys"), checkedServices: strange });
  expect(() => unknown.loadWorkflows()).toThrow(/agent flats.*there are rooms/);
});
