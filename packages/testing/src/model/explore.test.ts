// The model checker on a workflow of the core's own fixture.

import { defineApp } from "@scheduler-agent-supervisor/core/app";
import { expect, test } from "vitest";
import { defineWorkflow, POLICY, publishing, videos } from "../../../core/tests/videos.ts";
import { explore } from "./explore.ts";

const [keepFile, encode] = publishing.steps;
if (!keepFile || !encode) throw new Error("the fixture has fewer steps");

const trailer = defineWorkflow({
  name: "trailer",
  version: 1,
  policy: POLICY,
  steps: [
    { ...keepFile, agent: "storage", operation: "keep", after: [], compensation: "nothing" },
    { ...encode, agent: "encoder", operation: "encode", after: [], when: "isLong", compensation: "manual" },
  ],
} as never);
const business = defineApp({ ...videos, workflows: [trailer, publishing] });

test("whether a condition holds leads to other states, each of which is looked at", async () => {
  const long = await explore(business, "trailer", { goesWrong: {}, conditions: { isLong: true } });
  const short = await explore(business, "trailer", { goesWrong: {}, conditions: { isLong: false } });
  expect([long.complete, short.complete]).toEqual([true, true]);
  expect([long.violation, short.violation]).toEqual([undefined, undefined]);
  expect(long.states).not.toBe(short.states);
  await expect(explore(business, "trailer", { conditions: { isShort: true } })).rejects.toThrow("no condition isShort");
});

test("how it may end is said: in Error where a compensation is not done in time", async () => {
  const { complete, ends, summary } = await explore(business, "publishing", { goesWrong: { timeouts: 4 } });
  expect({ complete, ends }).toEqual({ complete: true, ends: ["Compensated", "Error", "Processed"] });
  expect(summary).toMatch(/It ends Compensated, Error, Processed\. Each process ran on/);
});

test("with each interleaving of the processes it ends in the same ways, and takes more states", async () => {
  const goesWrong = { rejections: 1, timeouts: 1 };
  const few = await explore(business, "trailer", { goesWrong });
  const all = await explore(business, "trailer", { goesWrong, everyInterleaving: true });
  expect([few.complete, all.complete]).toEqual([true, true]);
  expect([few.ends, few.unseen]).toEqual([all.ends, all.unseen]);
  expect(few.states).toBeLessThan(all.states);
});
