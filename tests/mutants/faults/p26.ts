// P26: too much to do.
import { faultsOf } from "../fault.ts";

const RECOVERY = "core:domain/recovery.test.ts";
const SWEEP = "operations:sweep.test.ts";
const ADMISSION = "operations:admission.test.ts";
const PRESENCE = "operations:agent-presence.test.ts";

export const P26 = faultsOf("P26", [
  [
    "A step that waited because there is too much to do counts as a failure.",
    "core:domain/recovery.ts",
    "const failed = own.filter((each) => isTakenUp(each.run) || untaken.has(runKey(each)) || isLost(each));",
    "const failed = own;",
    RECOVERY,
    SWEEP,
  ],
  [
    "A step that nobody takes up is never a failure.",
    "core:domain/recovery.ts",
    "const failed = own.filter((each) => isTakenUp(each.run) || untaken.has(runKey(each)) || isLost(each));",
    "const failed = own.filter((each) => isTakenUp(each.run) || isLost(each));",
    SWEEP,
  ],
  [
    "A step counts as a failure the first time that nobody takes it up.",
    "core:supervisor/judge-waits.ts",
    'standing === "absent" && run.waitCount + 1 >= timing.mostTimesUntaken;',
    'standing === "absent";',
    SWEEP,
  ],
  [
    "A step that nobody takes up has one time more.",
    "core:supervisor/judge-waits.ts",
    "run.waitCount + 1 >= timing.mostTimesUntaken;",
    "run.waitCount >= timing.mostTimesUntaken;",
    SWEEP,
  ],
  [
    "A step of a paused agent is tried again and again.",
    "core:supervisor/judge-waits.ts",
    'paused: "none",',
    'paused: "all",',
    SWEEP,
  ],
  [
    "A sweep schedules every job again that waits for its agent.",
    "core:supervisor/sweep.ts",
    "return this.#reschedules <= MOST_RESCHEDULES;",
    "return true;",
    SWEEP,
  ],
  [
    "There is one job in flight more than the limit.",
    "core:scheduler/admission.ts",
    "return held - waits.places < limit * SHARE[lane]",
    "return held - waits.places <= limit * SHARE[lane]",
    ADMISSION,
  ],
  [
    "Each process takes all the room that it finds.",
    "core:scheduler/admission.ts",
    "const PART_OF_ROOM = 0.25;",
    "const PART_OF_ROOM = 1;",
    ADMISSION,
  ],
  [
    "The jobs that wait for one agent hold back all others.",
    "core:scheduler/admission.ts",
    "if (agent !== undefined) return { agent };",
    "if (heldUp.size > 0) return { agent: String([...heldUp][0]) };",
    ADMISSION,
  ],
  [
    "The jobs that wait for one agent take the others' places.",
    "core:scheduler/admission.ts",
    "return held - waits.places < limit * SHARE[lane]",
    "return held < limit * SHARE[lane]",
    ADMISSION,
  ],
  [
    "New jobs are admitted while the engine has a backlog.",
    "core:scheduler/admission.ts",
    'if (waits.elsewhere > mostWaiting) return "no room";',
    "",
    ADMISSION,
  ],
  [
    "An agent is absent as soon as it is watched.",
    "core:scheduler/agent-presence.ts",
    'return at > since ? "unknown" : "absent";',
    'return "absent";',
    PRESENCE,
  ],
  [
    "A process notes each time that it sees an agent.",
    "core:scheduler/agent-presence.ts",
    "< NOTE_EVERY_MS) return;",
    "< 0) return;",
    PRESENCE,
  ],
  [
    "A paused agent is called.",
    "core:agents/route-agent.ts",
    'if (settings.mayBegin && !(await settings.mayBegin(agent.name))) return { kind: "notTakenUp" };',
    "",
    "core:agents/paused-agent.test.ts",
  ],
  [
    "Jobs of a paused workflow are recorded.",
    "core:submission/submit-job.ts",
    'if (await context.pauses?.isPaused({ kind: "workflow", name: job.workflow })) {',
    "if (await context.pauses?.isPaused({ kind: \"workflow\", name: '' })) {",
    "operations:pauses.test.ts",
  ],
  [
    "A step that is taken up late is not recorded as at work.",
    "core:scheduler/take-up.ts",
    "if (completeBy <= inTime && !this.#isNotRepeated && !mayHaveKilled(this.#task)) return { completeBy };",
    "if (!this.#isNotRepeated && !mayHaveKilled(this.#task)) return { completeBy };",
    "operations:attempts.test.ts",
  ],
  [
    "A job does not say that it waits for an agent that never took its step up.",
    "core:domain/held-up.ts",
    "return waitCount > 0 || failureCount > 0 ||",
    "return failureCount > 0 ||",
    "core:domain/held-up.test.ts",
  ],
  [
    "What is never taken up is scheduled again for ever.",
    "core:supervisor/judge-waits.ts",
    "(run.waitCount + 1) % timing.mostTimesRescheduled === 0;",
    "run.waitCount < 0;",
    "operations:killing-steps.test.ts",
  ],
  [
    "What was scheduled as often as it may be is tried like any failure.",
    "core:domain/recovery.ts",
    "isLost(each) ? GIVE_UP : policyOf(step)",
    "policyOf(step)",
    "operations:killing-steps.test.ts",
  ],
]);
