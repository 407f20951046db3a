// P22: steps that are done later.
import { faultsOf } from "../fault.ts";

const LONG_RUNNING = "operations:long-running.test.ts";
const POLLED = "operations:polled-steps.test.ts";
const POLL = "core:domain/poll.test.ts";
const COMPLETIONS = "core:functions/completions.test.ts";

export const P22 = faultsOf("P22", [
  [
    "A step that is done later has only the time of its call.",
    "core:scheduler/accept-step.ts",
    "const completeBy = after(at, durationMs(awaitWithin) ?? 0);",
    "const completeBy = after(at, durationMs(task.completeWithin) ?? 0);",
    LONG_RUNNING,
  ],
  [
    "A step that may not wait waits.",
    "core:scheduler/accept-step.ts",
    "if (awaitWithin === undefined) {",
    "if (awaitWithin === '') {",
    LONG_RUNNING,
  ],
  [
    "Any report is taken whose step and job are known.",
    "core:scheduler/take-reply.ts",
    "return record && run && isSame(run.nonce, nonce) ? { record, run } : undefined;",
    "return record && run ? { record, run } : undefined;",
    LONG_RUNNING,
  ],
  [
    "A nonce of a request on a queue is an address for reports.",
    "core:scheduler/take-reply.ts",
    'if (!mayBeDoneLater(record, step, direction, context)) return { kind: "unknown" };',
    "",
    "operations:queue-agents.test.ts",
  ],
  [
    "A report between two attempts is late for ever.",
    "core:scheduler/take-reply.ts",
    'if (isBetween(record, run, direction, context)) return { kind: "not yet" };',
    "",
    LONG_RUNNING,
  ],
  [
    "Each attempt has an address for reports of its own.",
    "core:domain/step-run.ts",
    "nonce: runOf(record, direction)?.nonce ?? nonce() }),",
    "nonce: nonce() }),",
    LONG_RUNNING,
  ],
  [
    "A step that begins anew keeps its old address for reports.",
    "core:domain/operator-steps.ts",
    "function underNextKey({ nonce: _ofOldKey, ...step }: StepRecord)",
    "function underNextKey({ ...step }: StepRecord)",
    "core:domain/operator-steps.test.ts",
  ],
  [
    "Word that a step goes on shortens its time.",
    "core:scheduler/accept-step.ts",
    "completeBy: asked !== undefined && asked > (completeBy ?? now) ? asked : completeBy,",
    "completeBy: asked ?? completeBy,",
    LONG_RUNNING,
  ],
  [
    "A poll that nobody made is found by nobody.",
    "core:domain/poll.ts",
    "return runsInHand(steps).flatMap(({ run }) => missedAt(run) ?? []);",
    "return [];",
    POLLED,
  ],
  [
    "A forgotten poll is not made by the next attempt.",
    "core:domain/poll.ts",
    "const asked = { accepted: { ...(run.accepted as Acceptance), pollAt: now } };",
    "const asked = {};",
    POLLED,
  ],
  [
    "A service is polled a second time for one pause.",
    "core:domain/poll.ts",
    'return state === "Awaiting" && accepted?.pollAt === pollAt;',
    'return state === "Awaiting" && pollAt !== "";',
    POLLED,
  ],
  [
    "A service that can't be polled is asked as often as ever.",
    "core:domain/poll.ts",
    "return Math.min(Date.parse(now) - Date.parse(lastReportAt), LONGEST_BACKOFF_MS);",
    "return SHORTEST_PAUSE_MS;",
    POLL,
  ],
  [
    "A report of any size is read.",
    "core:functions/completions.ts",
    'if (Number(request.headers.get("content-length") ?? 0) > REPORT_LIMIT) return rejected(TOO_LARGE);',
    "",
    COMPLETIONS,
  ],
  [
    "An extension gives a step that is done later no time.",
    "core:domain/operator-steps.ts",
    'run.state === "Awaiting" ? { ...run, completeBy: later(run.completeBy) } : run;',
    "run;",
    "core:domain/operator-compensate.test.ts",
  ],
]);
