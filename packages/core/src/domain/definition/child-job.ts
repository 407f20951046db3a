// A child job (P35): a job that a step of another job submitted. What both records say of each other.

/** In the child's record: the job and the step that submitted it. */
export interface ParentStep {
  readonly jobId: string;
  /** The run's name in the parent's record: of a step with `forEach` that of one item. */
  readonly step: string;
  /** 1 for the child of a job that has no parent, and one more for each level below. */
  readonly depth: number;
}

/** In the parent's record, while the step waits. */
export interface ChildStanding {
  readonly jobId: string;
  /** Why the child does not continue by itself. */
  readonly waitsFor?: string | undefined;
}

/** Jobs may be nested this deep: a job, its child, and so on. A workflow that contains itself by a way that no start can see ends there. */
export const MOST_NESTED = 5;
