// The tests against each attack of docs/explanation/threat-model.md, by its number there: a file, and a part of a test's title in it.

export type Shown = readonly [file: string, title: string];

export const THREATS: { readonly [attack: string]: readonly Shown[] } = {
  S1: [
    ["packages/core/tests/operations/submission.test.ts", "bad input"],
    ["tests/stack/hostile-requests.test.ts", "nested 20,000 deep"],
    ["packages/core/src/messaging/checked.test.ts", "unknown members ten"],
    ["tests/stack/hostile-requests.test.ts", "a slow expression"],
  ],
  S2: [
    ["packages/core/tests/operations/submission.test.ts", "delivered again after"],
    ["packages/core/tests/operations/submission.test.ts", "nothing of the first"],
  ],
  S3: [["packages/core/src/app/unsafe-settings.test.ts", "is called as reply queues are"]],
  S4: [
    ["packages/core/tests/operations/submission.test.ts", "secret is repeated"],
    ["tests/stack/operator-roles.test.ts", "nor does an order"],
  ],
  S5: [
    ["tests/stack/senders.test.ts", "another sender's queue"],
    ["tests/stack/senders.test.ts", "id and the session"],
  ],
  S6: [
    ["packages/client/src/status-inbox.test.ts", "never throws"],
    ["packages/client/src/status-inbox.test.ts", "once a digest"],
  ],
  S7: [["packages/core/tests/telemetry/spans.test.ts", "traceparent %s"]],
  S8: [
    ["tests/stack/senders.test.ts", "never sold"],
    ["tests/stack/senders.test.ts", "than was captured"],
  ],
  S9: [
    ["tests/stack/senders.test.ts", "cancelled by its own"],
    ["packages/core/tests/operations/cancellation.test.ts", "learns nothing"],
  ],
  R1: [["shared/agents/bounds.test.ts", "that drips"]],
  R2: [
    ["tests/stack/hostile-requests.test.ts", "of 300 KB"],
    ["packages/core/tests/operations/queue-agents.test.ts", "request that is too"],
  ],
  R3: [
    ["shared/agents/bounds.test.ts", "is no id"],
    ["shared/agents/bounds.test.ts", "line break"],
  ],
  R4: [["shared/agents/service-answers.test.ts", "gateway's words"]],
  R5: [
    ["packages/core/tests/operations/long-running.test.ts", "forged address"],
    ["packages/core/tests/operations/long-running.test.ts", "says neither"],
  ],
  R6: [["packages/operator/src/messaging/dead-letter-message.test.ts", "what an agent says"]],
  R7: [
    ["tests/stack/agent-queue.test.ts", "forged reply"],
    ["packages/core/tests/operations/queue-agents.test.ts", "another agent's"],
  ],
  R8: [["shared/agents/order-for.test.ts", "what it declares"]],
  R9: [
    ["packages/core/src/domain/content/redactor.test.ts", "is hidden"],
    ["shared/agents/authentication.test.ts", "where the service takes"],
    ["packages/core/tests/operations/queue-agents.test.ts", "repeats a secret"],
  ],
  R10: [["packages/core/tests/operations/code-secrets.test.ts", "gives it to"]],
  R11: [
    ["tests/stack/canaries.test.ts", "changes no store"],
    ["tests/stack/agent-queue.test.ts", "a late reply"],
  ],
  R12: [
    ["packages/local/src/host/log.test.ts", "moves no cursor"],
    ["tests/telemetry/trace-tree.test.ts", "moves no cursor"],
  ],
  R13: [["packages/core/src/agents/endpoint-list.test.ts", "all faults of %j"]],
  O1: [
    ["tests/stack/operator-roles.test.ts", "that take %s"],
    ["tests/stack/operator-roles.test.ts", "however a request"],
  ],
  O2: [
    ["packages/core/src/functions/sign-in.test.ts", "with a function key"],
    ["tests/stack/operator-roles.test.ts", "does not start"],
    ["packages/core/src/app/unsafe-settings.test.ts", "development is rejected"],
  ],
  O3: [
    ["tests/stack/hostile-requests.test.ts", "a filter is a value"],
    ["tests/stack/hostile-requests.test.ts", "a forged continuation"],
    ["tests/stack/hostile-requests.test.ts", "the id %s in a path"],
  ],
  O4: [["tests/stack/operator-roles.test.ts", "nobody else is"]],
  O5: [
    ["packages/core/tests/operations/queue-agents.test.ts", "nonce of a request"],
    ["packages/core/src/functions/completions.test.ts", "one point read"],
  ],
  O6: [
    ["tests/stack/canaries.test.ts", "no secret is seen"],
    ["packages/core/src/app/own-keys.test.ts", "in no log"],
  ],
  O7: [
    ["tests/console/export.test.ts", "spreadsheet runs nothing"],
    ["packages/core/src/functions/sign-in.test.ts", "a name is recorded"],
  ],
  O8: [
    ["tests/stack/listening-ports.test.ts", "bodies that stop"],
    ["tests/stack/listening-ports.test.ts", "its key alone"],
  ],
  O9: [
    ["packages/core/src/functions/signed-in-function.test.ts", "no cache"],
    ["packages/core/tests/operations/close-jobs.test.ts", "without its secrets"],
  ],
  O10: [["packages/core/tests/operations/long-running.test.ts", "as the service's own"]],
  O11: [["tests/stack/operator.test.ts", "version that was looked"]],
  O12: [
    ["tests/stack/canaries.test.ts", "operator takes or releases"],
    ["tests/infra/choices.test.ts", "the app may add"],
    ["packages/operator/tests/operations/erase-job.test.ts", "audit log can't be"],
  ],
  W1: [
    ["tests/stack/hostile-requests.test.ts", "of another site"],
    ["tests/console/serving.test.ts", "change nothing"],
  ],
  W2: [["tests/console/serving.test.ts", "literal policy"]],
  W3: [
    ["tests/stack/listening-ports.test.ts", "every port"],
    ["packages/local/src/foreign-request.test.ts", "is foreign"],
    ["packages/local/src/remotes/fault-key.test.ts", "without the key"],
  ],
  D1: [
    ["tests/infra/bicep.test.ts", "no key is read"],
    ["tests/infra/entities.test.ts", "and nowhere else"],
  ],
  D2: [["tests/infra/choices.test.ts", "right over its package"]],
  D3: [
    ["tests/stack/trace.test.ts", "neither who ordered"],
    ["tests/stack/canaries.test.ts", "stand in the archive"],
  ],
  D4: [
    ["tests/stack/retention.test.ts", "one time to live"],
    ["tests/stack/retention.test.ts", "has an order erased"],
    ["tests/infra/choices.test.ts", "quarantine lets"],
  ],
  C1: [
    ["tests/infra/workflows.test.ts", "has no identity"],
    ["tests/infra/workflows.test.ts", "gets no right"],
  ],
  C2: [["tests/infra/workflows.test.ts", "deployed has passed"]],
  C3: [
    ["tests/infra/workflows.test.ts", "each tool"],
    ["tests/infra/workflows.test.ts", "each action"],
    ["tests/infra/workflows.test.ts", "libraries, modules"],
  ],
  C4: [["tests/infra/workflows.test.ts", "package goes out"]],
};
