// The supervisor's what-if: the result of a sweep under other thresholds. It changes nothing.

import {
  type AnyVerdict,
  decideDeadline,
  decideRecovery,
  instant,
  inWords,
  passDeadline,
  policyFor,
  type RecoveryPolicy,
  recover,
  type Snapshot,
  type StateRecord,
  snapshotOf,
} from "@scheduler-agent-supervisor/core/domain";
import type { Context, Ports } from "@scheduler-agent-supervisor/core/scheduling";
import { createPace, ruleInWords, walkOverdue } from "@scheduler-agent-supervisor/core/supervision";

export interface Overrides {
  readonly failureThreshold?: number | undefined;
  readonly onExhausted?: RecoveryPolicy["onExhausted"] | undefined;
  readonly clockSkewMs?: number | undefined;
  /** An ISO 8601 instant: records that would be overdue then, without any change until then. Now if absent. */
  readonly at?: string | undefined;
}

/** The verdict for one record. */
export interface Prospect {
  readonly jobId: string;
  readonly verdict: AnyVerdict["kind"] | "none";
  /** Its verdict with the current thresholds. */
  readonly today: AnyVerdict["kind"] | "none";
  readonly rule: string;
  readonly before: Snapshot;
  readonly after: Snapshot | null;
}

export interface WhatIf {
  readonly at: string;
  readonly found: number;
  /** Records with another verdict than with the current thresholds. */
  readonly different: number;
  readonly verdicts: { readonly [verdict: string]: number };
  /** The longest overdue ones. */
  readonly prospects: readonly Prospect[];
  /** False if the sweep's time ended before all was seen. */
  readonly finished: boolean;
}

const PROSPECTS_SHOWN = 500;

export async function whatIf(context: Context, overrides: Overrides): Promise<WhatIf> {
  const begunAt = context.now();
  const at = overrides.at === undefined ? begunAt : Date.parse(overrides.at);
  const endAt = begunAt + context.timing.sweepWithinMs;
  const verdicts: Record<string, number> = {};
  const prospects: Prospect[] = [];
  let found = 0;
  let different = 0;
  const finished = await walkOverdue(context, {
    before: at - (overrides.clockSkewMs ?? context.timing.clockSkewMs),
    pace: createPace(context, endAt),
    mayGoOn: async () => context.now() <= endAt,
    visit: async ({ record }) => {
      const prospect = prospectOf(record, instant(at), overrides, context);
      found += 1;
      verdicts[prospect.verdict] = (verdicts[prospect.verdict] ?? 0) + 1;
      if (prospect.verdict !== prospect.today) different += 1;
      if (prospects.length < PROSPECTS_SHOWN) prospects.push(prospect);
      return "dealt with";
    },
  });
  context.telemetry.event("SupervisorWhatIf", { found, different, finished, ms: context.now() - begunAt });
  return { at: instant(at), found, different, verdicts, prospects, finished };
}

function prospectOf(record: StateRecord, now: string, overrides: Overrides, ports: Ports): Prospect {
  const { jobId } = record;
  const before = snapshotOf(record);
  try {
    const workflow = ports.workflows.of(record.workflow);
    const actual = (step: string | undefined) => policyFor(workflow, step);
    const policyOf = (step: string | undefined) => {
      const { failureThreshold, onExhausted, ...rest } = actual(step);
      return {
        ...rest,
        failureThreshold: overrides.failureThreshold ?? failureThreshold,
        // A skipped step has no such policy to change.
        onExhausted: onExhausted === "skip" ? onExhausted : (overrides.onExhausted ?? onExhausted),
      };
    };
    const overdueBefore = instant(Date.parse(now) - (overrides.clockSkewMs ?? ports.timing.clockSkewMs));
    const { misconfiguredRetryMs: holdMs } = ports.timing;
    const { claimWithinMs, clockSkewMs } = ports.timing;
    const passed = decideDeadline(record, workflow, overdueBefore);
    if (passed) {
      const after = snapshotOf(
        passDeadline(record, passed, { by: "supervisor", now, claimWithinMs, clockSkewMs }).record,
      );
      return {
        jobId,
        verdict: passed.kind,
        today: passed.kind,
        rule: ruleInWords(record, passed, policyOf),
        before,
        after,
      };
    }
    const verdict = decideRecovery(record, policyOf, overdueBefore, holdMs);
    const after = snapshotOf(recover(record, verdict, { now, overdueBefore, claimWithinMs }));
    const today = decideRecovery(record, actual, overdueBefore, holdMs).kind;
    return { jobId, verdict: verdict.kind, today, rule: ruleInWords(record, verdict, policyOf), before, after };
  } catch (cause) {
    // A record that a sweep could not judge either.
    return { jobId, verdict: "none", today: "none", rule: inWords(cause), before, after: null };
  }
}
