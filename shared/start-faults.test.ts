// All faults of settings and workflows come at once.
import { expect, test } from "vitest";
import sample from "../local.settings.sample.json" with { type: "json" };
import { startFaults } from "./start-faults.ts";
import { knownWorkflows } from "./workflows/workflows.ts";

const [workflow] = knownWorkflows;
if (!workflow) throw new Error("no workflow");

test("the app as it is has none", () => expect(startFaults(sample.Values)).toEqual([]));

test("settings and workflows are named together, each with all of its faults", () => {
  const { InventoryEndpoints: _, ...settings } = sample.Values;
  const twice = { ...workflow, policy: { ...workflow.policy, failureThreshold: 0, mostFailures: 1.5 } };
  const [ofSettings, ofWorkflows, ...others] = startFaults({ ...settings, OrdersInFlight: "many" }, [twice]);
  expect(ofSettings).toMatch(/InventoryEndpoints[\s\S]*OrdersInFlight/);
  expect(ofWorkflows).toMatch(/failureThreshold[\s\S]*mostFailures/);
  expect(others).toEqual([]);
});
