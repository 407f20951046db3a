// What happened in a shift over all jobs: operators' actions, bulk runs and notes, and supervisors' decisions in groups by sweep and cause.
import { fingerprintOf, hasWords, technicalCauseOf } from "../domain/fingerprint.ts";
import type { ShiftLog } from "../messaging/console-contract.ts";
import type { Period, ShiftAction, ShiftDecision, ShiftEntries } from "../store/shift-entries.ts";

export interface ShiftRequest extends Period {
  /** A part of an operator's name, or `supervisor`; absent for all. */
  readonly who?: string | undefined;
}

type Entry = ShiftLog["entries"][number];

/** Of the operators' actions, and of the supervisors' decisions. */
const MOST = 1000;
const JOBS_SHOWN = 5;
export const SUPERVISOR = "supervisor";

export async function shiftLog({ who, ...period }: ShiftRequest, entries: ShiftEntries): Promise<ShiftLog> {
  const name = who?.toLowerCase();
  const [actions, decisions] = await Promise.all([
    name === SUPERVISOR ? [] : entries.actions(period, MOST),
    name === undefined || name === SUPERVISOR ? entries.decisions(period, MOST) : [],
  ]);
  // Where one of them has more, nothing before its oldest entry is shown: no part of a time is left out.
  const full = [actions, decisions].flatMap((read) => (read.length === MOST ? (read.at(-1)?.at ?? []) : []));
  const since = full.reduce((latest, at) => (at > latest ? at : latest), period.from);
  const own = actions.filter(({ operator }) => name === undefined || operator.toLowerCase().includes(name));
  const shown = [...actionsOf(own.filter(isSince(since))), ...decisionsOf(decisions.filter(isSince(since)))];
  shown.sort((one, other) => other.at.localeCompare(one.at));
  return { from: since, to: period.to, isAll: full.length === 0, entries: shown };
}

const isSince =
  (since: string) =>
  ({ at }: { readonly at: string }): boolean =>
    at >= since;

/** A bulk run's mark in the reason for each of its jobs. */
const MARK = /\(bulk [0-9a-f-]{36}\)$/;

/** What a bulk run did with its jobs is one entry. */
function actionsOf(actions: readonly ShiftAction[]): Entry[] {
  const key = ({ action, operator, reason, outcome, jobId, at }: ShiftAction) =>
    reason !== null && MARK.test(reason)
      ? [action, operator, reason, outcome].join("\n")
      : [at, action, jobId].join("\n");
  return [...Map.groupBy(actions, key).values()].flatMap((members) => {
    const [first] = members;
    if (!first) return [];
    const { at, operator, action, reason, outcome, message } = first;
    const jobIds = members.flatMap(({ jobId }) => jobId ?? []);
    return [
      {
        kind: "action" as const,
        ...{ at, operator, action, reason, outcome, count: members.length, jobIds: jobIds.slice(0, JOBS_SHOWN) },
        message: message ? `${message.queue}/${message.sequenceNumber}` : null,
      },
    ];
  });
}

function decisionsOf(decisions: readonly ShiftDecision[]): Entry[] {
  const causeOf = ({ stop, rule }: ShiftDecision) => (stop?.message ? `${stop.step}: ${stop.message}` : rule);
  // One answer of an endpoint is one cause, with its words or without them.
  const kindOf = ({ stop, rule }: ShiftDecision) =>
    stop?.message ? `${stop.step}: ${technicalCauseOf(stop.message)}` : fingerprintOf(rule);
  const key = (decision: ShiftDecision) =>
    [decision.sweepId, decision.verdict, decision.outcome, kindOf(decision)].join("\n");
  return [...Map.groupBy(decisions, key).values()].flatMap((members) => {
    const [first] = members;
    if (!first) return [];
    const { at, sweepId, verdict, outcome } = first;
    const jobIds = members.slice(0, JOBS_SHOWN).map(({ jobId }) => jobId);
    return [
      {
        kind: "decisions" as const,
        at,
        sweepId,
        verdict,
        outcome,
        cause: causeOf(members.find(({ stop }) => stop?.message && hasWords(stop.message)) ?? first),
        count: members.length,
        jobIds,
      },
    ];
  });
}
