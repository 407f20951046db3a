// The core's knowledge of an app's content: it carries the rest and never reads it.
import type { BusinessKeys, Job } from "./job.ts";

export interface ContentFacts<Content extends Job = Job> {
  /** The member of the content that is its id. */
  readonly idName: string;
  /** Text members that are removed when the job is closed. */
  readonly secrets: readonly string[];
  /** The names of its business keys, by which the console finds jobs. Each has an index. */
  readonly keys: readonly string[];
  /** The business keys of the content. */
  readonly keysOf: (content: Content) => BusinessKeys;
  /**
   * The member by which jobs of a shared queue are divided fairly, such as `customer.id`: a text or a number. Absent: they are one another's
   * neighbours, and together one owner's. On an owner's own queue the owner is the key.
   */
  readonly fairnessKey?: string | undefined;
}
