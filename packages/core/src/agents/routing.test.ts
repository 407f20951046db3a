// Routing as tables: which endpoint, why, and whose turn it is.
import { describe, expect, test } from "vitest";
import type { Priority } from "../domain/content/job.ts";
import { chooseEndpoint, type EndpointView, type Health, NORMAL_SHARE, nextLane } from "./routing.ts";

function view(url: string, health: Health, inFlight = 0, capacity = 10, served = 0): EndpointView {
  return { url, health, inFlight, capacity, served };
}

interface Row {
  readonly name: string;
  readonly views: readonly EndpointView[];
  readonly priority?: Priority;
  readonly failed?: string;
  readonly to?: string;
  readonly words: string;
}

const ROWS: readonly Row[] = [
  { name: "the only one", views: [view("a", "healthy")], to: "a", words: "only one" },
  {
    name: "the least loaded",
    views: [view("a", "healthy", 3), view("b", "healthy", 2)],
    to: "b",
    words: "least loaded of 2 healthy",
  },
  {
    name: "load is a part of the capacity",
    views: [view("a", "healthy", 3, 4), view("b", "healthy", 5, 20)],
    to: "b",
    words: "least loaded of 2 healthy",
  },
  {
    name: "idle ones take turns",
    views: [view("a", "healthy", 0, 10, 7), view("b", "healthy", 0, 10, 6)],
    to: "b",
    words: "least loaded of 2 healthy",
  },
  {
    name: "idle ones of unequal capacity take turns in proportion",
    views: [view("a", "healthy", 0, 30, 7), view("b", "healthy", 0, 10, 6)],
    to: "a",
    words: "least loaded of 2 healthy",
  },
  {
    name: "the healthy one beside a broken one",
    views: [view("a", "broken"), view("b", "healthy", 9)],
    to: "b",
    words: "only healthy one",
  },
  {
    name: "the healthy one beside one that asked for a pause",
    views: [view("a", "healthy", 1), view("b", "resting")],
    to: "a",
    words: "only healthy one",
  },
  {
    name: "a normal call probes when that is due",
    views: [view("a", "probeDue"), view("b", "healthy")],
    to: "a",
    words: "probe after an outage",
  },
  {
    name: "a high one does not while another has room",
    views: [view("a", "probeDue"), view("b", "healthy")],
    priority: "high",
    to: "b",
    words: "only healthy one",
  },
  {
    name: "a high one probes when nothing else has room",
    views: [view("a", "probeDue"), view("b", "healthy", 10)],
    priority: "high",
    to: "a",
    words: "probe after an outage",
  },
  {
    name: "no second probe",
    views: [view("a", "probing", 1), view("b", "healthy", 10)],
    words: "all 1 healthy are at capacity",
  },
  {
    name: "one that hangs to capacity is not probed",
    views: [view("a", "probeDue", 10), view("b", "broken")],
    words: "none of 2 is healthy",
  },
  {
    name: "away from the one that failed this call",
    views: [view("a", "healthy", 0), view("b", "healthy", 9)],
    failed: "a",
    to: "b",
    words: "least loaded of 2 healthy, after another one failed",
  },
  {
    name: "back to it when no other has room",
    views: [view("a", "healthy", 0), view("b", "healthy", 10)],
    failed: "a",
    to: "a",
    words: "least loaded of 2 healthy",
  },
  {
    name: "all full",
    views: [view("a", "healthy", 10), view("b", "healthy", 10)],
    words: "all 2 healthy are at capacity",
  },
  { name: "none usable", views: [view("a", "broken"), view("b", "resting")], words: "none of 2 is healthy" },
];

test.each(ROWS)("P19 $name", ({ views, priority = "normal", failed, to, words }) => {
  const choice = chooseEndpoint(views, priority, failed);
  if (to === undefined) expect(choice).toEqual({ wait: words });
  else expect(choice).toMatchObject({ endpoint: { url: to }, because: words });
});

describe("P19 the lanes", () => {
  test("high first, and the lower lane keeps its share while both wait", () => {
    const turns: string[] = [];
    for (let n = 0, passedOver = 0; n < 3 * NORMAL_SHARE; n++) {
      const turn = nextLane({ high: 50, normal: 50 }, passedOver);
      if (!turn) throw new Error("nobody's turn");
      turns.push(turn.lane);
      passedOver = turn.passedOver;
    }
    expect(turns.join(" ")).toBe(Array(3).fill("high high high normal").join(" "));
  });

  test.each([
    ["nobody waits", 0, 0, undefined],
    ["only normal ones", 0, 3, "normal"],
    ["only high ones, however many went before", 3, 0, "high"],
  ] as const)("%s", (_, high, normal, lane) => {
    expect(nextLane({ high, normal }, NORMAL_SHARE)?.lane).toBe(lane);
  });
});
