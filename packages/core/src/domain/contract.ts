// What the core has to know of an app's content: the rest it carries and never reads.
import type { BusinessKeys } from "./business-keys.ts";
import type { Job } from "./job.ts";

export interface ContentFacts<Content extends Job = Job> {
  /** Members that are of no use once the job is over, and had better not be kept then. Texts. */
  readonly secrets: readonly string[];
  /** By which of its own names people know a job: what the console finds jobs by, beside their ids. Each has an index. */
  readonly keys: readonly string[];
  /** Those that the job has. */
  readonly keysOf: (content: Content) => BusinessKeys;
}
