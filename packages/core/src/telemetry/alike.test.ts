import { beforeEach, expect, test } from "vitest";
import { createReporter, type Reporter } from "./alike.ts";
import type { Attributes, EventName } from "./event-names.ts";

let said: Attributes[];
let due: (() => void)[];
let report: Reporter;
beforeEach(() => {
  said = [];
  due = [];
  report = createReporter((work) => due.push(work));
});

const say = (attributes: Attributes) => said.push(attributes);
const event = (name: EventName, attributes: Attributes) => report(name, attributes, say, say);
const intervalEnds = () => {
  for (const work of due.splice(0)) work();
};

test("of hundreds of jobs that one outage holds up the first is reported at once, and their number later", () => {
  for (let job = 1; job <= 300; job += 1) event("JobExpired", { jobId: `job-${job}`, agent: "payment", step: "pay" });
  expect(said).toEqual([{ jobId: "job-1", agent: "payment", step: "pay" }]);
  intervalEnds();
  expect(said.slice(1)).toEqual([{ jobId: "job-300", agent: "payment", step: "pay", alike: 299 }]);
});

test("while the outage lasts there is one report an interval; after it the next one is the first again", () => {
  const expired = { jobId: "job-1", agent: "payment", step: "pay" };
  event("JobExpired", expired);
  for (let interval = 0; interval < 3; interval += 1) {
    for (let times = 0; times < 50; times += 1) event("JobExpired", expired);
    intervalEnds();
  }
  expect(said.map(({ alike = 1 }) => alike)).toEqual([1, 50, 50, 50]);
  intervalEnds();
  event("JobExpired", expired);
  expect(said).toHaveLength(5);
  expect(due).toHaveLength(1);
});

test("another step's, agent's or queue's are others", () => {
  event("JobExpired", { jobId: "a", agent: "payment", step: "pay" });
  event("JobExpired", { jobId: "b", agent: "payment", step: "capture" });
  event("JobExpired", { jobId: "c", agent: "shipping", step: "ship" });
  event("AgentTimedOut", { jobId: "d", agent: "payment", step: "pay" });
  expect(said).toHaveLength(4);
});

test("what alerts count by job is reported of each job: only what names an outage is alike", () => {
  for (const name of ["JobErrored", "JobClaimed", "CompensationIncomplete"] as const)
    for (const jobId of ["a", "b"]) event(name, { jobId, agent: "payment", step: "pay" });
  for (const jobId of ["a", "b"]) event("RecoveryFailed", { jobId, cause: "MissingWorkflow", outage: null });
  for (const jobId of ["a", "b"]) event("RecoveryFailed", { jobId, cause: "BusUnavailable", outage: "BusUnavailable" });
  expect(said).toHaveLength(9);
});
