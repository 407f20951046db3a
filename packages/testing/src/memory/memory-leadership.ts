// The leadership among supervisors in memory: for tests of everything that uses the port.
import type { Leadership } from "@scheduler-agent-supervisor/core/scheduling";

/** The shared state of the supervisors. */
export interface MemoryLease {
  /** One supervisor's view of it. */
  heldBy(name: string): Leadership;
}

/** @param now milliseconds since 1970 */
export function createMemoryLease(leaseMs: number, now: () => number): MemoryLease {
  let holder: string | undefined;
  let newest: string | undefined;
  let epoch = 0;
  let endsAt = 0;

  function take(name: string): boolean {
    if (holder !== undefined && holder !== name && now() < endsAt) return false;
    holder = name;
    endsAt = now() + leaseMs;
    return true;
  }

  return {
    heldBy: (name) => ({
      async lead() {
        if (!take(name)) return { kind: "following", ...(newest !== undefined && { leader: newest }) };
        if (newest !== name) epoch += 1;
        newest = name;
        return { kind: "leading", epoch, leader: name };
      },
      // An expired leadership is still this supervisor's as long as no other has taken it.
      stillLeads: async () => holder === name && take(name),
      report: async () => undefined,
      async release() {
        if (holder === name) holder = undefined;
      },
    }),
  };
}
