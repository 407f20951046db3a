import { createMemoryLease } from "@scheduler-agent-supervisor/testing/memory";
import { leadershipContract } from "./leadership.ts";

const LEASE_MS = 15_000;

leadershipContract("memory", async () => {
  let clock = 0;
  return {
    lease: () => createMemoryLease(LEASE_MS, () => clock),
    outlastLease: async () => {
      clock += LEASE_MS;
    },
  };
});
