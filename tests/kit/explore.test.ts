// The model checker on this app's own workflows.
import { explore } from "@scheduler-agent-supervisor/testing";
import { expect, test } from "vitest";
import { business } from "../../shared/business.ts";

test("whatever a service rejects of a return, it ends, and nothing is left half done", async () => {
  const { complete, violation, ends, summary } = await explore(business, "returns");
  expect(violation?.way).toBeUndefined();
  expect(complete).toBe(true);
  expect(ends).toEqual(["Compensated", "Error", "Processed"]);
  expect(summary).toMatch(/^Explored [\d,]+ states, to the end: nothing was found\./);
});

test("the steps of a trip are too many for every state: so far nothing is found", async () => {
  const { complete, states, violation, summary } = await explore(business, "trip", { states: 5000 });
  expect(violation?.way).toBeUndefined();
  expect(complete).toBe(false);
  expect(states).toBeGreaterThanOrEqual(5000);
  expect(summary).toMatch(/^Stopped at the bound after 5,\d+ states: nothing was found so far\./);
});

test("a service that may accept what it has rejected leaves an effect behind: the way there is said", async () => {
  const { complete, violation, summary } = await explore(business, "returns", {
    goesWrong: { rejections: 1, repeats: 1 },
    mayAcceptWhatItRejected: true,
  });
  expect(complete).toBe(false);
  expect(violation?.fault).toContain("the effects of");
  expect(violation?.way.some((move) => move.endsWith("rejected for good"))).toBe(true);
  expect(summary).toMatch(/The way there:\n {3}1 {2}east: the job's message arrives\n/);
});

test("its time is bounded too", async () => {
  const { complete, summary } = await explore(business, "trip", { within: "PT0.2S" });
  expect(complete).toBe(false);
  expect(summary).toMatch(/^Stopped at the bound/);
});

test("a workflow that is not there is said to be missing", async () => {
  await expect(explore(business, "tripp")).rejects.toThrow(/no workflow tripp: it has order-fulfilment/);
});
