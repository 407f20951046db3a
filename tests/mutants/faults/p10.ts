// P10: the supervisor's sweep, its counts and its threshold.
import { faultsOf } from "../fault.ts";

const RECOVERY = "core:domain/recovery/recovery.test.ts";
const SWEEP = "operations:sweep.test.ts";
// Its first test measures the machine's speed.
const PACE = "operations:sweep-pace.test.ts -t record";
const SLOW_LOG = "operations:sweep-pace.test.ts -t a slow audit log";
const SUPERVISORS = "operations:supervisors.test.ts";
const COSMOS = "tests/contract/cosmos-order-store.test.ts";
const DECISION = "core:domain/recovery/recovery.ts";
const RECOVER_JOB = "core:supervisor/recover-job.ts";

export const P10 = faultsOf("P10", [
  [
    "A threshold of three means four failed attempts.",
    DECISION,
    "if (failures < policy.failureThreshold)",
    "if (failures <= policy.failureThreshold)",
    RECOVERY,
  ],
  [
    "The first failure is not counted.",
    DECISION,
    "const failures = policy.failuresBefore + 1;",
    "const failures = policy.failuresBefore;",
    RECOVERY,
  ],
  [
    "A retry does not raise the failure count.",
    DECISION,
    "record.failureCount + (isFailure ? 1 : 0);",
    "record.failureCount;",
    RECOVERY,
  ],
  [
    "A recovered record keeps its holder.",
    DECISION,
    ".makes].to,\n    lockedBy: null,",
    ".makes].to,\n    lockedBy: record.lockedBy,",
    RECOVERY,
  ],
  [
    "A recovered record stays in its attempt.",
    DECISION,
    "const attempt = record.attempt + 1;",
    "const attempt = record.attempt;",
    RECOVERY,
  ],
  [
    "A step counts as expired that may be at work by another clock.",
    RECOVER_JOB,
    "const overdueBefore = instant(now - clockSkewMs);",
    "const overdueBefore = instant(now);",
    "operations:independent-steps.test.ts",
  ],
  [
    "A sweep finds records that are due by this clock alone.",
    "core:supervisor/sweep.ts",
    "before: this.#begunAt - timing.clockSkewMs,",
    "before: this.#begunAt,",
    SWEEP,
  ],
  [
    "The scheduler is not notified of a retry.",
    RECOVER_JOB,
    "if (isStarted) await startAttemptAt(until, written, context);",
    "",
    SWEEP,
  ],
  [
    "The supervisor gives a job up without an alert.",
    RECOVER_JOB,
    "reportError(written.record, context.telemetry);",
    "",
    SWEEP,
  ],
  [
    "A record that can't be recovered does not step back.",
    RECOVER_JOB,
    "if (!isWriting) await stepBack(due, fault, context);",
    "",
    PACE,
  ],
  [
    "A record that can't be recovered is looked at as often as ever.",
    "core:domain/recovery/unrecovered.ts",
    "Math.min(Math.max(Date.parse(now) - Date.parse(since), SHORTEST_MS), longest)",
    "SHORTEST_MS",
    PACE,
  ],
  [
    "Records that can't be recovered go before the others.",
    "core:supervisor/walk-overdue.ts",
    "if (!found.record.unrecovered) {",
    "if (found.record) {",
    PACE,
  ],
  [
    "A record is visited twice by a search that begins anew.",
    "core:supervisor/walk-overdue.ts",
    "if (this.#seen.has(jobId)) return;",
    "",
    PACE,
  ],
  ["One bad record ends the sweep.", RECOVER_JOB, "return { ...recovery, fault };", "throw fault;", SWEEP],
  [
    "On Cosmos DB the records that are due last come first.",
    "core:store/cosmos-job-store.ts",
    "`c.dueAt < @instant AND ${LOOKED_AT} ORDER BY c.dueAt`",
    "`c.dueAt < @instant AND ${LOOKED_AT} ORDER BY c.dueAt DESC`",
    `${COSMOS} -t due finds`,
  ],
  [
    "On Cosmos DB a record that stepped back is found at once.",
    "core:store/cosmos-job-store.ts",
    "AND ${LOOKED_AT} ORDER BY",
    "ORDER BY",
    COSMOS,
  ],
  ["A sweep has no end.", "core:supervisor/sweep.ts", "if (now() > endAt) return false;", "", SUPERVISORS],
  [
    "A sweep that is asked for less asks for as much.",
    "core:supervisor/pace.ts",
    "atOnce = Math.max(1, atOnce / 2);",
    "",
    "core:supervisor/supervision.test.ts",
  ],
  [
    "Of a sweep's decisions only some stand in the audit log.",
    "core:supervisor/decision-writer.ts",
    "writing ??= writeAll();",
    "writing ??= writeAll();\n      while (pending.length > MOST_DECISIONS) pending.pop();",
    SLOW_LOG,
  ],
  [
    "The attempt of a job that nobody claimed is not started again.",
    "core:domain/steps/verdicts.ts",
    'countedAs: "startsRepeated",',
    'countedAs: "startsRepeated", isStarted: false,',
    SWEEP,
  ],
]);
