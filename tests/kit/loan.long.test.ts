// A loan's fourteen steps, five of them side by side, explored to the last state: in ten minutes and 4 GB.
import { explore } from "@scheduler-agent-supervisor/testing";
import { expect, test } from "vitest";
import { loans } from "./loan.ts";

const MOST_MS = 10 * 60_000;
const MOST_BYTES = 4 * 2 ** 30;

test(
  "P20 whatever a service rejects of a loan, or does not do in time, it ends, and nothing is left half done",
  async () => {
    const begun = process.cpuUsage();
    const { complete, violation, ends, states, unseen } = await explore(loans, "loan", {
      states: 5_000_000,
      within: "PT30M",
    });
    const { user, system } = process.cpuUsage(begun);
    expect(violation?.way).toBeUndefined();
    expect({ complete, ends, unseen }).toEqual({
      complete: true,
      ends: ["Compensated", "Error", "Processed"],
      unseen: { ends: [], steps: [], compensations: [], faults: [] },
    });
    expect((user + system) / 1000).toBeLessThan(MOST_MS);
    expect(process.resourceUsage().maxRSS * 1024).toBeLessThan(MOST_BYTES);
    const megabytes = Math.ceil(process.resourceUsage().maxRSS / 1024);
    console.log(`${states.toLocaleString("en")} states, ${Math.ceil((user + system) / 1e6)} s, ${megabytes} MB`);
  },
  2 * MOST_MS,
);
