// P27: outages and wrong credentials.
import { faultsOf } from "../fault.ts";

const HOLD = "core:domain/hold.test.ts";
const HOLD_MESSAGE = "operations:hold-message.test.ts";
const ANSWERS = "shared/agents/service-answers.test.ts";
const COSMOS = "tests/contract/cosmos-order-store.test.ts";
const TRANSIENT = "core:store/cosmos-answers.test.ts";
const MESSENGER = "core:messaging/service-bus-messenger.test.ts";

export const P27 = faultsOf("P27", [
  ["Cosmos DB's 449 is not tried again.", "core:store/cosmos-answers.ts", "429, 449, 500", "429, 500", TRANSIENT],
  ["Cosmos DB's 410 is not tried again.", "core:store/cosmos-answers.ts", "408, 410, 429", "408, 429", TRANSIENT],
  [
    "A broken connection to the store is not tried again.",
    "core:store/cosmos-answers.ts",
    "return status === undefined ? !(error instanceof TypeError) : TRANSIENT.has(status);",
    "return status !== undefined && TRANSIENT.has(status);",
    TRANSIENT,
  ],
  [
    "A write that can never be made counts as an outage.",
    "core:store/cosmos-answers.ts",
    "return status === BAD_REQUEST || status === TOO_LARGE ||",
    "return status === BAD_REQUEST ||",
    TRANSIENT,
  ],
  [
    "A full partition counts as a missing role.",
    "core:store/cosmos-answers.ts",
    " || (status === FORBIDDEN && substatus === PARTITION_FULL);",
    ";",
    TRANSIENT,
  ],
  [
    "A missing role counts as a full partition.",
    "core:store/cosmos-answers.ts",
    "(status === FORBIDDEN && substatus === PARTITION_FULL)",
    "status === FORBIDDEN",
    TRANSIENT,
  ],
  [
    "A batch that was rejected counts as made.",
    "core:store/cosmos-answers.ts",
    "statusCode >= 400 && statusCode !== FAILED_DEPENDENCY);",
    "statusCode >= 500);",
    COSMOS,
  ],
  [
    "The reason of a rejected batch is that of another operation.",
    "core:store/cosmos-answers.ts",
    " && statusCode !== FAILED_DEPENDENCY);",
    ");",
    TRANSIENT,
  ],
  [
    "A wrong credential uses up the tries of a job.",
    "core:domain/recovery/recovery.ts",
    'if (failed.length > 0 && counted.length === 0) return { kind: "hold", waitMs: holdMs };',
    "",
    HOLD,
  ],
  [
    "Beside another failure a wrong credential uses up the tries of its step.",
    "core:domain/recovery/recovery.ts",
    "(isTakenUp(each.run) && !isMisconfigured(each.run))",
    "isTakenUp(each.run)",
    HOLD,
  ],
  [
    "A wrong credential of an earlier attempt excuses every later outage.",
    "core:domain/recovery/recovery.ts",
    "expiry.attempt === attempt && expiry.misconfigured === true;",
    "expiry.misconfigured === true;",
    HOLD,
    "operations:expiry-cause.test.ts",
  ],
  [
    "One step's wrong credential excuses the others.",
    "core:domain/recovery/recovery.ts",
    "failed.length > 0 && counted.length === 0",
    "failed.length > counted.length",
    HOLD,
  ],
  [
    "A gateway's page counts as the service's rejection.",
    "core:agents/service-answers.ts",
    "(one.code === undefined ? isJson : one.code === code));",
    "(one.code === undefined || one.code === code));",
    ANSWERS,
  ],
  [
    "A rejected credential counts as a passing fault.",
    "core:agents/service-answers.ts",
    '{ from: 100, to: 499, means: "misconfigured", mayHaveHappened: false },',
    '{ from: 100, to: 499, means: "later", mayHaveHappened: false },',
    ANSWERS,
  ],
  [
    "What failed on the way counts as not done.",
    "core:agents/service-answers.ts",
    '{ from: 500, to: 599, means: "later", mayHaveHappened: true },',
    '{ from: 500, to: 599, means: "later", mayHaveHappened: false },',
    ANSWERS,
  ],
  [
    "A message in an outage is thrown back, and counted as delivered.",
    "core:functions/hold-message.ts",
    "if (!isThrown(Outage, cause)) throw cause;",
    "throw cause;",
    HOLD_MESSAGE,
  ],
  [
    "A message is held beyond its lock.",
    "core:functions/hold-message.ts",
    "heldMs + waitMs > timing.holdWithinMs",
    "heldMs > timing.holdWithinMs * 2",
    HOLD_MESSAGE,
  ],
  [
    "A faulty message is held as in an outage.",
    "core:functions/hold-message.ts",
    "if (!isThrown(Outage, cause)) throw cause;",
    "if (cause === undefined) throw cause;",
    HOLD_MESSAGE,
  ],
  [
    "A message that is sent back forgets when it first came.",
    "core:messaging/service-bus-messenger.ts",
    "...(enqueuedAt && { [FIRST_ENQUEUED_AT]: enqueuedAt }),",
    "",
    MESSENGER,
  ],
  [
    "A message that is sent back has the id of the original: its queue drops it.",
    "core:messaging/service-bus-messenger.ts",
    "messageId: idOfCopy(messageId)",
    "messageId",
    MESSENGER,
  ],
  [
    "A report in an outage is late for ever.",
    "core:functions/completions.ts",
    "if (cause instanceof Outage) return AWAY;",
    "if (cause instanceof Outage) return NOBODY_WAITS;",
    "core:functions/completions.test.ts",
  ],
]);
