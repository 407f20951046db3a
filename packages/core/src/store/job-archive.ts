// The archive's port: jobs that are over are written to it before their documents are removed (P29).
import type { Job } from "../domain/content/job.ts";
import type { StateRecord } from "../domain/record/state-record.ts";

export interface ArchivedJob {
  readonly record: StateRecord;
  /** Every revision of the content, without its secrets. */
  readonly jobs: readonly Job[];
}

export interface JobArchive {
  /**
   * Adds jobs, in the order in which they were over, each once: jobs that the previous call had added are not added again, whichever process
   * made it. Throws if the archive can't be reached, or another process writes to it.
   */
  add(page: readonly ArchivedJob[]): Promise<void>;
}
