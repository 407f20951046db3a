// P20: the judge of the fault runs.
import { faultsOf } from "../fault.ts";

const JUDGE = "testing:faults/judge.test.ts";
const JUDGES = "testing:faults/judge.ts";

export const P20 = faultsOf("P20", [
  [
    "The judge of the fault runs does not see an effect that was had twice.",
    JUDGES,
    'one.length === other.length && one.toSorted().join("\\n") === other.toSorted()',
    'one.toSorted().join("\\n") === [...new Set(other)].toSorted()',
    JUDGE,
  ],
  [
    "The judge of the fault runs does not see a job that is still held.",
    JUDGES,
    "...(lockedBy === null ? [] : [`${lockedBy} still holds it`]),",
    "",
    JUDGE,
  ],
  [
    "The judge of the fault runs does not see a message that is still owed.",
    JUDGES,
    "...(outbox.length === 0 ? [] : [`not published:",
    "...(outbox.length > 99 ? [] : [] as never, outbox.length < 99 ? [] : [`not published:",
    JUDGE,
  ],
  [
    "The judge of the fault runs does not see a job that has not ended.",
    JUDGES,
    "...(hasEnded(processState) ? [] : [`it has not ended",
    "...(processState ? [] : [`it has not ended",
    JUDGE,
  ],
  [
    "The judge of the fault runs does not see what a compensation left.",
    JUDGES,
    "if (isCompensated && forward.length > 0 && compensated.length === 0)",
    "if (isCompensated && forward.length > 99)",
    JUDGE,
  ],
]);
