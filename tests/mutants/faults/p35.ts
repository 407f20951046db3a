// P35: the deadline of a whole job.
import { faultsOf } from "../fault.ts";

const DOMAIN = "core:domain/record/deadline.test.ts";
const SWEEPS = "operations:job-deadline.test.ts";
const WORLD = "testing:world/job-deadline.test.ts";
const STORE = "contract:memory-job-store.test.ts";
const DECISION = "core:domain/recovery/pass-deadline.ts";

export const P35 = faultsOf("P35", [
  [
    "A new record has no deadline.",
    "core:submission/draft-record.ts",
    "return { ...record, steps, ...deadlineOf(workflow, at) };",
    "return { ...record, steps };",
    WORLD,
  ],
  [
    "A job in compensation is hit by its deadline.",
    DECISION,
    'if (!deadline || hasEnded(processState) || direction === "compensate") {',
    "if (!deadline || hasEnded(processState)) {",
    DOMAIN,
  ],
  [
    "A job that has ended is hit by its deadline.",
    DECISION,
    'if (!deadline || hasEnded(processState) || direction === "compensate") {',
    'if (!deadline || direction === "compensate") {',
    DOMAIN,
  ],
  [
    "What follows a deadline is always a compensation.",
    DECISION,
    'deadline.onExpired === "fail" ? "failAtDeadline" : "compensateAtDeadline"',
    '"compensateAtDeadline"',
    DOMAIN,
  ],
  [
    "A job whose deadline has passed keeps it in Error.",
    DECISION,
    "const failed: StateRecord = {\n    ...withoutDeadline(record),",
    "const failed: StateRecord = {\n    ...record,",
    DOMAIN,
  ],
  [
    "The sweep looks for no deadlines.",
    "core:supervisor/walk-overdue.ts",
    'const SEARCHES = ["pastDeadline", "due"] as const;',
    'const SEARCHES = ["due"] as const as readonly ["pastDeadline" | "due"];',
    SWEEPS,
  ],
  [
    "What is due of a job comes before its deadline.",
    "core:supervisor/recover-job.ts",
    "const verdict: AnyVerdict = passed ?? (await judge());",
    'const judged = await judge();\n    const verdict: AnyVerdict = judged.kind === "later" ? (passed ?? judged) : judged;',
    SWEEPS,
  ],
  [
    "The alert of a job that failed at its deadline is left out.",
    "core:supervisor/recover-job.ts",
    'if (verdict.kind === "fail" || verdict.kind === "failAtDeadline") {',
    'if (verdict.kind === "fail") {',
    SWEEPS,
  ],
  [
    "A job that ends in time keeps its deadline.",
    "core:domain/steps/step-end.ts",
    "const concluded = applyChanges(withoutDeadline(rest), concluding",
    "const concluded = applyChanges(rest, concluding",
    WORLD,
  ],
  [
    "The last step of a job with a deadline is written without a read.",
    "core:scheduler/steps/record-step.ts",
    "if (join.next.length === 0 && ports.workflows.find(task.workflow)?.deadline) return undefined;",
    "",
    WORLD,
  ],
  [
    "A claim with nothing left to do keeps the deadline.",
    "core:domain/steps/transitions.ts",
    '...(deadlineAt ? [set(["deadlineAt"], null)] : []),',
    "",
    STORE,
  ],
  [
    "An extension leaves the deadline where it is.",
    "core:domain/operator/operator.ts",
    "dueAt: orReminder(later, { ...record, steps }),\n    ...deadline,",
    "dueAt: orReminder(later, { ...record, steps }),",
    WORLD,
  ],
  [
    "A resubmitted job has no deadline.",
    "core:domain/operator/resubmit.ts",
    "...(hasEnded(record.processState) && deadlineOf(workflow, context.now)),",
    "",
    DOMAIN,
    WORLD,
  ],
]);
