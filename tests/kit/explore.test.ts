// The model checker on this app's own workflows.
import { explore } from "@scheduler-agent-supervisor/testing";
import { expect, test } from "vitest";
import { business } from "../../shared/business.ts";
import { business as loans } from "../package/loan/shared/business.ts";

test("whatever a service rejects of a return, it ends, and nothing is left half done", async () => {
  const { complete, violation, ends, summary } = await explore(business, "returns");
  expect(violation?.way).toBeUndefined();
  expect(complete).toBe(true);
  expect(ends).toEqual(["Compensated", "Error", "Processed"]);
  expect(summary).toMatch(/^Explored [\d,]+ states, to the end: nothing was found\./);
});

test("P20 P36 one that is stopped says which ends, steps and faults it has not reached", async () => {
  const found = await explore(loans, "loan", { states: 300 });
  const { complete, states, violation, unseen, notModelled, summary } = found;
  expect(violation?.way).toBeUndefined();
  expect(complete).toBe(false);
  expect(states).toBeGreaterThanOrEqual(300);
  expect(summary).toMatch(/^Stopped at the bound after 3\d\d states: nothing was found so far\./);
  expect(unseen.ends).toContain("Processed");
  expect(unseen.steps).toContain("payOut");
  expect(unseen.compensations).toContain("sign");
  expect(unseen.faults).toEqual(expect.arrayContaining(["rejection of payOut", "time-out of payOut"]));
  expect(summary).toMatch(
    /Not reached so far: the ends .*Processed.*; the steps .*payOut.*; the compensations of .*sign/,
  );
  expect(notModelled).toEqual([
    "reminders of assignees: approve",
    "polls (services report what they do later): approve, sign",
  ]);
  expect(summary).toContain("Bounded: each list has 0 or 1 or 2 items: appraise.");
  expect(summary).toContain("Not modelled: reminders of assignees: approve; ");
});

test("P20 P36 what a complete one has not reached can't happen", async () => {
  const { complete, unseen } = await explore(business, "returns", { goesWrong: { timeouts: 0 } });
  expect({ complete, unseen }).toEqual({
    complete: true,
    unseen: {
      ends: ["Compensated", "Error"],
      steps: [],
      compensations: ["reserveRefund", "pickUp", "restock"],
      faults: [],
    },
  });
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
