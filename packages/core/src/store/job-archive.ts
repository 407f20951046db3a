// The archive's port: where jobs that are over are written before their documents go (P29).
import type { Job } from "../domain/job.ts";
import type { StateRecord } from "../domain/state-record.ts";

export interface ArchivedJob {
  readonly record: StateRecord;
  /** Every revision of the content, without its secrets. */
  readonly jobs: readonly Job[];
}

export interface JobArchive {
  /**
   * Adds jobs, in the order in which they were over, each once: those that the last call before had added are not added again, whoever made
   * it. Throws where the archive can't be reached, or somebody else writes to it.
   */
  add(page: readonly ArchivedJob[]): Promise<void>;
}
