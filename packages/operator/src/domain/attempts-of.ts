// The attempts of a job, for console and terminal: each with why it began, how it ended and what was done in it, from its record.
import { isFailure } from "./is-failure.ts";

export interface AttemptShown {
  readonly attempt: number;
  readonly direction: string;
  readonly from: string;
  /** Null while it is under way. */
  readonly to: string | null;
  readonly by: string;
  /** The entry before it that led to it; null for the first. */
  readonly began: string | null;
  /** The last failure in it, or its last entry; null if there is none. */
  readonly ended: string | null;
  readonly hasFailed: boolean;
  /** The steps that ended in it, and those that timed out. */
  readonly steps: readonly string[];
}

const CLAIM = /^claimed, attempt (\d+), (\w+)$/;

interface Entry {
  readonly at: string;
  readonly what: string;
  readonly by: string;
}

interface Run {
  readonly state: string;
  readonly endedAt: string | null;
  readonly error?: string | null | undefined;
  readonly expiry?: { readonly attempt: number; readonly message: string } | null | undefined;
}

/** What is needed of a record. */
export interface Attempted {
  readonly processState: string;
  readonly updatedAt: string;
  readonly history: readonly Entry[];
  readonly steps: { readonly [name: string]: Run & { readonly compensation?: Run | null | undefined } };
}

export function attemptsOf(record: Attempted): AttemptShown[] {
  const { history } = record;
  const isOpen = record.processState === "Processing" || record.processState === "Pending";
  const claims = history.flatMap((entry, at) => {
    const [, attempt, direction] = CLAIM.exec(entry.what) ?? [];
    return attempt === undefined ? [] : [{ at, entry, attempt: Number(attempt), direction: direction ?? "" }];
  });
  return claims.map(({ at, entry, attempt, direction }, place) => {
    const next = claims[place + 1];
    const inside = history.slice(at + 1, next?.at);
    const failure = inside.findLast(isFailure);
    const ended = failure ?? inside.at(-1);
    const to = ended?.at ?? (next || !isOpen ? (next?.entry.at ?? record.updatedAt) : null);
    return {
      ...{ attempt, direction, from: entry.at, by: entry.by },
      to: next || !isOpen || failure ? to : null,
      began: place === 0 ? null : (beforeOf(history, at)?.what ?? null),
      ended: ended?.what ?? null,
      hasFailed: failure !== undefined,
      steps: withFailures(stepsIn(record, attempt, entry.at, next?.entry.at), inside),
    };
  });
}

/** The end of a step's failed run. */
const FAILED = /^((?:compensation of )?[^:]+): (?:Failed|attempt \d+ runs out of time)/;

/** What failed in an attempt stands in the history alone, once a later attempt has run the step again. */
function withFailures(steps: readonly string[], inside: readonly Entry[]): string[] {
  const isIn = (which: string) => steps.some((step) => step.startsWith(`${which}: `));
  const failed = inside.flatMap(({ what }) => {
    const [, which] = FAILED.exec(what) ?? [];
    return which === undefined || isIn(which) ? [] : [what];
  });
  return [...failed, ...steps];
}

const beforeOf = (history: readonly Entry[], at: number): Entry | undefined => history[at - 1];

function stepsIn({ steps }: Attempted, attempt: number, from: string, to: string | undefined): string[] {
  const isIn = (at: string | null) => at !== null && at >= from && (to === undefined || at < to);
  return Object.entries(steps).flatMap(([name, step]) =>
    [step, ...(step.compensation ? [step.compensation] : [])].flatMap((run, place) => {
      const which = place === 0 ? name : `compensation of ${name}`;
      const why = run.state === "Failed" && run.error ? `: ${run.error}` : "";
      if (isIn(run.endedAt)) return [`${which}: ${run.state}${why}`];
      return run.expiry?.attempt === attempt ? [`${which}: ${run.expiry.message}`] : [];
    }),
  );
}
