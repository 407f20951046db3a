// What the reconciler asks of the durable engine, in its own words: `shared/scheduler-client.ts` has it of the real one.
import type { Wake } from "../domain/attempt.ts";

/** The attempts that run in this host's task hub. Every method throws where the engine can't be reached. */
export interface Orchestrations {
  /** `gone` where there is none under that id. */
  statusOf(id: string): Promise<"running" | "ended" | "gone">;
  /** The ids of those that began before the instant and have not ended. */
  runningSince(before: string): Promise<readonly string[]>;
  /** Starts an attempt, also one that has ended; one that runs is left alone. */
  start(wake: Wake): Promise<void>;
  terminate(id: string, reason: string): Promise<void>;
}
