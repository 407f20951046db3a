// P28: other versions.
import { faultsOf } from "../fault.ts";

const COSMOS_STORE = "tests/contract/cosmos-order-store.test.ts";
const CONDITION = "core:store/guarded-patch.ts";

export const P28 = faultsOf("P28", [
  [
    "On Cosmos DB a write changes a record of another version.",
    CONDITION,
    '`${documentPath("schemaVersion")} = ${RECORD_VERSION}`,',
    "",
    `${COSMOS_STORE} -t records of other versions`,
  ],
  [
    "A newer app's record is read as if it were this one's.",
    "core:store/record-versions.ts",
    "if (version > RECORD_VERSION) {",
    "if (version > RECORD_VERSION + 1) {",
    "tests/contract/memory-stored-records.test.ts",
  ],
  [
    "A record of an older version misses one conversion.",
    "core:store/record-versions.ts",
    "UPGRADES.slice(version).reduce(",
    "UPGRADES.slice(version + 1).reduce(",
    "tests/contract/memory-stored-records.test.ts",
  ],
  [
    "A newer app's message is taken.",
    "core:messaging/message-version.ts",
    'if (typeof version === "number" && version > MESSAGE_VERSION) throw',
    'if (typeof version === "number" && version > 99) throw',
    "core:messaging/message-version.test.ts",
  ],
  [
    "A job goes on with whatever version of its workflow there is.",
    "core:domain/workflows/workflows.ts",
    "name === ref.name && version === ref.version",
    "name === ref.name",
    "operations:missing-workflow.test.ts",
  ],
  [
    "New jobs start with the oldest version of their workflow.",
    "core:domain/workflows/workflows.ts",
    "other.version - one.version",
    "one.version - other.version",
    "operations:submission.test.ts",
  ],
  [
    "A job of a newer app's workflow is quarantined after a rollback.",
    "core:submission/reject-submission.ts",
    "  if (unknownWorkflow !== undefined) await waitForNewer(unknownWorkflow, message, context);\n",
    "",
    "operations:missing-workflow.test.ts",
  ],
  [
    "A job waits for a newer version for ever.",
    "core:submission/reject-submission.ts",
    "ports.now() - Date.parse(enqueuedAt) > WAITS_FOR_NEWER_MS",
    "ports.now() < 0",
    "operations:missing-workflow.test.ts",
  ],
]);
