// The supervisor's sweep (P10, P12): the leader finds overdue jobs and recovers them.

import { instant } from "../domain/duration.ts";
import { outageIn } from "../domain/outage.ts";
import type { StateRecord } from "../domain/record/state-record.ts";
import { VERDICTS, type Verdict } from "../domain/recovery/verdicts.ts";
import { inWords } from "../domain/thrown.ts";
import type { Ports, Supervising } from "../scheduler/ports.ts";
import { writeAuditLog } from "../scheduler/write-audit-log.ts";
import { type SweepEntry, sweepIdOf } from "../store/audit-log.ts";
import { inSpan, type SpanOptions } from "../telemetry/spans.ts";
import { createDecisionWriter } from "./decision-writer.ts";
import type { Election } from "./leadership.ts";
import { createPace, isThrottled } from "./pace.ts";
import { decideWriteFollow, type Recover, type Recovery, recoverJob } from "./recover-job.ts";
import { walkOverdue } from "./walk-overdue.ts";

/** How many records each verdict was for, as the table of verdicts names them, and what was not decided. */
type Counts = Record<(typeof VERDICTS)[Verdict["kind"]]["countedAs"] | keyof typeof UNDECIDED, number>;

const UNDECIDED = {
  found: 0,
  /** Another supervisor, or the attempt itself, wrote the record first. */
  lost: 0,
  /** Records that failed, or whose messages were not all published; the next sweep finds them again. */
  broken: 0,
  /** The broken ones that store or bus rejected as too many requests (429). */
  throttled: 0,
};

/** Nothing is counted yet. */
function noCounts(): Counts {
  const ofVerdicts = Object.values(VERDICTS).map(({ countedAs }) => [countedAs, 0]);
  return { ...UNDECIDED, ...Object.fromEntries(ofVerdicts) };
}

interface SweepReport extends Readonly<Counts> {
  /** False if not all was seen: the next sweep continues. */
  readonly finished: boolean;
  readonly endedBy: "all seen" | "time" | "lead lost" | "fault";
}

export type SweepOutcome =
  | ({
      readonly kind: "swept";
      readonly sweepId: string;
      readonly leader: string;
      readonly epoch: number;
    } & SweepReport)
  | Extract<Election, { kind: "following" }>;

/**
 * Sweeps if this supervisor is the leader. Two that both believe they are leaders do no harm: each write is at the version read.
 * @param recover what is done with each overdue record, the longest overdue first
 */
export async function sweep(context: Supervising, recover: Recover = decideWriteFollow): Promise<SweepOutcome> {
  const election = await context.leadership.lead();
  if (election.kind === "following") {
    context.absences.followed();
    context.telemetry.event("SupervisorFollows", { leader: election.leader ?? null });
    return election;
  }
  return new Sweep(context, election, recover).run();
}

/** A sweep that an operator asks for: the audit log has the operator, whatever comes of it. */
export async function sweepFor(operator: string, context: Supervising): Promise<SweepOutcome> {
  const at = instant(context.now());
  const enter = (outcome: string) =>
    writeAuditLog(
      { at, operator, action: "sweep", jobId: null, reason: null, outcome, before: null, after: null },
      null,
      context,
    );
  try {
    const outcome = await sweep(context);
    await enter(
      outcome.kind === "following"
        ? `rejected: ${outcome.leader ?? "another supervisor"} is the leader`
        : `sweep ${outcome.sweepId}: ${outcome.found} overdue, ended by ${outcome.endedBy}`,
    );
    return outcome;
  } catch (cause) {
    await enter(`failed: ${inWords(cause)}`);
    throw cause;
  }
}

/**
 * If an agent crashed, a further attempt helps; if the engine has a backlog, it adds to the backlog, as does a request to an agent's queue, which the
 * engine sends. The record does not show which it is, so a sweep tries a few, the longest overdue first, and checks the others again later.
 */
const MOST_RESCHEDULES = 10;

class Sweep {
  readonly #context: Supervising;
  readonly #recover: Recover;
  readonly #leader: string;
  readonly #epoch: number;
  readonly #begunAt: number;
  readonly #sweepId: string;
  readonly #counts = noCounts();
  #reschedules = 0;
  #endedBy: SweepReport["endedBy"] = "all seen";
  /** After a failed write, the audit log is not used again in this sweep. */
  #auditLogWorks = true;
  readonly #decisions = createDecisionWriter((work) => this.#write(work));

  constructor(context: Supervising, { leader, epoch }: Extract<Election, { kind: "leading" }>, recover: Recover) {
    this.#context = context;
    this.#recover = recover;
    this.#leader = leader;
    this.#epoch = epoch;
    this.#begunAt = context.now();
    this.#sweepId = sweepIdOf(instant(this.#begunAt), epoch, crypto.randomUUID().slice(0, 8));
  }

  async run(): Promise<SweepOutcome> {
    try {
      await this.#walk();
    } catch (cause) {
      // The store can't be searched: the tick fails visibly, after its work so far is recorded.
      this.#endedBy = "fault";
      this.#context.absences.failed();
      await this.#conclude();
      await this.#context.leadership.report(inWords(cause));
      throw cause;
    }
    this.#context.absences.seen();
    const report = await this.#conclude();
    await this.#context.leadership.report(null);
    return { kind: "swept", sweepId: this.#sweepId, leader: this.#leader, epoch: this.#epoch, ...report };
  }

  async #walk(): Promise<void> {
    const { timing, now, leadership } = this.#context;
    const endAt = this.#begunAt + timing.sweepWithinMs;
    const finished = await walkOverdue(this.#context, {
      before: this.#begunAt - timing.clockSkewMs,
      pace: createPace(this.#context, endAt),
      mayGoOn: async () => {
        if (now() > endAt) return false;
        if (await leadership.stillLeads()) return true;
        this.#endedBy = "lead lost";
        return false;
      },
      visit: async (due) => {
        this.#counts.found += 1;
        this.#context.absences.seen();
        const recovery = await inSpan("recover", spanOf(due.record), () =>
          recoverJob(due, () => this.#mayReschedule(), this.#context, this.#recover),
        );
        this.#count(due.record.jobId, recovery);
        this.#decisions.add(decisionOf(due.record.jobId, recovery, this.#sweepId, this.#epoch, now()));
        return isThrottled(recovery.fault) ? "throttled" : "dealt with";
      },
    });
    if (!finished && this.#endedBy === "all seen") this.#endedBy = "time";
  }

  #mayReschedule(): boolean {
    this.#reschedules += 1;
    return this.#reschedules <= MOST_RESCHEDULES;
  }

  #count(jobId: string, { verdict, outcome, fault }: Recovery): void {
    if (fault !== undefined) {
      // One bad record never stops a sweep.
      this.#counts.broken += 1;
      if (isThrottled(fault)) this.#counts.throttled += 1;
      this.#context.telemetry.event("RecoveryFailed", { jobId, cause: inWords(fault), outage: outageIn(fault) });
    } else if (outcome === "lost") this.#counts.lost += 1;
    else if (verdict) this.#counts[VERDICTS[verdict].countedAs] += 1;
  }

  async #conclude(): Promise<SweepReport> {
    const report = { ...this.#counts, finished: this.#endedBy === "all seen", endedBy: this.#endedBy };
    const ms = this.#context.now() - this.#begunAt;
    this.#context.telemetry.event("SupervisorSweep", { ...report, leader: this.#leader, epoch: this.#epoch, ms });
    await this.#decisions.end();
    await this.#write((log) => log.sweep(this.#entry(report)));
    return report;
  }

  #entry(report: SweepReport): Omit<SweepEntry, "kind"> {
    const { timing, workflows, now } = this.#context;
    const failureThresholds = workflows.names.flatMap((name) => {
      const newest = workflows.newest(name);
      if (!newest) return [];
      const { failureThreshold, compensation: { failureThreshold: own } = {} } = newest.policy;
      const ofCompensation = own === undefined ? [] : [[`failureThreshold of compensations in ${name}`, own]];
      return [[`failureThreshold of ${name}`, failureThreshold], ...ofCompensation];
    });
    return {
      sweepId: this.#sweepId,
      at: instant(this.#begunAt),
      endedAt: instant(now()),
      leader: this.#leader,
      epoch: this.#epoch,
      thresholds: { ...timing, ...Object.fromEntries(failureThresholds) },
      report: { ...report },
    };
  }

  /** An audit log that can't be written never stops a sweep, and slows it only once. */
  async #write(write: (log: Ports["supervision"]) => Promise<void>): Promise<void> {
    if (!this.#auditLogWorks) return;
    try {
      await write(this.#context.supervision);
    } catch (cause) {
      if (!this.#auditLogWorks) return;
      this.#auditLogWorks = false;
      this.#context.telemetry.event("AuditLogUnwritten", {
        sweepId: this.#sweepId,
        cause: inWords(cause),
        outage: outageIn(cause),
      });
    }
  }
}

/** A recovery belongs to the trace of its job, not to that of the sweep. */
function spanOf({ jobId, attempt, traceparent }: StateRecord): SpanOptions {
  return { traceparent, attributes: { jobId, attempt } };
}

/** Many decisions are written in one request. */
const FAULT_LIMIT = 1000;

function decisionOf(jobId: string, recovery: Recovery, sweepId: string, epoch: number, now: number) {
  const { verdict = "none", fault, ...decided } = recovery;
  const decision = { sweepId, jobId, at: instant(now), epoch, verdict, ...decided };
  return fault === undefined ? decision : { ...decision, fault: inWords(fault).slice(0, FAULT_LIMIT) };
}
