// How many orders stand where, and how often they were tried.

import type { StateRecord } from "@scheduler-agent-supervisor/core/domain";
import { expect, test } from "vitest";
import { GRAPH, NOON, sampleRecord } from "../support/orders.ts";
import { endOf, histogram, inWords, latencyOf, tallyOf } from "./tally.ts";

const at = (seconds: number) => new Date(Date.parse(NOON) + seconds * 1000).toISOString();

function record(changes: Partial<StateRecord>): StateRecord {
  return { ...sampleRecord("order-1", GRAPH), enqueuedAt: NOON, ...changes };
}

function processed(seconds: number, attempt = 1): StateRecord {
  const base = record({ processState: "Processed", attempt });
  const ended = Object.entries(base.steps).map(([name, step], index) => [
    name,
    { ...step, endedAt: at(seconds - index) },
  ]);
  return { ...base, steps: Object.fromEntries(ended) };
}

test("orders are counted by state and attempt, and what the store lacks is in the queue", () => {
  const tally = tallyOf(7, [
    processed(3),
    processed(4, 2),
    record({ processState: "Pending", attempt: 3 }),
    record({ processState: "Processing", direction: "compensate", attempt: 4 }),
    record({ processState: "Error", direction: "compensate", attempt: 4 }),
    record({ processState: "Error" }),
  ]);
  expect(tally).toMatchObject({ orders: 7, waiting: 1, ended: 4, compensated: 2, attempts: [2, 1, 1, 2] });
  expect(tally.states).toEqual({ Processed: 2, Pending: 1, compensating: 1, compensated: 1, Error: 1 });
  // One, two, and two each before the compensation of two orders, which is an attempt of its own.
  expect(tally.retries).toBe(1 + 2 + 2 + 2);
  expect(inWords(tally)).toBe(
    "in the queue 1, Error 1, Pending 1, Processed 2, compensated 1, compensating 1; attempt 1: 2, 2: 1, 3: 1, 4: 2",
  );
});

test("a histogram has each attempt up to the highest", () => {
  expect(histogram([5, 0, 2])).toBe("attempt 1: 5, 2: 0, 3: 2");
  expect(histogram([])).toBe("attempt 1: 0");
});

test("an order's time goes from its arrival to the end of its last step, and only Processed ones have one", () => {
  const records = [processed(3), processed(9), record({ processState: "Error" }), record({ processState: "Pending" })];
  expect(latencyOf(records)).toEqual({ p50Ms: 9000, p99Ms: 9000 });
  expect(latencyOf([record({ processState: "Error" })])).toBeUndefined();
  expect(endOf(record({ updatedAt: at(5) }))).toBe(Date.parse(at(5)));
});
