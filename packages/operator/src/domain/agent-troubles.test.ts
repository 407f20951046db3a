import { expect, test } from "vitest";
import { agentTroubles } from "./agent-troubles.ts";

const HEALTHY = { health: "healthy", isSlow: false };
type Endpoint = typeof HEALTHY;
const of = (...instances: Endpoint[][]) => ({
  agents: [{ name: "payment", instances: instances.map((endpoints) => ({ endpoints })) }],
});

test.each<[Partial<Endpoint>, "broken" | "slow"]>([
  [{ health: "broken" }, "broken"],
  [{ health: "broken", isSlow: true }, "broken"],
  [{ health: "resting" }, "broken"],
  [{ health: "resting", isSlow: true }, "slow"],
  [{ isSlow: true }, "slow"],
])("an endpoint that is %j is %s", (changes, kind) => {
  const endpoint = { ...HEALTHY, ...changes };
  expect(agentTroubles(of([HEALTHY, endpoint]))).toEqual([{ agent: "payment", kind, endpoint }]);
});

test("an endpoint is well that is healthy, or may be called again", () => {
  expect(agentTroubles(of([HEALTHY, { ...HEALTHY, health: "probeDue" }, { ...HEALTHY, health: "probing" }]))).toEqual(
    [],
  );
});

test("an agent has one trouble, whatever its instances report: the gravest", () => {
  const [slow, broken] = [
    { ...HEALTHY, isSlow: true },
    { ...HEALTHY, health: "broken" },
  ];
  expect(agentTroubles(of([slow, broken], [broken]))).toEqual([{ agent: "payment", kind: "broken", endpoint: broken }]);
});
