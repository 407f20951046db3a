import { expect, test } from "vitest";
import { compareRequests, type Run } from "./report.ts";

function runWith(bus: Run["perOrder"]["bus"], calls = 3): Run {
  const perOrder: Run["perOrder"] = {
    cpuMs: {},
    bytesWritten: undefined,
    flushes: 0,
    activities: 0,
    requestUnitsModelled: 0,
    cosmos: { batch: 1, patch: 4 },
    bus,
    calls,
  };
  const speed = { seconds: 1, ordersPerSecond: 1, p50Ms: 1, p99Ms: 1, lastQuarter: 1, cpuMsPerOrder: 1 };
  return { orders: 1, failed: 0, ...speed, perOrder };
}

test("what the engine adds to the bus makes no difference", () => {
  expect(() =>
    compareRequests(runWith({ sends: 7, completes: 1, renewals: 2 }), runWith({ sends: 7, completes: 1 })),
  ).not.toThrow();
});

test("a floor that makes other requests is none: every difference is named", () => {
  expect(() => compareRequests(runWith({ sends: 7, completes: 1 }), runWith({ sends: 8, completes: 1 }, 2))).toThrow(
    "the app and the SDK floor make different requests for each order: 7 and 8 messages sent, 3 and 2 HTTP calls (bench/order-requests.ts)",
  );
});
