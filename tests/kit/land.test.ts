// A list that only a service knows: each plot of the registry's answer is appraised by itself.
import { createWorld, explore } from "@scheduler-agent-supervisor/testing";
import { expect, test } from "vitest";
import { lands } from "./land.ts";

const order = { workflow: "land", priority: "normal", jobId: "land-1", owner: "Ada" } as const;

/** @param plots the ids that the registry answers with */
function createLandWorld(...plots: readonly string[]) {
  const world = createWorld({ business: lands });
  const body = { surveyId: "survey-1", plots: plots.map((plotId) => ({ plotId })) };
  world.service("registry").answers("survey", () => ({ body }));
  world.service("appraisers").answers("appraise", () => ({ body: { appraisalId: "a", value: 1000 } }));
  return world;
}

test("P23 each plot that the registry lists is appraised, and paid for with the others", async () => {
  const world = createLandWorld("north", "south", "west");
  await world.submit(order);
  await world.run();

  expect(world.record("land-1").processState).toBe("Processed");
  expect(Object.keys(world.steps("land-1"))).toEqual(["survey", "appraise_1", "appraise_2", "appraise_3", "pay"]);
  expect(world.service("appraisers").calls.map(({ body }) => body)).toMatchObject([
    { plotId: "north" },
    { plotId: "south" },
    { plotId: "west" },
  ]);
  expect(world.service("landBank").calls[0]?.body).toMatchObject({ amount: 3000 });
});

test("P23 an owner of more land than an order may have runs is rejected, with the number and the way out", async () => {
  const world = createLandWorld(...Array.from({ length: 98 }, (_, plot) => `${plot}`), "a", "b");
  await world.submit(order);
  await world.run();

  expect(world.record("land-1")).toMatchObject({ processState: "Compensated", error: { step: "appraise" } });
  expect(world.record("land-1").error?.message).toMatch(
    /cause: survey\.plots has 100 items, and may have 99: submit it in several parts/,
  );
  expect(world.service("appraisers").calls).toEqual([]);
  expect(world.service("registry").callsOf("close")).toHaveLength(1);
});

test("P20 whatever a service rejects of it, or does not do in time, it ends, and nothing is left half done", async () => {
  const { complete, violation, bounded, notModelled } = await explore(lands, "land", { items: [0, 2] });
  expect(violation?.way).toBeUndefined();
  expect(complete).toBe(true);
  expect(bounded).toEqual(["each list has 0 or 2 items: appraise"]);
  expect(notModelled).toEqual([]);
});
