// Retention (P29): jobs that are over are archived, lose their secrets, and get the time after which their documents are removed.

import { withoutSecrets } from "../domain/content/job.ts";
import { instant } from "../domain/duration.ts";
import { Outage } from "../domain/outage.ts";
import { closed, isOver } from "../domain/record/retention.ts";
import { inWords } from "../domain/thrown.ts";
import { contractFor } from "../messaging/contract.ts";
import type { Recording, Retention } from "../scheduler/ports.ts";
import type { ArchivedJob } from "../store/blob-job-archive.ts";
import { NotStorable, type OVER, type Versioned } from "../store/job-store.ts";
import { shownRecord } from "../store/record-versions.ts";

/** The process that completed a job may still be sending its last message, and leaves an outbox message if that fails. */
export const STILL_PUBLISHED_MS = 300_000;
/** The archive receives at most this number together, of at most about 100 kB each. */
const PAGE = 50;
const AT_ONCE = 16;

interface JobsClosed {
  readonly closed: number;
  /** Another writer has changed them in the meantime. */
  readonly lost: number;
  /** They can't be read: they stay unchanged. */
  readonly broken: number;
  /** False if the time was over, or store or archive failed: the next run continues. */
  readonly finished: boolean;
}

/**
 * Order of writes, page by page: the archive, then all documents of each job in one batch. A page is closed before the next one is archived. After
 * a crash in between the same jobs are found again; the archive recognises those of the last page, and adds none of them twice. Throws if store or
 * archive is unavailable.
 */
export async function closeJobs(retention: Retention, withinMs: number, context: Recording): Promise<JobsClosed> {
  const endAt = context.now() + withinMs;
  const counts = { closed: 0, lost: 0, broken: 0, finished: false };
  try {
    for (const [state, waitMs] of [
      ["Processed", STILL_PUBLISHED_MS],
      ["Error", retention.resubmitWithinMs],
    ] as const) {
      for await (const page of pagesOf(state, context.now() - waitMs, retention)) {
        if (context.now() > endAt) return counts;
        await closePage(page, retention, counts, context);
      }
    }
    counts.finished = true;
  } finally {
    context.telemetry.event("JobsClosed", counts);
  }
  return counts;
}

type Counts = { -readonly [name in keyof JobsClosed]: JobsClosed[name] };

async function* pagesOf(state: keyof typeof OVER, before: number, { store }: Retention): AsyncGenerator<Versioned[]> {
  let page: Versioned[] = [];
  for await (const over of store.over(state, instant(before))) {
    page.push(over);
    if (page.length < PAGE) continue;
    yield page;
    page = [];
  }
  if (page.length > 0) yield page;
}

async function closePage(
  page: readonly Versioned[],
  { store, archive, keepMs }: Retention,
  counts: Counts,
  context: Recording,
): Promise<void> {
  const due = page.filter(({ record }) => isOver(record));
  let closable = due;
  if (archive) {
    const read = await inTurns(due, (over) => entryOf(over, context));
    counts.broken += read.filter((entry) => entry === undefined).length;
    closable = due.filter((_, index) => read[index] !== undefined);
    await archive.add(read.flatMap((entry) => entry ?? []));
  }
  await inTurns(closable, async (over) => {
    const now = instant(context.now());
    const { secrets } = contractFor(over.record.workflow.name, context.rules.contracts);
    const lifetime = { revisions: over.record.jobRevision, keepMs, secrets };
    try {
      const written = await store.close(over, closed(over.record, now, keepMs), lifetime);
      counts[written.kind === "written" ? "closed" : "lost"] += 1;
    } catch (cause) {
      if (!(cause instanceof NotStorable)) throw cause;
      // One job that can't be closed does not stop the others.
      counts.broken += 1;
      context.telemetry.event("JobNotClosed", { jobId: over.record.jobId, cause: inWords(cause) });
    }
  });
}

/** Undefined if its content can't be read: one broken job does not stop the others. */
async function entryOf({ record }: Versioned, context: Recording): Promise<ArchivedJob | undefined> {
  const { jobId, jobRevision } = record;
  try {
    const revisions = Array.from({ length: jobRevision }, (_, index) => index + 1);
    const jobs = await Promise.all(revisions.map((revision) => context.store.job(jobId, revision)));
    const { secrets } = contractFor(record.workflow.name, context.rules.contracts);
    return { record: shownRecord(record), jobs: jobs.map((job) => withoutSecrets(job, secrets)) };
  } catch (cause) {
    if (cause instanceof Outage) throw cause;
    context.telemetry.event("JobNotClosed", { jobId, cause: inWords(cause) });
    return undefined;
  }
}

/** The results in the order of the inputs; all work has ended when it resolves. */
async function inTurns<T, R>(inputs: readonly T[], work: (input: T) => Promise<R>): Promise<R[]> {
  const results: R[] = [];
  const entries = inputs.entries();
  const worker = async () => {
    for (const [index, input] of entries) results[index] = await work(input);
  };
  const ended = await Promise.allSettled(Array.from({ length: AT_ONCE }, worker));
  const fault = ended.find(({ status }) => status === "rejected");
  if (fault?.status === "rejected") throw fault.reason;
  return results;
}
