// Who of several supervisors sweeps (P12), as a port: one leads, and whoever takes over says so with a higher epoch.

export type Standing =
  | {
      readonly kind: "leading";
      /** Grows by one with each new holder: of two that both believe they lead, the higher one is right. */
      readonly epoch: number;
      readonly leader: string;
    }
  /** `leader` is absent while the lead changes hands. */
  | { readonly kind: "following"; readonly leader?: string };

/** A lead is for a time only and has to be asked for again: a supervisor that dies stands in nobody's way for longer. */
export interface Leadership {
  /** Takes the lead where it is free, keeps it where it is ours. @throws LeadershipUnavailable */
  lead(): Promise<Standing>;
  /**
   * To be asked between two records: lengthens the lead when a good part of its time is over. False once the lead is
   * lost, or can't be proven to be ours any more.
   */
  stillLeads(): Promise<boolean>;
  /** Lets the next one take over at once. Harmless where there is nothing to release. */
  release(): Promise<void>;
}

export class LeadershipUnavailable extends Error {
  override readonly name = "LeadershipUnavailable";
  constructor(cause: unknown) {
    super(`Who leads can't be found out: ${cause instanceof Error ? cause.message : String(cause)}`, { cause });
  }
}
