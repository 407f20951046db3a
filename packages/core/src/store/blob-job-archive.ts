// The archive as append blobs, one for each day on which jobs were over, with one line of JSON for each job.

import { type AppendBlobClient, type ContainerClient, RestError } from "@azure/storage-blob";
import type { Job } from "../domain/content/job.ts";
import { Outage } from "../domain/outage.ts";
import { overSince } from "../domain/record/retention.ts";
import type { StateRecord } from "../domain/record/state-record.ts";
import { inWords } from "../domain/thrown.ts";

export interface ArchivedJob {
  readonly record: StateRecord;
  /** Every revision of the content, without its secrets. */
  readonly jobs: readonly Job[];
}

/** Jobs that are over are written to it before their documents are removed (P29). */
export interface JobArchive {
  /**
   * Adds jobs, in the order in which they were over, each once: jobs that the previous call had added are not added again, whichever process
   * made it. Throws if the archive can't be reached, or another process writes to it.
   */
  add(page: readonly ArchivedJob[]): Promise<void>;
}

/** The schema version of a line. */
const ARCHIVE_VERSION = 1;

/** "Append Block", Blob service REST API: 100 MiB in newer versions of the service, 4 MiB in all versions. */
const MOST_BYTES = 4 * 1024 * 1024;
/** Longer than the text that one call adds: it contains the lines of the last call. */
const TAIL_BYTES = 16 * 1024 * 1024;

const NOT_FOUND = 404;
const CONFLICT = 409;
const PRECONDITION_FAILED = 412;

export class ArchiveUnavailable extends Outage {
  override readonly name = "ArchiveUnavailable";
}

/** The state of a day's blob: its length, and the jobs of its last lines. */
interface Tail {
  readonly length: number;
  readonly keys: ReadonlySet<string>;
}

/** @param container created if absent */
export function createBlobJobArchive(container: ContainerClient): JobArchive {
  return {
    async add(page) {
      try {
        for (const [day, entries] of byDay(page)) await addTo(container, day, entries);
      } catch (cause) {
        throw new ArchiveUnavailable(`The archive was not written: ${inWords(cause)}`, { cause });
      }
    },
  };
}

/** The blob's length is the condition of each append: of two simultaneous writers one is rejected, and a repeated request adds nothing. */
async function addTo(container: ContainerClient, day: string, entries: readonly ArchivedJob[]): Promise<void> {
  const blob = container.getAppendBlobClient(`${day.replaceAll("-", "/")}.jsonl`);
  const tail = (await tailOf(blob)) ?? (await make(container, blob));
  let { length } = tail;
  for (const body of bodiesOf(entries.filter((entry) => !tail.keys.has(keyOf(entry.record))))) {
    await blob.appendBlock(body, body.length, { conditions: { appendPosition: length } });
    length += body.length;
  }
}

async function make(container: ContainerClient, blob: AppendBlobClient): Promise<Tail> {
  await container.createIfNotExists();
  try {
    await blob.create({
      conditions: { ifNoneMatch: "*" },
      blobHTTPHeaders: { blobContentType: "application/x-ndjson" },
    });
  } catch (cause) {
    // Another process created it: the next call reads its content.
    if (statusOf(cause) !== CONFLICT && statusOf(cause) !== PRECONDITION_FAILED) throw cause;
  }
  return { length: 0, keys: new Set() };
}

async function tailOf(blob: AppendBlobClient): Promise<Tail | undefined> {
  try {
    const { contentLength: length = 0 } = await blob.getProperties();
    if (length === 0) return { length, keys: new Set() };
    const text = (await blob.downloadToBuffer(Math.max(0, length - TAIL_BYTES))).toString("utf8");
    return { length, keys: new Set(text.split("\n").flatMap(keyIn)) };
  } catch (cause) {
    if (statusOf(cause) === NOT_FOUND) return undefined;
    throw cause;
  }
}

/** None for the first line, which may be incomplete. */
function keyIn(line: string): string[] {
  try {
    return [keyOf((JSON.parse(line) as { record: ArchivedJob["record"] }).record)];
  } catch {
    return [];
  }
}

/** A resubmitted job is over a second time, and has a second line. */
function keyOf(record: ArchivedJob["record"]): string {
  return `${record.jobId} ${overSince(record)}`;
}

function byDay(page: readonly ArchivedJob[]): Map<string, ArchivedJob[]> {
  const days = new Map<string, ArchivedJob[]>();
  for (const entry of page) {
    const day = (overSince(entry.record) ?? entry.record.updatedAt).slice(0, "2026-01-01".length);
    days.set(day, [...(days.get(day) ?? []), entry]);
  }
  return days;
}

/** The lines, as many together as fit into one request. */
function* bodiesOf(entries: readonly ArchivedJob[]): Generator<Buffer> {
  let lines: Buffer[] = [];
  let bytes = 0;
  for (const entry of entries) {
    const line = Buffer.from(`${JSON.stringify({ archiveVersion: ARCHIVE_VERSION, ...entry })}\n`);
    if (lines.length > 0 && bytes + line.length > MOST_BYTES) {
      yield Buffer.concat(lines);
      [lines, bytes] = [[], 0];
    }
    lines.push(line);
    bytes += line.length;
  }
  if (lines.length > 0) yield Buffer.concat(lines);
}

function statusOf(cause: unknown): number | undefined {
  return cause instanceof RestError ? cause.statusCode : undefined;
}
