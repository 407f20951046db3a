import { afterEach, expect, test, vi } from "vitest";
import { createHealthObserver } from "./agent-calls.ts";

afterEach(() => vi.restoreAllMocks());

test("an endpoint's outage is one event when it begins and one when it ends, with its length; its probes are none", () => {
  const said: unknown[] = [];
  vi.spyOn(console, "log").mockImplementation((line: string) => said.push(JSON.parse(line)));
  let clock = 0;
  const observe = createHealthObserver(() => clock);
  observe("payment", "http://one", "broken", "503");
  for (let probe = 0; probe < 100; probe += 1) {
    clock += 5000;
    observe("payment", "http://one", "probing", "one call after an outage");
    observe("payment", "http://one", "broken", "503");
  }
  observe("payment", "http://one", "probing", "one call after an outage");
  observe("payment", "http://one", "healthy", "the probe was answered");
  const about = { event: "EndpointHealth", agent: "payment", endpoint: "http://one" };
  expect(said).toEqual([
    { ...about, to: "broken", because: "503", awayMs: null },
    { ...about, to: "healthy", because: "the probe was answered", awayMs: 500_000 },
  ]);
});
