// Why a step is not done, and what its condition said.

/**
 * Why a step is skipped. `condition`: its condition is false. `needs`: a step that it requires is skipped. `notNeeded`: it is a fallback, and its
 * step was completed, or was skipped without a fault. `rejected`: it was rejected permanently. `expired`: its tries are used up.
 */
export const SKIP_CAUSES = ["condition", "needs", "notNeeded", "rejected", "expired"] as const;

export interface Skipped {
  readonly cause: (typeof SKIP_CAUSES)[number];
  /** The reason as text, with the service's last answer. */
  readonly message: string;
}

/** The result of a step's condition. */
export interface Decided {
  readonly condition: string;
  readonly holds: boolean;
  readonly at: string;
}
