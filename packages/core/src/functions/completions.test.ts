// What the endpoint of reports answers while the store is away (P27): whoever reports has to come again.

import { HttpRequest, InvocationContext } from "@azure/functions";
import { expect, test, vi } from "vitest";
import type { App } from "../app/create-app.ts";
import type { Ticket } from "../messaging/agent-messages.ts";
import { completionUrl } from "../scheduler/steps/completion.ts";
import { StoreUnavailable } from "../store/job-store.ts";
import { listenToEvents } from "../telemetry/events.ts";
import { measureWith } from "../telemetry/metrics.ts";
import { completeStep } from "./completions.ts";

const state = vi.fn();
let clock = 0;
const ports = { store: { state }, now: () => clock };
const application = { ports: () => ports } as unknown as App;

const TICKET: Ticket = {
  jobId: "job-1",
  attempt: 1,
  step: "hotel",
  direction: "forward",
  lockedBy: "job-1-1@hub",
  nonce: "nonce",
};

const complete = completeStep(application);

async function answer(headers = {}) {
  const url = completionUrl("http://app", TICKET);
  const params = { ticket: url.slice(url.lastIndexOf("/") + 1) };
  const body = { string: JSON.stringify({ kind: "done", result: {} }) };
  return complete(new HttpRequest({ method: "POST", url, params, body, headers }), new InvocationContext());
}

test("P27 while the store is away it is 503, with when to come again and not a word of why", async () => {
  state.mockRejectedValue(new StoreUnavailable("read", new Error("cosmos.internal rejected")));
  const response = await answer();
  expect(response).toMatchObject({ status: 503, headers: { "Retry-After": "30" } });
  expect(JSON.stringify(response)).not.toContain("cosmos");
});

test("what is no outage is a fault of the app, and is not hidden", async () => {
  state.mockRejectedValue(new TypeError("a bug"));
  await expect(answer()).rejects.toThrow("a bug");
});

test("a made-up address costs one point read, writes nothing, and is one count of which its caller chooses nothing", async () => {
  state.mockReset().mockResolvedValue(undefined);
  const meter = vi.fn();
  const events = vi.fn();
  measureWith(meter);
  listenToEvents(events);
  try {
    clock = 3_600_000;
    const first = await answer();
    // The read may have been stale.
    expect(first).toMatchObject({ status: 503, headers: { "Retry-After": "30" } });
    expect(state.mock.calls).toEqual([["job-1"]]);
    expect(meter.mock.calls).toEqual([["completions.rejected", 1, {}]]);
    clock += 19_999;
    expect(await answer()).toEqual(first);
    clock += 1;
    expect(await answer()).toMatchObject({ status: 409 });
    expect(state.mock.calls).toEqual([["job-1"], ["job-1"], ["job-1"]]);
    expect(new Set(meter.mock.calls.map((call) => JSON.stringify(call)))).toHaveLength(1);
    expect(events).not.toHaveBeenCalled();
  } finally {
    measureWith(undefined);
    listenToEvents(undefined);
  }
});

test("a body that is declared too large is refused before it is read, and no store is asked", async () => {
  state.mockReset();
  expect(await answer({ "content-length": "65537" })).toMatchObject({ status: 413 });
  expect(state).not.toHaveBeenCalled();
});
