// All faults of settings and workflows come at once.
import { defineApp, startFaults } from "@scheduler-agent-supervisor/core/app";
import { expect, test } from "vitest";
import sample from "../local.settings.sample.json" with { type: "json" };
import { business } from "./business.ts";

const [workflow] = business.workflows;
if (!workflow) throw new Error("no workflow");

test("the app as it is has none", () => expect(startFaults(business, sample.Values)).toEqual([]));

test("settings and workflows are named together, each with all of its faults", () => {
  const { InventoryEndpoints: _, ...settings } = sample.Values;
  const twice = { ...workflow, policy: { ...workflow.policy, failureThreshold: 0, waits: ["soon"] } };
  const faulty = defineApp({ ...business, workflows: [twice] });
  const [ofSettings, ofWorkflows, ...others] = startFaults(faulty, { ...settings, JobsInFlight: "many" });
  expect(ofSettings).toMatch(/JobsInFlight[\s\S]*InventoryEndpoints/);
  expect(ofWorkflows).toMatch(/failureThreshold[\s\S]*soon/);
  expect(others).toEqual([]);
});

test("a wait for the agent that the functions' timeout cuts off is refused", () => {
  const [fault, ...others] = startFaults(business, { ...sample.Values, StartWithin: "PT4M25S" });
  expect(fault).toContain("the setting StartWithin, 265 s, does not fit");
  expect(others).toEqual([]);
});
