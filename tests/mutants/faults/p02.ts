// P2: the state record, and its limits.
import { faultsOf } from "../fault.ts";

const SUBMISSION = "operations:submission.test.ts";

export const P2 = faultsOf("P2", [
  [
    "A new record has a complete-by.",
    "core:domain/record/new-state-record.ts",
    "lockedBy: null,\n    completeBy: null,",
    "lockedBy: null,\n    completeBy: claimBy,",
    SUBMISSION,
  ],
  [
    "A new record has a failure already.",
    "core:domain/record/new-state-record.ts",
    "failureCount: 0,\n    attempt: 1,",
    "failureCount: 1,\n    attempt: 1,",
    SUBMISSION,
  ],
  [
    "A new record is never due: nobody finds a job that was not claimed.",
    "core:domain/record/new-state-record.ts",
    "    dueAt: claimBy,\n",
    "",
    "operations:sweep.test.ts -t nobody claimed",
  ],
  [
    "A text is cut by its characters, and not by its bytes.",
    "core:domain/record/record-limits.ts",
    "jsonBytes(text.slice(0, middle)) <= mostBytes",
    "middle <= mostBytes",
    "core:domain/record/record-limits.test.ts",
  ],
  [
    "A text is cut within a character.",
    "core:domain/record/record-limits.ts",
    "return text.slice(0, fits).toWellFormed();",
    "return text.slice(0, fits);",
    "core:domain/record/record-limits.test.ts",
  ],
  [
    "A record keeps every entry of its history.",
    "core:domain/recovery/next-attempt.ts",
    "what: asEntry(what), by }].slice(-HISTORY_LIMIT)",
    "what: asEntry(what), by }]",
    "core:domain/operator/operator.test.ts",
  ],
]);
