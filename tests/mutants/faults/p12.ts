// P12: several supervisors and operators.
import { faultsOf } from "../fault.ts";

const COSMOS_STORE = "tests/contract/cosmos-order-store.test.ts";
const MEMORY_STORE = "contract:memory-job-store.test.ts";

export const P12 = faultsOf("P12", [
  [
    "On Cosmos DB a record is replaced at any version.",
    "core:store/cosmos-job-store.ts",
    ".replace<{ id: string } & StateRecord>(stateOf(record), { accessCondition })",
    ".replace<{ id: string } & StateRecord>(stateOf(record))",
    COSMOS_STORE,
  ],
  [
    "On Cosmos DB the record that a closing replaces may have changed.",
    "core:store/cosmos-job-store.ts",
    'const state = { operationType: "Replace", id: STATE_ID, ifMatch: etag, resourceBody };',
    'const state = { operationType: "Replace", id: STATE_ID, resourceBody };',
    COSMOS_STORE,
  ],
  [
    "On Cosmos DB a job is erased at any version.",
    "core:store/cosmos-documents.ts",
    "id: STATE_ID, ifMatch: etag,",
    "id: STATE_ID,",
    COSMOS_STORE,
  ],
  [
    "In memory a record is replaced at any version.",
    "testing:memory/memory-job-store.ts",
    "return session.newest(record.jobId)?.etag === read.etag ? put(record)",
    "return states.has(record.jobId) ? put(record)",
    MEMORY_STORE,
  ],
  [
    "In memory two supervisors lead.",
    "testing:memory/memory-leadership.ts",
    "if (holder !== undefined && holder !== name && now() < endsAt) return false;",
    "",
    "contract:memory-leadership.test.ts",
  ],
  [
    "A new leader has the epoch of the one before.",
    "testing:memory/memory-leadership.ts",
    "if (newest !== name) epoch += 1;",
    "",
    "contract:memory-leadership.test.ts",
  ],
  [
    "A supervisor that follows sweeps too.",
    "core:supervisor/sweep.ts",
    'if (election.kind === "following") {',
    'if (election.kind === "following" && !election.leader) {',
    "operations:supervisors.test.ts",
  ],
  [
    "A sweep goes on after its lead is lost.",
    "core:supervisor/sweep.ts",
    "if (await leadership.stillLeads()) return true;",
    "return true;",
    "operations:supervisors.test.ts",
  ],
  [
    "A record that another supervisor was faster to write counts as recovered.",
    "core:supervisor/recover-job.ts",
    'if (written.kind === "rejected") return { ...recovery, outcome: "lost" };',
    'if (written.kind === "rejected") return { ...recovery, outcome: "applied" };',
    "operations:supervisors.test.ts",
  ],
  [
    "An operator acts on a version that was not looked at.",
    "core:scheduler/operating/operate-job.ts",
    "if (!isWantedVersion(read.etag, caller.ifMatch))",
    "if (caller.by === '')",
    "operations:operate-job.test.ts",
  ],
  [
    "An operator's decision is repeated on an attempt that was not seen.",
    "core:scheduler/operating/operate-job.ts",
    'const isOther = read.record.attempt !== attempt && asked.caller.ifMatch === "any";',
    "const isOther = false;",
    "operations:operate-pending-job.test.ts",
  ],
  [
    "A weak entity tag matches.",
    "core:store/wanted-version.ts",
    'return wanted === "any" || wanted.includes(entityTag(etag));',
    'return wanted === "any" || wanted.some((one) => one.endsWith(entityTag(etag)));',
    "operator:messaging/entity-tag.test.ts",
  ],
]);
