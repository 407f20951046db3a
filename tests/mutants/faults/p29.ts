// P29: retention.
import { faultsOf } from "../fault.ts";

const CLOSE = "operations:close-jobs.test.ts";
const COSMOS = "tests/contract/cosmos-order-store.test.ts";
const RETENTION = "core:domain/record/retention.test.ts";
const REMOVE = "operations:remove-attempts.test.ts";

export const P29 = faultsOf("P29", [
  [
    "A job that owes a message is over.",
    "core:domain/record/retention.ts",
    "if (outbox.length > 0) return false;",
    "",
    RETENTION,
  ],
  [
    "A job in Error is over that a person has to see to.",
    "core:domain/record/retention.ts",
    'return processState === "Error" ? error?.kind === "resolved" : hasEnded(processState);',
    "return hasEnded(processState) || error?.kind === '';",
    CLOSE,
  ],
  [
    "A message is left in a closed record whose documents expire.",
    "core:domain/record/outbox.ts",
    "if (!keptUntil) return write;",
    "return write;",
    CLOSE,
  ],
  [
    "A job that goes on again stays closed.",
    "core:domain/record/retention.ts",
    "const { overAt: _over, overInErrorAt: _inError, keptUntil: _closed, unrecovered",
    "const { overAt: _over, overInErrorAt: _inError, unrecovered",
    CLOSE,
  ],
  [
    "A job is closed though its archive is away.",
    "core:supervisor/close-jobs.ts",
    "await archive.add(read.flatMap((entry) => entry ?? []));",
    "await archive.add(read.flatMap((entry) => entry ?? [])).catch(() => undefined);",
    CLOSE,
  ],
  [
    "Secrets stand in the archive.",
    "core:supervisor/close-jobs.ts",
    "jobs: jobs.map((job) => withoutSecrets(job, secrets)) };",
    "jobs };",
    CLOSE,
  ],
  [
    "Secrets stay in a closed job.",
    "core:supervisor/close-jobs.ts",
    "const lifetime = { revisions: over.record.jobRevision, keepMs, secrets };",
    "const lifetime = { revisions: over.record.jobRevision, keepMs, secrets: [] };",
    CLOSE,
  ],
  [
    "A job that was just completed is closed while its last message is sent.",
    "core:supervisor/close-jobs.ts",
    '["Processed", STILL_PUBLISHED_MS],',
    '["Processed", 0],',
    CLOSE,
  ],
  [
    "One content that can't be read stops the closing of all.",
    "core:supervisor/close-jobs.ts",
    "if (cause instanceof Outage) throw cause;\n",
    "throw cause;\n",
    CLOSE,
  ],
  [
    "On Cosmos DB only the first revision of a content expires.",
    "core:store/cosmos-documents.ts",
    "return Array.from({ length: lifetime.revisions }, (_, index) => {",
    "return Array.from({ length: 1 }, (_, index) => {",
    COSMOS,
  ],
  [
    "On Cosmos DB a closed job keeps its secrets.",
    "core:store/cosmos-documents.ts",
    "for (const name of lifetime.secrets) operations.push(",
    "for (const name of lifetime.secrets.slice(1)) operations.push(",
    COSMOS,
  ],
  [
    "On Cosmos DB a job that is open again expires.",
    "core:store/cosmos-documents.ts",
    "keepMs === null ? FOR_EVER :",
    "keepMs === null ? 1 :",
    "core:store/cosmos-documents.test.ts",
  ],
  [
    "On Cosmos DB an erased job keeps the content before its last edit.",
    "core:store/cosmos-documents.ts",
    "Array.from({ length: revisions }, (_, index) => contentId(",
    "Array.from({ length: 1 }, (_, index) => contentId(",
    COSMOS,
  ],
  [
    "The engine's data of attempts is removed that are to be kept.",
    "core:supervisor/remove-attempts.ts",
    "const to = Math.min(doneUntil + widthMs, before);",
    "const to = doneUntil + widthMs;",
    REMOVE,
  ],
  [
    "Attempts that ended late are never removed.",
    "core:supervisor/remove-attempts.ts",
    "if (doneUntil >= before && now() < endAt) removed +=",
    "if (doneUntil < 0) removed +=",
    REMOVE,
  ],
  [
    "A job that has something to publish is erased.",
    "operator:operations/erase-job.ts",
    "const mayBe = isOver(record);",
    "const mayBe = true;",
    "operations:erase-job.test.ts",
  ],
  [
    "A job is erased without an entry in the audit log.",
    "operator:operations/erase-job.ts",
    'await context.supervision.operatorAction({ at, operator, action: "erase", jobId, reason, outcome, ...snapshots });',
    'await context.supervision.operatorAction({ at, operator, action: "erase", jobId, reason, outcome, ...snapshots }).catch(() => undefined);',
    "operations:erase-job.test.ts",
  ],
]);
