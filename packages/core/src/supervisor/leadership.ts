// The leadership among several supervisors (P12), as a port: only the leader sweeps, and each new leader has a higher epoch.
import type { Away } from "../domain/record/wait.ts";
import { messageOf } from "../domain/thrown.ts";

export type Election =
  | {
      readonly kind: "leading";
      /** Increases by one with each new holder: of two that both believe they are leaders, the higher one is right. */
      readonly epoch: number;
      readonly leader: string;
    }
  /** `leader` is absent while the leadership changes. */
  | { readonly kind: "following"; readonly leader?: string };

/** A leadership lasts for a limited time and must be renewed: a crashed supervisor blocks the others for no longer. */
export interface Leadership {
  /** Takes the leadership if it is free, and keeps it if this supervisor has it. @throws LeadershipUnavailable */
  lead(): Promise<Election>;
  /**
   * Called between two records: renews the leadership after a good part of its time. False once the leadership is lost, or can't be proven any
   * more.
   */
  stillLeads(): Promise<boolean>;
  /**
   * For whoever looks at who leads: why this leader's last sweep failed; null after one that did not. Never throws: what can't be written is tried
   * again after the next sweep.
   */
  report(fault: string | null): Promise<void>;
  /** Lets the next supervisor take over at once. Harmless if there is nothing to release. */
  release(): Promise<void>;
}

/** When the app's store was away, as this supervisor saw it while it led. */
export interface Absences {
  /** A sweep got an answer of the store. */
  seen(): void;
  /** A sweep got none. */
  failed(): void;
  /** Another supervisor leads, and sees what comes. */
  followed(): void;
  /** The last one that is over. */
  last(): Away | undefined;
}

export class LeadershipUnavailable extends Error {
  override readonly name = "LeadershipUnavailable";
  constructor(cause: unknown) {
    super(`Who leads can't be found out: ${messageOf(cause)}`, { cause });
  }
}
