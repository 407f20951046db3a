// P35: jobs that start jobs.
import { faultsOf } from "../fault.ts";

const CHILDREN = "operations:child-jobs.test.ts";
const WORLD = "testing:world/child-jobs.test.ts";
const TAKE_BACK = "core:submission/take-back-child.ts";

export const P35_CHILDREN = faultsOf("P35", [
  [
    "A child that was never submitted can be submitted after its compensation.",
    TAKE_BACK,
    "const created = await context.store.create(parsed.job, decided.record);",
    'const created = { kind: "created" } as Awaited<ReturnType<typeof context.store.create>>;',
    CHILDREN,
  ],
  [
    "A job that is nobody's child is taken back, because it has a child's id.",
    TAKE_BACK,
    "if (!isChildOf(found, { jobId: id.parentId, step: id.step }))",
    "if (false)",
    CHILDREN,
  ],
  [
    "A Processed child stays as it is when its parent is compensated.",
    "core:domain/operator/operator.ts",
    "isByParent ? BY_PARENT : ROWS[action.kind]",
    "ROWS[action.kind]",
    WORLD,
  ],
  [
    "Jobs are nested without an end.",
    "core:submission/submit-child.ts",
    "if (depth >= MOST_NESTED) {",
    "if (false) {",
    CHILDREN,
  ],
  [
    "Parents and children wait for each other's places.",
    "core:submission/admit-submission.ts",
    'const lane = message.parent ? "begun" : job.priority;',
    "const lane = job.priority;",
    CHILDREN,
  ],
  [
    "A child that is done is closed at once, and can't be compensated any more.",
    "core:scheduler/steps/record-step.ts",
    "if (!retention || retention.archive || isChild) return null;",
    "if (!retention || retention.archive) return null;",
    CHILDREN,
  ],
  [
    "Another job under the child's id counts as the child.",
    "core:submission/record-submission.ts",
    "if (!isSameStep(stored.record.parent, parent)) return false;",
    "",
    WORLD,
  ],
  [
    "A child that was removed is submitted again.",
    "core:app/define-child-job.ts",
    "isSubmitted ? await childJobs.look(wanted.id) : await childJobs.submit(wanted)",
    "await childJobs.submit(wanted)",
    "core:app/define-child-job.test.ts",
  ],
]);
