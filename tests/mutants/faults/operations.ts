// P20 and P30 to P32: what people see and decide, what of one job shows in another's, and who judges the fault runs.
import { faultsOf } from "../fault.ts";

const JUDGE = "testing:faults/judge.test.ts";
const JUDGES = "testing:faults/judge.ts";
const UNSETTLED = "testing:world/unsettled.test.ts";
const BULK = "desk:bulk.test.ts";
const ACCESS = "core:functions/sign-in.test.ts";
const DEAD_LETTERS = "desk:dead-letters.test.ts";
const OPERATE = "operations:operate-job.test.ts";
const NEIGHBOURS = "shared/agents/neighbours.test.ts";
const SHARES = "operations:fair-shares.test.ts";
const NOT_REPEATED = "operations:not-repeated.test.ts";
const OUTCOME = "core:domain/operator/record-outcome.ts";

export const OF_OPERATIONS = [
  ...faultsOf("P20", [
    [
      "The judge of the fault runs does not see a job that has not ended.",
      `${JUDGES} restFaults`,
      ["drop element", "hasEnded"],
      JUDGE,
    ],
  ]),
  ...faultsOf("P30", [
    [
      "An action on many jobs goes on though the same cause comes back.",
      "operator:domain/bulk.ts afterWave",
      ["never", "SAME_CAUSE_LIMIT"],
      "operator:domain/bulk.test.ts",
    ],
    [
      "An action on many jobs takes a job that has changed since the preview.",
      "operator:operations/run-bulk.ts actOn",
      ["set member", "ifMatch", '"any"'],
      BULK,
    ],
    [
      "A dead letter is removed before it is sent again.",
      "operator:operations/handle-dead-letter.ts resend",
      ["text", 'sent.kind === "rejected"', 'sent.kind === "rejected" && (await letter.complete())'],
      DEAD_LETTERS,
    ],
    ["A function key shows secrets.", "core:functions/sign-in.ts accessTo", ["never", "Jobs.ReadData"], ACCESS],
    [
      "A page of another site acts in an operator's name.",
      "core:functions/sign-in.ts isOwnOrigin",
      ["return", "true"],
      ACCESS,
    ],
    [
      "What an operator does stands in no audit log.",
      "core:scheduler/operating/operate-job.ts enter",
      ["drop call", "writeAuditLog"],
      OPERATE,
    ],
  ]),
  ...faultsOf("P31", [
    [
      "A rejection of one job's request rests the endpoint for all.",
      "core:agents/one-try.ts releaseFailed",
      ["text", '"answered"', '"failed"'],
      NEIGHBOURS,
    ],
    [
      "The pause that a service asks of one job holds up all.",
      "core:agents/one-try.ts releaseFailed",
      ["text", "key: idempotencyKey }", "key: idempotencyKey, restMs: retryAfterMs }"],
      NEIGHBOURS,
    ],
    [
      "A key is active for ever.",
      "core:scheduler/admission/fair-shares.ts forgetInactive",
      ["never", "ACTIVE_MS"],
      SHARES,
    ],
  ]),
  ...faultsOf("P32", [
    [
      "An outcome is recorded while an agent may be at work.",
      `${OUTCOME} obstacleTo`,
      ["never", "until"],
      NOT_REPEATED,
    ],
    [
      "A person records a result that its agent does not declare.",
      "core:scheduler/operating/checked-request.ts withCheckedResult",
      ["never", "misfit"],
      NOT_REPEATED,
    ],
    [
      "A compensation comes before its request has landed.",
      "core:domain/steps/unsettled.ts compensationOf",
      ["text", "notBefore > now", "false"],
      UNSETTLED,
    ],
    [
      "What nobody knows of is compensated, whatever its policy says.",
      "core:domain/steps/unsettled.ts compensationOf",
      ["never", "onUnknown"],
      UNSETTLED,
    ],
  ]),
];
