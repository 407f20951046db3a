// The trip on the test kit: what an app's own tests of a workflow look like.
import { createWorld } from "@scheduler-agent-supervisor/testing";
import { expect, test } from "vitest";
import { business } from "../../shared/business.ts";
import { sampleOrder } from "../support/orders.ts";

const trip = sampleOrder("trip-1", { workflow: "trip" });
const expensiveTrip = { ...trip, lines: [{ sku: "SUITE", quantity: 5, unitPrice: 180_000 }] };

function createTripWorld() {
  const world = createWorld({ business });
  world.service("hotel").reportsLater("book", { after: "PT5M", result: { bookingId: "room-12" } });
  return world;
}

test("an expensive trip waits for a day until somebody approves it", async () => {
  const world = createWorld({ business });
  world.service("hotel").reportsLater("book", { after: "PT5M", result: { bookingId: "room-12" } });
  world.service("approval").reportsLater("ask", { after: "P1D", result: { approvalId: "yes-1" } });

  await world.submit(expensiveTrip);
  await world.run();

  expect(world.record("trip-1").processState).toBe("Processed");
  expect(world.results("trip-1")).toMatchObject({
    approveTrip: { approvalId: "yes-1" },
    bookHotel: { bookingId: "room-12" },
    bookFlight: { bookingId: "flight-1" },
  });
  expect(world.now > "2026-01-02T12:05:00").toBe(true);
  expect(world.statuses("trip-1").map(({ status }) => status)).toEqual([
    "Received",
    "Started",
    ...Array.from({ length: 6 }, () => "StepCompleted"),
    "Completed",
  ]);
});

test("a trip that nobody approves in two days is compensated", async () => {
  const world = createTripWorld();
  world.service("approval").reportsLater("ask", {});

  await world.submit(expensiveTrip);
  await world.run();

  expect(world.record("trip-1").processState).toBe("Compensated");
  expect(world.record("trip-1").error?.step).toBe("approveTrip");
  expect(world.service("payment").callsOf("void")).toHaveLength(1);
  expect(world.service("hotel").calls).toEqual([]);
});

test("P26 an operator pauses the hotel for longer than a step may wait: the trip waits, and no failure is counted", async () => {
  const world = createTripWorld();

  await world.operator.pause("hotel");
  await world.submit(trip);
  await world.run({ for: "PT2H" });
  expect(world.record("trip-1")).toMatchObject({ processState: "Processing", failureCount: 0 });
  await world.operator.resume("hotel");
  await world.run();

  expect(world.record("trip-1")).toMatchObject({ processState: "Processed", failureCount: 0 });
});

test("a cheap trip asks nobody", async () => {
  const world = createTripWorld();

  await world.submit(trip);
  await world.run();

  expect(world.steps("trip-1")).toEqual({
    takePayment: "Completed",
    approveTrip: "Skipped",
    bookHotel: "Completed",
    bookFlight: "Completed",
    rentCar: "Completed",
    capturePayment: "Completed",
  });
  expect(world.service("approval").calls).toEqual([]);
});

test("where the hotel has no room, all that was done is compensated", async () => {
  const world = createTripWorld();
  world.service("hotel").reportsLater("book", { after: "PT5M", rejection: "no room is free" });

  await world.submit(trip);
  await world.run();

  const { processState, error } = world.record("trip-1");
  expect(processState).toBe("Compensated");
  expect(error).toMatchObject({ step: "bookHotel", message: expect.stringContaining("no room is free") });
  expect(world.service("flight").calls.map(({ operation, path }) => [operation, path])).toEqual([
    ["book", "/bookings"],
    ["cancel", "/bookings/flight-1/cancel"],
  ]);
  expect(world.service("car").callsOf("cancel")).toHaveLength(1);
  expect(world.service("payment").callsOf("void")).toHaveLength(1);
  expect(world.service("payment").callsOf("capture")).toEqual([]);
  expect(world.statuses("trip-1").at(-1)?.status).toBe("Compensated");
});

test("an outage of the payment service is outlived, under one key", async () => {
  const world = createTripWorld();
  world.service("payment").switchOn({ kind: "down", forMs: 45_000 });

  await world.submit(trip);
  await world.run();

  const { processState, attempt } = world.record("trip-1");
  expect(processState).toBe("Processed");
  expect(attempt).toBeGreaterThan(1);
  const authorized = world.service("payment").callsOf("authorize");
  expect(new Set(authorized.map(({ idempotencyKey }) => idempotencyKey))).toEqual(
    new Set(["trip-1:takePayment:forward"]),
  );
  expect(authorized.filter(({ outcome }) => typeof outcome === "object" && outcome.status !== 503)).toHaveLength(1);
});

test("a trip goes ahead without a car", async () => {
  const world = createTripWorld();
  world.service("car").rejects("rent", { status: 409, message: "no car is free" });

  await world.submit(trip);
  await world.run();

  expect(world.record("trip-1").processState).toBe("Processed");
  expect(world.record("trip-1").steps["rentCar"]?.skipped).toMatchObject({
    cause: "rejected",
    message: expect.stringContaining("no car is free"),
  });
});

test("a flight whose booking got no answer is looked for before it is booked again", async () => {
  const world = createTripWorld();
  const flight = world.service("flight");
  flight.losesAnswer("book", { times: 1 });
  flight.answers("book done?", { body: { items: [{ id: "flight-1" }] } });

  await world.submit(trip);
  await world.run();

  expect(world.results("trip-1")["bookFlight"]).toEqual({ bookingId: "flight-1" });
  expect(flight.callsOf("book")).toHaveLength(1);
});

test("its requester cancels it while the hotel is waited for", async () => {
  const world = createTripWorld();
  await world.submit(trip);
  await world.run({ for: "PT1M" });
  expect(world.steps("trip-1")["bookHotel"]).toBe("Awaiting");

  await world.cancel(trip);
  await world.run();

  expect(world.record("trip-1").processState).toBe("Cancelled");
  expect(world.rejections.map(({ status }) => status)).toEqual(["CancelAccepted"]);
  expect(world.service("hotel").callsOf("cancel")).toHaveLength(1);
});

test("an operator gives the approval by telephone", async () => {
  const world = createTripWorld();
  world.service("approval").reportsLater("ask", {});
  await world.submit(expensiveTrip);
  await world.run({ until: () => world.steps("trip-1")["approveTrip"] === "Awaiting" });

  const report = { kind: "done", reason: "Ada rang", result: { approvalId: "by-phone" } } as const;
  expect(await world.operator.report("trip-1", "approveTrip", report)).toMatchObject({ kind: "reported" });
  await world.run();

  expect(world.record("trip-1").processState).toBe("Processed");
  expect(await world.auditLog()).toContainEqual(expect.objectContaining({ action: "report", reason: "Ada rang" }));
});

test("an operator resubmits a trip that was compensated, and it is booked anew under other keys", async () => {
  const world = createTripWorld();
  const flight = world.service("flight");
  flight.rejects("book", { status: 409, message: "sold out" });
  await world.submit(trip);
  await world.run();
  expect(world.record("trip-1").processState).toBe("Compensated");

  flight.works("book");
  expect(await world.operator.resubmit("trip-1", { reason: "a seat is free again" })).toMatchObject({ kind: "done" });
  await world.run();

  expect(world.record("trip-1").processState).toBe("Processed");
  expect(
    world
      .service("payment")
      .callsOf("authorize")
      .map(({ idempotencyKey }) => idempotencyKey),
  ).toEqual(["trip-1:takePayment:forward", "trip-1:takePayment:forward:2"]);
});

test("content at fault is rejected with every fault", async () => {
  const world = createTripWorld();
  const submitted = await world.submit({ ...trip, currency: "euro", lines: [] });
  expect(submitted).toEqual({
    kind: "rejected",
    faults: [expect.stringMatching(/^lines/), expect.stringMatching(/^currency/)],
  });
  expect(() => world.record("trip-1")).toThrow(/There is no record trip-1\. Rejected: lines/);
});

test("P6 a report that is not as its agent declares it fails the test; an operator's is rejected", async () => {
  const world = createTripWorld();
  world.service("approval").reportsLater("ask", {});
  await world.submit(expensiveTrip);
  await world.run({ until: () => world.steps("trip-1")["approveTrip"] === "Awaiting" });

  const report = { kind: "done", reason: "Ada rang", result: {} } as const;
  const faults = [expect.stringMatching(/^result\.approvalId: /)];
  expect(await world.operator.report("trip-1", "approveTrip", report)).toEqual({ kind: "invalid", faults });
  await world.operator.report("trip-1", "approveTrip", { ...report, result: { approvalId: "by-phone" } });
  world.service("hotel").reportsLater("book", { result: { room: 12 } });
  await expect(world.run()).rejects.toThrow("A service's report is at fault: result.bookingId");
});
