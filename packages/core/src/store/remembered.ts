// Answers of the store that are kept: the last one for some seconds, so that its cost does not grow with the number of callers, and jobs, which do not change.

import type { Job } from "../domain/content/job.ts";

const KEPT_MS = 5000;

interface Kept<T> {
  readonly at: number;
  readonly answer: Promise<T>;
  /** Present once it is read. */
  known?: { readonly answer: T };
}

/** The last answer for some seconds; a caller during a read waits for that read. */
export function remembered<T>(now: () => number, read: () => Promise<T>, keptMs = KEPT_MS) {
  let last: Kept<T> | undefined;
  const kept = () => (last && now() - last.at < keptMs ? last : undefined);
  return {
    /** The answer that is still kept; undefined if it has to be read. */
    known: () => kept()?.known,
    read(): Promise<T> {
      const before = kept();
      if (before) return before.answer;
      const answer = read();
      const current: Kept<T> = { at: now(), answer };
      last = current;
      answer.then(
        (known) => {
          current.known = { answer: known };
        },
        // After a failed read the next caller reads again.
        () => {
          if (last === current) last = undefined;
        },
      );
      return answer;
    },
    forget(): void {
      last = undefined;
    },
  };
}

/** Keeps jobs that were stored or read recently: a revision of a job does not change while a step may need it, so a step needs no read of it. */
export interface JobCache {
  put(jobId: string, job: Job, revision: number): void;
  /** All revisions up to this one: they are changed in the store. */
  forget(jobId: string, revisions: number): void;
  get(jobId: string, revision: number, read: (jobId: string, revision: number) => Promise<Job>): Promise<Job>;
}

/** @param size the number of jobs kept; the one stored first is dropped first. */
export function createJobCache(size: number): JobCache {
  const kept = new Map<string, Job>();
  const put = (jobId: string, job: Job, revision: number): void => {
    keep(kept, size, keyOf(jobId, revision), job);
  };
  return {
    put,
    forget(jobId, revisions) {
      for (let revision = 1; revision <= revisions; revision += 1) kept.delete(keyOf(jobId, revision));
    },
    async get(jobId, revision, read) {
      const known = kept.get(keyOf(jobId, revision));
      if (known) return known;
      const job = await read(jobId, revision);
      put(jobId, job, revision);
      return job;
    },
  };
}

/** If there are more, the one kept first is dropped. */
export function keep<T>(kept: Map<string, T>, size: number, key: string, value: T): void {
  kept.set(key, value);
  if (kept.size > size) for (const oldest of kept.keys()) return void kept.delete(oldest);
}

const keyOf = (jobId: string, revision: number): string => `${jobId}#${revision}`;
