// P16: what a death between two writes leaves.
import { faultsOf } from "../fault.ts";

const ATTEMPTS = "operations:attempts.test.ts";
const ACTIVITY = "operations:in-one-activity.test.ts";
const PUBLISH = "core:scheduler/publishing/publish.ts";

export const P16 = faultsOf("P16", [
  [
    "A step that was done is not published by its second run.",
    "core:scheduler/steps/record-step.ts",
    "const completed = isRepeat ? completionsOf(record) :",
    "const completed = isRepeat ? [] :",
    "operations:polled-steps.test.ts",
  ],
  [
    "A step that was done asks its service again.",
    "core:scheduler/steps/run-step.ts",
    "if (isOver(runOf(given.record, given.direction))) return (await recordedEnd(given, context, true)) ?? SUPERSEDED;",
    "",
    ACTIVITY,
  ],
  [
    "A second run of a claim publishes nothing.",
    "core:scheduler/claim-job.ts",
    "await publish(record, [...startOf(record), ...completionsOf(record)], context);",
    "",
    ATTEMPTS,
  ],
  [
    "A write whose answer was lost counts as another's.",
    "core:scheduler/operating/operate-job.ts",
    'return stored && isOwn(stored.record, record) ? { kind: "written", ...stored } : written;',
    "return written;",
    "operations:operate-job.test.ts",
  ],
  [
    "A claim that concluded its job, and whose answer was lost, is published by nobody.",
    "core:scheduler/claim-job.ts",
    'const concluded = written.kind === "written" ? written : await concludedAlready(pending, context);',
    'const concluded = written.kind === "written" ? written : undefined;',
    "operations:lost-answers.test.ts",
  ],
  [
    "A step beside a rejected one is not published before Failed.",
    "core:scheduler/publishing/publish.ts",
    "await publishAll(ended, context);",
    "await clearOutbox(ended, context);",
    ATTEMPTS,
  ],
  [
    "The end of an attempt that stopped early is published by nobody.",
    "core:scheduler/publishing/publish.ts",
    'if (processState === "Processed") return concludeJob(stored, context);',
    'if (processState === "Processed") return;',
    "operations:lost-answers.test.ts",
  ],
  [
    "Before a next attempt the steps that were done are not published.",
    PUBLISH,
    "{ completions: completionsOf(stored.record), onSent }",
    "{ onSent }",
    "operations:sweep.test.ts",
  ],
  [
    "After the loss of an engine the last statuses are sent again and again.",
    "core:scheduler/publishing/publish-ends-again.ts",
    "searchedTo.set(hub, to);",
    "",
    "operations:publish-ends-again.test.ts",
  ],
  [
    "After the loss of an engine nothing is looked for.",
    "core:scheduler/publishing/publish-ends-again.ts",
    "if (!claim) return;",
    "if (claim) return;",
    "operations:publish-ends-again.test.ts",
  ],
  [
    "A run that finds its step done misses the end because of a stale read.",
    "core:scheduler/steps/record-step.ts",
    "(isFinal ? store.latest(task.jobId) : store.state(task.jobId))",
    "(isFinal ? store.state(task.jobId) : store.state(task.jobId))",
    "operations:stale-reads.test.ts",
  ],
  [
    "A step that ended its process is not recorded as at work the next time.",
    "core:scheduler/steps/take-up.ts",
    " && !mayHaveKilled(this.#task)",
    "",
    "operations:killing-steps.test.ts",
  ],
  [
    "The first death of a process is not held against its step.",
    "core:scheduler/steps/take-up.ts",
    "return waitCount > 0 || (failureCount > 0 && expiry === undefined);",
    "return failureCount > 0 && expiry === undefined;",
    "operations:killing-steps.test.ts",
  ],
  [
    "A request that comes again goes out before it is said to be taken up.",
    "core:scheduler/steps/answer-request.ts",
    "if (isRedelivered && start && !awaited) await say();",
    "",
    "operations:killing-steps.test.ts",
  ],
]);
