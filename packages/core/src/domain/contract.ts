// The core's knowledge of an app's content: it carries the rest and never reads it.
import type { BusinessKeys } from "./business-keys.ts";
import type { Job } from "./job.ts";

export interface ContentFacts<Content extends Job = Job> {
  /** Text members that are removed when the job is closed. */
  readonly secrets: readonly string[];
  /** The names of its business keys, by which the console finds jobs. Each has an index. */
  readonly keys: readonly string[];
  /** The business keys of the content. */
  readonly keysOf: (content: Content) => BusinessKeys;
}
