// Claims and notes for a job, a cause or messages: an operator claims it for a time, and others see the claim.

/** The subject of a claim: a job, a group of jobs, a queue with dead letters, or one of these (`queue/sequenceNumber`). */
export const HANDLED = ["job", "group", "queue", "message"] as const;

export interface Claim {
  readonly by: string;
  /** At this instant the claim ends: no operator has to wait for one who has left. */
  readonly until: string;
}

export interface Note {
  readonly at: string;
  readonly by: string;
  readonly text: string;
}

export interface Handling {
  /** Null if nobody claims it; an expired claim counts as none. */
  readonly claim: Claim | null;
  /** The latest last. */
  readonly notes: readonly Note[];
}

export type HandlingChange =
  | { readonly kind: "claim" }
  | { readonly kind: "release" }
  | { readonly kind: "note"; readonly text: string };

export type HandlingChanged =
  | { readonly kind: "changed"; readonly handling: Handling }
  | { readonly kind: "rejected"; readonly reason: string };

const CLAIM_MS = 30 * 60_000;
/** All are read at once, so each must be small. */
const MOST_NOTES = 20;

const UNHANDLED: Handling = { claim: null, notes: [] };

/** @param now milliseconds since 1970 */
export function changeHandling(
  current: Handling = UNHANDLED,
  change: HandlingChange,
  by: string,
  now: number,
): HandlingChanged {
  const claim = claimAt(current, now);
  const others = claim !== null && claim.by !== by ? claim : null;
  const changed = (handling: Partial<Handling>): HandlingChanged => ({
    kind: "changed",
    handling: { claim, notes: current.notes, ...handling },
  });
  switch (change.kind) {
    case "claim":
      if (others) return rejected(others);
      return changed({ claim: { by, until: new Date(now + CLAIM_MS).toISOString() } });
    case "release":
      return others ? rejected(others) : changed({ claim: null });
    case "note": {
      const note = { at: new Date(now).toISOString(), by, text: change.text };
      return changed({ notes: [...current.notes, note].slice(-MOST_NOTES) });
    }
    default:
      return change satisfies never;
  }
}

/** The claim, unless it has expired. */
export function claimAt({ claim }: Handling, now: number): Claim | null {
  return claim && Date.parse(claim.until) > now ? claim : null;
}

const rejected = ({ by, until }: Claim): HandlingChanged => ({
  kind: "rejected",
  reason: `${by} claims it until ${until}`,
});
