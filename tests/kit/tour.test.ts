// The tour on the test kit: a list, a fallback, a step that needs another, and a service that is polled.
import { createWorld } from "@scheduler-agent-supervisor/testing";
import { expect, test } from "vitest";
import { business } from "../../shared/business.ts";
import { sampleOrder } from "../support/orders.ts";

const TENT = { sku: "TENT", quantity: 1, unitPrice: 9000 };
const tour = sampleOrder("tour-1", { workflow: "tour", lines: [TENT, { ...TENT, sku: "STOVE" }] });

function createTourWorld() {
  const world = createWorld({ business });
  world.service("hotel").reportsLater("book", { after: "PT5M", result: { bookingId: "room-12" } });
  world.service("shipping").isDoneLater("arrange", { after: "PT6H", askAgainAfter: "PT1H" });
  return world;
}

test("each piece of gear is reserved by itself, and its carrier is polled until it has collected", async () => {
  const world = createTourWorld();

  await world.submit(tour);
  await world.run();

  expect(world.record("tour-1").processState).toBe("Processed");
  expect(world.steps("tour-1")).toMatchObject({
    bookFlight: "Completed",
    rentCar: "Skipped",
    reserveGear_1: "Completed",
    reserveGear_2: "Completed",
    sendGear: "Completed",
  });
  expect(world.service("inventory").calls.map(({ body }) => body)).toMatchObject([
    { lines: [{ sku: "TENT" }] },
    { lines: [{ sku: "STOVE" }] },
  ]);
  expect(world.service("shipping").callsOf("arrange later?").length).toBeGreaterThan(1);
});

test("where no seat is free a car is rented instead", async () => {
  const world = createTourWorld();
  world.service("flight").rejects("book", { status: 409, message: "sold out" });

  await world.submit(tour);
  await world.run();

  expect(world.record("tour-1").processState).toBe("Processed");
  expect(world.steps("tour-1")).toMatchObject({ bookFlight: "Skipped", rentCar: "Completed" });
});

test("where a piece of gear is not there the tour goes ahead, and nothing is sent", async () => {
  const world = createTourWorld();
  world.service("inventory").rejects("reserve", { status: 409, message: "none left" });

  await world.submit(tour);
  await world.run();

  expect(world.record("tour-1").processState).toBe("Processed");
  expect(world.steps("tour-1")).toMatchObject({ reserveGear_1: "Skipped", sendGear: "Skipped" });
  expect(world.service("shipping").calls).toEqual([]);
});
