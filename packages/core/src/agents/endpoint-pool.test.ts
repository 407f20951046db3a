// Who waits for an endpoint is called in as soon as it may be tried again, whenever the clock moves.
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { BREAKER } from "./circuit-breaker.ts";
import { EndpointPool, type Lease } from "./endpoint-pool.ts";

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

test("P18 an endpoint that may be tried again while the waiting call is being looked at: the call goes there", async () => {
  let instants: number[] = [];
  let latest = 0;
  const now = () => {
    latest = instants.shift() ?? latest;
    return latest;
  };
  const pool = new EndpointPool([{ url: "http://one", capacity: 1 }], {
    breaker: { ...BREAKER, failures: 1, openMs: 100 },
    waitingRoom: 10,
    slowAfterMs: 1000,
    slowRecheckMs: 1000,
    now,
    onHealth: () => undefined,
  });
  const lease = pool.take("normal") as Lease;
  pool.release(lease, "failed", "HTTP 503");
  // The circuit is open for 50 to 100 ms: it is when the choice is made, and no longer is when the next start is decided.
  instants = [49, 101];
  const admitted: Lease[] = [];
  pool.wait("normal", undefined, (place) => admitted.push(place));
  await vi.advanceTimersByTimeAsync(200);
  expect(admitted).toMatchObject([{ because: "probe after an outage" }]);
});
