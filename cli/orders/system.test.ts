// What the terminal says of a supervisor that is away, and of one that leads and whose sweeps fail.
import { expect, test } from "vitest";
import { supervisorTroubles } from "./system.ts";

const LEADER = { name: "eu/7071", epoch: 3, since: null, leads: true };
const FAILING = { since: "2026-01-31T12:00:00.000Z", fault: "find what is due: no index on dueAt" };
const gauges = { lastAt: null, isLate: false, failing: null };
const lines = (leader: Parameters<typeof supervisorTroubles>[0]["leader"]) =>
  supervisorTroubles({ leader, gauges }).map(({ line }) => line);

test("a supervisor whose last sweep failed is a trouble, with the cause and since when", () => {
  expect(lines({ ...LEADER, failing: FAILING })).toEqual([
    expect.stringMatching(/^The supervisor's sweeps fail since .+: find what is due: no index on dueAt\. npm run /),
  ]);
  for (const well of [LEADER, { ...LEADER, failing: null }]) expect(lines(well)).toEqual([]);
});

test("one that does not lead, and none at all, is a trouble, whatever its last sweep was", () => {
  for (const leader of [{ ...LEADER, leads: false, failing: FAILING }, null]) {
    expect(lines(leader)).toEqual([expect.stringMatching(/^No supervisor is active/)]);
  }
});

test("gauges that nobody measures are a trouble of their own, whoever leads", () => {
  const gauges = { lastAt: "2026-01-31T12:00:00.000Z", isLate: true, failing: null };
  for (const leader of [LEADER, { ...LEADER, failing: FAILING }, null]) {
    const last = supervisorTroubles({ leader, gauges }).at(-1);
    expect(last?.line).toMatch(/^The gauges' timer does not run: .*, since .+/);
    expect(last?.json).toEqual({ of: "gauges", ...gauges });
  }
  expect(supervisorTroubles({ leader: LEADER, gauges: { ...gauges, isLate: false } })).toEqual([]);
});
