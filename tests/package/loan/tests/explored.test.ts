// Every state that a loan of one collateral can reach, with one rejection, two time-outs and its deadline: explored to the last one.
import { explore } from "@scheduler-agent-supervisor/testing";
import { expect, test } from "vitest";
import { business } from "../shared/business.ts";

const MOST_MS = 10 * 60_000;
const MOST_BYTES = 4 * 2 ** 30;

test(
  "whatever a service rejects of a loan, or does not do in time, it ends, and nothing is left half done",
  async () => {
    const begun = process.cpuUsage();
    // More than one collateral is one more check side by side: see explore's own tests.
    const options = { states: 5_000_000, within: "PT30M", items: [1] };
    const { complete, violation, ends, states, unseen } = await explore(business, "loan", options);
    const { user, system } = process.cpuUsage(begun);
    expect(violation?.way).toBeUndefined();
    expect({ complete, ends, unseen }).toEqual({
      complete: true,
      ends: ["Compensated", "Error", "Processed"],
      unseen: { ends: [], steps: [], compensations: [], faults: [] },
    });
    expect((user + system) / 1000).toBeLessThan(MOST_MS);
    const { maxRSS } = process.resourceUsage();
    expect(maxRSS * 1024).toBeLessThan(MOST_BYTES);
    const seconds = Math.ceil((user + system) / 1e6);
    console.log(`Explored: ${states.toLocaleString("en")} states, ${seconds} s, ${Math.ceil(maxRSS / 1024)} MB`);
  },
  2 * MOST_MS,
);
