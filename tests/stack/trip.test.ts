// The trip through the whole stack: a hotel that confirms later, flights without keys, a car that may be missing, a person who has to agree.

import { contentDigest } from "@scheduler-agent-supervisor/core/agents";
import { hasEnded, type StateRecord } from "@scheduler-agent-supervisor/core/domain";
import type { Workflow } from "@scheduler-agent-supervisor/core/workflows";
import type { ServiceFault } from "@scheduler-agent-supervisor/testing";
import { afterAll, beforeAll, expect, test } from "vitest";
import { USUAL_WORKFLOW } from "../../shared/contracts/order.ts";
import { type AdaptedApp, adaptApp } from "../support/adapted-app.ts";
import { madeOrder } from "../support/made-order.ts";
import { CHAIN, HASTY_TRIP } from "../support/orders.ts";
import { startTestStack, type TestStack } from "../support/test-stack.ts";

let adapted: AdaptedApp;
let app: TestStack;

beforeAll(async () => {
  adapted = adaptApp([HASTY_TRIP, BY_LINE]);
  app = await startTestStack({ appDir: adapted.dir });
});
afterAll(async () => {
  await app?.[Symbol.asyncDispose]();
  adapted?.[Symbol.dispose]();
});

/** Each line is reserved by itself, and shipped with the others. */
const BY_LINE: Workflow = {
  ...CHAIN,
  name: "by-line",
  policy: { ...CHAIN.policy, onRejected: "compensate" },
  outputs: {},
  steps: CHAIN.steps.map((step) => (step.name === "reserveStock" ? { ...step, forEach: "lines" } : step)),
};

const LATER_MS = 600_000;
/** For a slow machine: none waits for so long. */
const WITHIN_MS = 60_000;
const LIMIT_MS = 90_000;
const ended = ({ processState }: StateRecord) => hasEnded(processState);
const isAwaiting = ({ steps }: StateRecord) => steps["bookHotel"]?.state === "Awaiting";

type Fault = { readonly service: string } & ServiceFault;

async function book(orderId: string, faults: readonly Fault[] = [], unitPrice = 20_000, workflow = "trip") {
  for (const { service, ...fault } of faults) await app.switchOn(service, { match: { orderId }, ...fault });
  const order = { ...madeOrder(orderId), workflow, lines: [{ sku: "TRIP", quantity: 1, unitPrice }] };
  await app.shop.send(order);
  return order;
}

const stateOf = ({ steps }: StateRecord) =>
  Object.fromEntries(Object.entries(steps).map(([name, { state }]) => [name, state]));

/** What a service did for an order, in order. */
async function did(service: string, orderId: string) {
  const response = await fetch(`${app.stack.addresses.remotes[service]}/$effects?orderId=${orderId}`);
  return ((await response.json()) as { effects: { action: string; body: { reportTo?: string } }[] }).effects;
}

const actions = async (service: string, orderId: string) => (await did(service, orderId)).map(({ action }) => action);

const outputsOf = (orderId: string) =>
  app.statuses(orderId).findLast(({ subject }) => subject === "Completed")?.body.outputs;

async function report(orderId: string, body: object, change = (url: string) => url) {
  const [booking] = await did("hotel", orderId);
  const headers = { "content-type": "application/json" };
  const to = change(booking?.body.reportTo ?? "");
  const { status } = await fetch(to, { method: "POST", headers, body: JSON.stringify(body) });
  return status;
}

test.concurrent(
  "P23 P25 all well: hotel, flight and car are booked, and the traveller gets the codes",
  async () => {
    await book("trip-1");
    const record = await app.eventually("trip-1", ended, WITHIN_MS);
    expect(record).toMatchObject({ processState: "Processed", attempt: 1 });
    expect(stateOf(record)).toMatchObject({ approveTrip: "Skipped", bookHotel: "Completed", rentCar: "Completed" });
    await expect
      .poll(() => outputsOf("trip-1"), { timeout: WITHIN_MS })
      .toEqual({
        hotel: expect.stringMatching(/^hotel-/),
        flight: expect.stringMatching(/^flight-/),
        car: expect.stringMatching(/^car-/),
      });
    expect(await actions("payment", "trip-1")).toEqual(["create", "capture"]);
  },
  LIMIT_MS,
);

test.concurrent(
  "P21 the hotel is slow and the flight away: the flight alone is retried, at once, while the hotel is awaited",
  async () => {
    // Until its attempt has expired, however late the machine begins it.
    const flightIsBack = await app.switchOn("flight", { match: { orderId: "trip-2" }, kind: "down" });
    await book("trip-2", [{ service: "hotel", kind: "late", delayMs: LATER_MS }]);
    await app.eventually("trip-2", ({ attempt }) => attempt === 2, WITHIN_MS);
    await flightIsBack();
    const isFlown = ({ steps }: StateRecord) => steps["bookFlight"]?.state === "Completed";
    const flown = await app.eventually("trip-2", isFlown, WITHIN_MS);
    expect(flown).toMatchObject({ attempt: 2, steps: { bookHotel: { state: "Awaiting", attempt: 1, retryCount: 0 } } });
    expect(await report("trip-2", { kind: "done", result: { bookingId: "hotel-7" } })).toBe(200);
    const record = await app.eventually("trip-2", ended, WITHIN_MS);
    expect(record).toMatchObject({ processState: "Processed", attempt: 2 });
    expect(await actions("flight", "trip-2")).toEqual(["create"]);
    expect(await actions("hotel", "trip-2")).toEqual(["create"]);
  },
  LIMIT_MS,
);

test.concurrent(
  "the flight is sold out: all is given back at once, also the hotel that has not confirmed",
  async () => {
    await book("trip-3", [
      { service: "hotel", kind: "late", delayMs: LATER_MS },
      { service: "flight", kind: "reject", status: 409, message: "no seat is left" },
    ]);
    const record = await app.eventually("trip-3", ended, WITHIN_MS);
    expect(record).toMatchObject({ processState: "Compensated" });
    expect(stateOf(record)).toMatchObject({
      takePayment: "Compensated",
      bookHotel: "Compensated",
      rentCar: "Compensated",
    });
    expect(await actions("hotel", "trip-3")).toEqual(["create", "cancel"]);
    expect(await actions("car", "trip-3")).toEqual(["create", "cancel"]);
    expect(await actions("payment", "trip-3")).toEqual(["create", "void"]);
    expect(await report("trip-3", { kind: "done", result: { bookingId: "late" } })).toBe(409);
  },
  LIMIT_MS,
);

test.concurrent(
  "P23 no car is free: the trip goes ahead without",
  async () => {
    await book("trip-4", [{ service: "car", kind: "reject", status: 409, message: "no car is free" }]);
    const record = await app.eventually("trip-4", ended, WITHIN_MS);
    expect(record).toMatchObject({
      processState: "Processed",
      steps: {
        rentCar: { state: "Skipped", skipped: { cause: "rejected", message: "no car is free" }, compensation: null },
      },
    });
    await expect
      .poll(() => outputsOf("trip-4"), { timeout: WITHIN_MS })
      .toMatchObject({ hotel: expect.anything(), flight: expect.anything() });
    expect(outputsOf("trip-4")).not.toHaveProperty("car");
  },
  LIMIT_MS,
);

test.concurrent(
  "P32 a gateway answers 503 once a car is rented: a person has to ask it what it rented, and the trip goes ahead",
  async () => {
    const lossy = { service: "car", kind: "gateway", path: "/rentals" } as const;
    await book("trip-5", [lossy, { service: "hotel", kind: "late", delayMs: 1000 }], 20_000, HASTY_TRIP.name);
    const record = await app.eventually(
      "trip-5",
      ({ steps }) => steps["rentCar"]?.compensation?.state === "Failed",
      WITHIN_MS,
    );
    expect(record.steps["rentCar"]).toMatchObject({
      state: "Skipped",
      // It is asked at most once.
      skipped: { cause: "rejected" },
      outcomeUnknown: true,
    });
    expect(await app.eventually("trip-5", ended, WITHIN_MS)).toMatchObject({ processState: "Processed" });
    // It keeps no keys: nothing but the id that never came would name the rental.
    expect(await actions("car", "trip-5")).toEqual(["create"]);
  },
  LIMIT_MS,
);

test.concurrent(
  "a confirmation that comes twice, and one that is forged",
  async () => {
    await book("trip-6", [{ service: "hotel", kind: "late", delayMs: LATER_MS }]);
    await app.eventually("trip-6", isAwaiting, WITHIN_MS);
    const confirmed = { kind: "done", result: { bookingId: "hotel-by-hand" } };
    const forged = (url: string) => {
      const address = JSON.parse(Buffer.from(url.split("/").at(-1) ?? "", "base64url").toString());
      return `${url.slice(0, url.lastIndexOf("/"))}/${Buffer.from(JSON.stringify({ ...address, nonce: "guessed" })).toString("base64url")}`;
    };
    // An unknown address is asked for again before that is final.
    expect(await report("trip-6", confirmed, forged)).toBe(503);
    expect(await report("trip-6", confirmed)).toBe(200);
    expect(await report("trip-6", { kind: "done", result: { bookingId: "another" } })).toBe(200);
    const record = await app.eventually("trip-6", ended, WITHIN_MS);
    expect(record).toMatchObject({ steps: { bookHotel: { result: { bookingId: "hotel-by-hand" } } } });
  },
  LIMIT_MS,
);

test.concurrent(
  "cancelled while the hotel is awaited: all is given back, and a confirmation is late",
  async () => {
    const order = await book("trip-7", [{ service: "hotel", kind: "late", delayMs: LATER_MS }]);
    await app.eventually("trip-7", isAwaiting, WITHIN_MS);
    await app.shop.send({
      kind: "Cancel",
      jobId: order.orderId,
      contentDigest: contentDigest(order, USUAL_WORKFLOW),
      reason: "ill",
    });
    const record = await app.eventually("trip-7", ended, WITHIN_MS);
    expect(record).toMatchObject({ processState: "Cancelled" });
    expect(await actions("hotel", "trip-7")).toEqual(["create", "cancel"]);
    expect(await report("trip-7", { kind: "done", result: { bookingId: "late" } })).toBe(409);
  },
  LIMIT_MS,
);

test.concurrent(
  "an expensive trip is booked once a person agrees; nothing is before",
  async () => {
    await book("trip-8", [{ service: "approval", kind: "late", delayMs: 3000 }], 600_000);
    await app.eventually("trip-8", ({ steps }) => steps["approveTrip"]?.state === "Awaiting", WITHIN_MS);
    expect(await did("hotel", "trip-8")).toEqual([]);
    const record = await app.eventually("trip-8", ended, WITHIN_MS);
    expect(record).toMatchObject({ processState: "Processed", steps: { approveTrip: { decided: { holds: true } } } });
  },
  LIMIT_MS,
);

test.concurrent(
  "who has to agree finds the trip, page by page, and is reminded once when half of the time is over",
  async () => {
    const never = { service: "approval", kind: "late", delayMs: LATER_MS } as const;
    await book("trip-10", [never], 600_000, HASTY_TRIP.name);
    await app.eventually("trip-10", ({ steps }) => steps["approveTrip"]?.state === "Awaiting", WITHIN_MS);
    const read = async (query: Record<string, string>) => {
      const answer = await app.call(`api/awaiting?${new URLSearchParams(query)}`);
      return (await answer.json()) as { steps: { jobId: string }[]; continuation?: string };
    };
    const found: string[] = [];
    let continuation: string | undefined;
    do {
      const page = await read({ assignee: "travel-desk", limit: "1", ...(continuation && { continuation }) });
      found.push(...page.steps.map(({ jobId }) => jobId));
      continuation = page.continuation;
    } while (continuation);
    expect(found).toContain("trip-10");
    expect(new Set(found).size).toBe(found.length);
    expect((await read({ assignee: "nobody" })).steps).toEqual([]);
    const reminders = () => app.statuses("trip-10").filter(({ body }) => body.status === "StepReminder").length;
    await expect.poll(reminders, { timeout: WITHIN_MS, interval: 200 }).toBe(1);
    // Nobody agrees: the step is asked again, and its second wait has half of its time too.
    await app.eventually("trip-10", ({ attempt }) => attempt > 1, WITHIN_MS);
    expect(reminders()).toBe(1);
  },
  2 * LIMIT_MS,
);

test.concurrent(
  "a flight service that answers after the try was given up books one flight",
  async () => {
    await book("trip-9", [{ service: "flight", kind: "slow", delayMs: 2500, calls: 1 }]);
    expect(await app.eventually("trip-9", ended, WITHIN_MS)).toMatchObject({ processState: "Processed" });
    expect(await actions("flight", "trip-9")).toEqual(["create"]);
  },
  LIMIT_MS,
);

test.concurrent(
  "a step is done for each line of an order: six of them, each with its own key, record and compensation",
  async () => {
    const lines = ["A", "B", "C", "D", "E", "F"].map((sku) => ({ sku, quantity: 1, unitPrice: 100 }));
    await app.switchOn("shipping", { kind: "reject", status: 422, match: { orderId: "lines-2" } });
    for (const orderId of ["lines-1", "lines-2"]) {
      await app.shop.send({ ...madeOrder(orderId), workflow: BY_LINE.name, lines });
    }
    const done = await app.eventually("lines-1", ended, WITHIN_MS);
    expect(done).toMatchObject({ processState: "Processed", attempt: 1 });
    expect(Object.keys(done.steps).filter((name) => name.startsWith("reserveStock_"))).toHaveLength(6);
    const reserved = (await did("inventory", "lines-1")) as unknown as {
      key: string;
      body: { lines: { sku: string }[] };
    }[];
    expect(reserved.map(({ body }) => body.lines.map(({ sku }) => sku)).sort()).toEqual(lines.map(({ sku }) => [sku]));
    expect(new Set(reserved.map(({ key }) => key)).size).toBe(6);
    const compensated = await app.eventually("lines-2", ended, WITHIN_MS);
    expect(compensated).toMatchObject({ processState: "Compensated" });
    expect((await actions("inventory", "lines-2")).sort()).toEqual([
      ...Array(6).fill("create"),
      ...Array(6).fill("release"),
    ]);
  },
  LIMIT_MS,
);
