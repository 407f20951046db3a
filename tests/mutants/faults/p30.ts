// P30: the desk.
import { faultsOf } from "../fault.ts";

const BULK = "operator:domain/bulk.test.ts";
const HANDLING = "operator:domain/handling.test.ts";
const ACCESS = "operator:messaging/operator-access.test.ts";
const DEAD_LETTERS = "operations:dead-letters.test.ts";
const GROUPS = "operator:operations/group-jobs.test.ts";
const WAITING = "core:domain/waiting.test.ts";

export const P30 = faultsOf("P30", [
  [
    "An action on many jobs has no canary.",
    "operator:domain/bulk.ts",
    "const WAVES = [1, 10, 100] as const;",
    "const WAVES = [100] as const;",
    BULK,
  ],
  [
    "An action on many jobs goes on though the same cause comes back.",
    "operator:domain/bulk.ts",
    'if (share > SAME_CAUSE_LIMIT) return { kind: "stop", share };',
    "",
    BULK,
  ],
  [
    "An action on many jobs stops at a fifth.",
    "operator:domain/bulk.ts",
    "if (share > SAME_CAUSE_LIMIT)",
    "if (share >= SAME_CAUSE_LIMIT)",
    BULK,
  ],
  [
    "A job that ended another way than the action wanted counts as well.",
    "operator:domain/bulk.ts",
    'if (processState === "Processed" || wanted.includes(processState)) return "well";',
    'return "well";',
    BULK,
  ],
  [
    "A job is acted on twice after a death.",
    "operator:operations/run-bulk.ts",
    "return operated.record.history.some(({ what }) => what.includes(mark))",
    "return operated.record.history.some(({ what }) => what === mark)",
    "operations:bulk.test.ts",
  ],
  [
    "An action on many jobs takes a job that has changed since the preview.",
    "operator:operations/run-bulk.ts",
    "ifMatch: [etag] }",
    'ifMatch: etag === "" ? [] : "any" }',
    "operations:bulk.test.ts",
  ],
  [
    "A paused action on many jobs goes on.",
    "operator:operations/run-bulk.ts",
    'if (read?.run.state === "paused") return WHILE_PAUSED;\n  if (read?.run.state !== "running") return OVER;',
    "if (!read) return OVER;",
    "operations:bulk.test.ts",
  ],
  [
    "An operator takes another's claim.",
    "operator:domain/handling.ts",
    "if (others) return rejected(others);",
    "",
    HANDLING,
  ],
  [
    "A claim never ends.",
    "operator:domain/handling.ts",
    "return claim && Date.parse(claim.until) > now ? claim : null;",
    "return claim;",
    HANDLING,
  ],
  [
    "Jobs of two causes are one group.",
    "operator:operations/group-jobs.ts",
    "const parts = [FINGERPRINT_VERSION, workflow.name, step, kind, cause];",
    "const parts = [FINGERPRINT_VERSION, workflow.name, step, kind];",
    GROUPS,
  ],
  [
    "Each job's id makes a cause of its own.",
    "operator:domain/fingerprint.ts",
    'return bare === "" ? null : bare.slice(0, LIMIT);',
    'return message === "" ? null : message.slice(0, LIMIT);',
    "operator:domain/fingerprint.test.ts",
  ],
  [
    "A dead letter is removed before it is sent again.",
    "operator:operations/handle-dead-letter.ts",
    'if (sent.kind === "rejected") return',
    'if (sent.kind === "rejected" && (await letter.complete())) return',
    DEAD_LETTERS,
  ],
  [
    "A message is removed of which the audit log knows nothing.",
    "operator:operations/handle-dead-letter.ts",
    'if (!(await entry.write(message, "discarded"))) {',
    'if ((await entry.write(message, "discarded")) === undefined) {',
    DEAD_LETTERS,
  ],
  [
    "A message is removed of which no copy can be kept.",
    "operator:operations/handle-dead-letter.ts",
    'if (kept === "too-large") {',
    "if (!kept) {",
    DEAD_LETTERS,
  ],
  [
    "Who may read may act.",
    "operator:messaging/operator-access.ts",
    '"Jobs.Read": ["Jobs.Operate", "Jobs.ReadData"] };',
    '"Jobs.Read": ["Jobs.Operate", "Jobs.ReadData"], "Jobs.Operate": ["Jobs.Read"] };',
    ACCESS,
  ],
  [
    "A function key shows secrets.",
    "operator:messaging/operator-access.ts",
    'if (role === "Jobs.ReadData") return',
    "if (role === ('' as Role)) return",
    ACCESS,
  ],
  [
    "A caller chooses the name in the audit log.",
    "operator:messaging/operator-access.ts",
    'operator: "whoever has the function key" };',
    'operator: nameIn(headers, "x-ms-client-principal-name") ?? "whoever has the function key" };',
    ACCESS,
  ],
  [
    "A page of another site acts in an operator's name.",
    "operator:messaging/own-origin.ts",
    "return new URL(origin).host === host;",
    "return true;",
    "operator:messaging/own-origin.test.ts",
  ],
  [
    "A forgotten job looks as if it waited for its start.",
    "core:domain/waiting.ts",
    'isForgotten ? "supervisor" : "start";',
    '"start";',
    WAITING,
  ],
  [
    "A job whose time is over looks as if its agent were at work.",
    "core:domain/waiting.ts",
    'end < after(now, -graceMs)) return wait("supervisor", end);',
    'end < "") return wait("supervisor", end);',
    WAITING,
  ],
  [
    "A step of a paused agent does not say so.",
    "core:domain/waiting.ts",
    'if (isPaused(agent) && !isBegun) return wait("paused", job.reachedAt);',
    "",
    WAITING,
  ],
  [
    "What an operator does stands in no audit log.",
    "core:scheduler/operate-job.ts",
    "  await writeAuditLog(entry, (after ?? before).attempt, context);",
    "",
    "operations:operate-job.test.ts",
  ],
  [
    "What an operator did not do stands in no audit log.",
    "core:scheduler/operate-job.ts",
    "await enter(before, null, `rejected: ${reason}`, at, asked);",
    "",
    "operations:operate-job.test.ts",
  ],
  [
    "An operator acts on a stale read.",
    "core:scheduler/operate-job.ts",
    "const read = await context.store.latest(jobId);",
    "const read = await context.store.state(jobId);",
    "operations:stale-reads.test.ts",
  ],
  [
    "An operator is told that there is no job because of a stale read.",
    "operator:operations/inspect-job.ts",
    "(await ports.store.latest(jobId))",
    "undefined",
    "operations:stale-reads.test.ts",
  ],
]);
