// The state store in memory, with the same conditional semantics: for tests of everything that uses the port.
import type { Job } from "@scheduler-agent-supervisor/core/app";
import {
  after,
  applyChanges,
  holds,
  isOneWrite,
  isToBeLookedAt,
  type Lifetime,
  LONGEST_START_MS,
  NewerSchema,
  RECORD_VERSION,
  type StateRecord,
  type Versioned,
  withoutSecrets,
} from "@scheduler-agent-supervisor/core/domain";
import {
  type ClosingStore,
  type Document,
  type JobStore,
  NotStorable,
  OVER,
  recordOf,
  type Span,
  type Written,
} from "@scheduler-agent-supervisor/core/store";

import { RecordHistory, Session, type StaleReads, type Stored } from "./record-history.ts";

const FIRST_REVISION = 1;
const jobKey = (jobId: string, revision: number) => `${jobId}#${revision}`;

export interface MemoryStoreOptions {
  /** The initial content of the store, of any version. */
  readonly documents?: readonly Document[];
  /** A newer app's record was found, and not changed. */
  readonly onNewer?: (jobId: string, cause: NewerSchema) => void;
  /** Reads of a process may miss what others wrote shortly before, as with Session consistency; never if absent. */
  readonly staleReads?: StaleReads;
}

export interface MemoryJobStore extends JobStore, ClosingStore {
  /** The ids of all jobs. */
  readonly jobIds: readonly string[];
  /** A stored record, of any version. */
  stored(jobId: string): Document | undefined;
  /** The same store, for a process that has seen nothing of it yet. */
  inAnotherProcess(): MemoryJobStore;
  /** Until this process writes those jobs, or tries to, or asks for what is latest, it reads them as they stand now. */
  lag(...jobIds: string[]): void;
  /** How many reads were answered by something older than the last write, in all processes; those that `lag` made are not among them. */
  readonly staleReads: number;
}

export function createMemoryJobStore(options: MemoryStoreOptions = {}): MemoryJobStore {
  const { documents = [], onNewer = () => {}, staleReads } = options;
  const history = new RecordHistory(staleReads);
  const data: Data = { jobs: new Map(), history, onNewer, version: 0 };
  for (const record of documents) {
    data.version += 1;
    history.add(String(record["jobId"]), { record, etag: String(data.version) });
  }
  return storeOver(data);
}

/** What all processes have in common. */
interface Data {
  readonly jobs: Map<string, Job>;
  readonly history: RecordHistory;
  readonly onNewer: (jobId: string, cause: NewerSchema) => void;
  version: number;
}

function storeOver(data: Data): MemoryJobStore {
  const { jobs, history, onNewer } = data;
  const session = new Session(history);

  const read = (jobId: string) => opened(jobId, session.read(jobId));
  const newest = (jobId: string) => opened(jobId, session.newest(jobId));

  function opened(jobId: string, given: Stored | undefined): Versioned | undefined {
    const stored = structuredClone(given);
    try {
      return stored && { ...stored, record: recordOf(stored.record) };
    } catch (cause) {
      if (cause instanceof NewerSchema) onNewer(jobId, cause);
      throw cause;
    }
  }

  /** The result of a query, as it is stored. */
  const found = () =>
    history.ids.flatMap((jobId) => {
      const stored = session.read(jobId);
      return stored ? [stored.record as unknown as StateRecord] : [];
    });

  const inFlight = ({ from, to }: Span) =>
    found().filter(({ processState, dueAt = "", hasWaited }) => {
      const latest = hasWaited ? to : after(to, LONGEST_START_MS);
      return processState === "Processing" && dueAt >= from && dueAt < latest;
    });

  /** Those whose instant is before that one and that are to be looked at, the earliest first. */
  async function* before(
    member: "dueAt" | "deadlineAt",
    instant: string,
    records: readonly StateRecord[],
  ): AsyncGenerator<Versioned> {
    const at = (record: StateRecord) => record[member] ?? undefined;
    const isBefore = (record: StateRecord) => (at(record) ?? instant) < instant;
    const hits = records.filter((record) => isBefore(record) && isToBeLookedAt(record, instant));
    hits.sort((one, other) => ((at(one) ?? "") < (at(other) ?? "") ? -1 : 1));
    yield* hits.flatMap(({ jobId, schemaVersion }) => {
      if (!(schemaVersion > RECORD_VERSION)) return read(jobId) ?? [];
      onNewer(jobId, new NewerSchema("A record that is due", schemaVersion, RECORD_VERSION));
      return [];
    });
  }

  function put(record: StateRecord): Written {
    data.version += 1;
    const etag = String(data.version);
    session.write(record.jobId, { record: structuredClone(record) as unknown as Document, etag });
    return { kind: "written", record: structuredClone(record), etag };
  }

  /** Nothing expires here: only the content changes. */
  function keepContent(jobId: string, { revisions, keepMs, secrets }: Lifetime): void {
    for (let revision = FIRST_REVISION; keepMs !== null && revision <= revisions; revision += 1) {
      const job = jobs.get(jobKey(jobId, revision));
      if (job) jobs.set(jobKey(jobId, revision), withoutSecrets(job, secrets));
    }
  }

  return {
    async create(job, record) {
      const known = jobs.get(jobKey(record.jobId, FIRST_REVISION));
      const state = newest(record.jobId);
      if (known && state) return { kind: "duplicate", job: known, record: state.record };
      jobs.set(jobKey(record.jobId, FIRST_REVISION), structuredClone(job));
      put(record);
      return { kind: "created" };
    },
    async job(jobId, revision) {
      const job = jobs.get(jobKey(jobId, revision));
      if (!job) throw new Error(`no job ${jobId}, revision ${revision}`);
      return structuredClone(job);
    },
    inAnotherProcess: () => storeOver(data),
    lag(...jobIds) {
      for (const jobId of jobIds) session.lag(jobId);
    },
    get staleReads() {
      return history.staleReads;
    },
    get jobIds() {
      return history.ids;
    },
    stored: (jobId) => structuredClone(history.newest(jobId)?.record),
    async state(jobId) {
      return read(jobId);
    },
    async latest(jobId) {
      return newest(jobId);
    },
    async change(jobId, write) {
      const { guard, changes, lifetime } = write;
      if (!isOneWrite(write)) throw new NotStorable("change a state record", new Error("it has too many changes"));
      const state = newest(jobId);
      if (!state || !holds(guard, state.record)) return { kind: "rejected" };
      if (lifetime) keepContent(jobId, lifetime);
      return put(applyChanges(state.record, changes));
    },
    async replace(read, record) {
      return session.newest(record.jobId)?.etag === read.etag ? put(record) : { kind: "rejected" };
    },
    async revise(read, record, job) {
      const key = jobKey(record.jobId, record.jobRevision);
      if (jobs.has(key) || session.newest(record.jobId)?.etag !== read.etag) return { kind: "rejected" };
      jobs.set(key, structuredClone(job));
      return put(record);
    },
    async *over(state, instant) {
      const since = (record: StateRecord) => record[OVER[state]] ?? undefined;
      const over = found().filter((record) => (since(record) ?? instant) < instant);
      over.sort((one, other) => ((since(one) ?? "") < (since(other) ?? "") ? -1 : 1));
      yield* over.flatMap(({ jobId }) => read(jobId) ?? []);
    },
    async close(read, record, lifetime) {
      if (session.newest(record.jobId)?.etag !== read.etag) return { kind: "rejected" };
      keepContent(record.jobId, lifetime);
      return put(record);
    },
    async erase({ record: { jobId, jobRevision }, etag }) {
      if (session.newest(jobId)?.etag !== etag) return "rejected";
      session.write(jobId, undefined);
      for (let revision = FIRST_REVISION; revision <= jobRevision; revision += 1) {
        jobs.delete(jobKey(jobId, revision));
      }
      return "erased";
    },
    countInFlight: async (span) => inFlight(span).length,
    async countByKey(span) {
      const byKey = new Map<string, number>();
      for (const { fairnessKey = "" } of inFlight(span)) byKey.set(fairnessKey, (byKey.get(fairnessKey) ?? 0) + 1);
      return byKey;
    },
    async inFlight(span, limit) {
      const first = inFlight(span).sort((one, other) => ((one.dueAt ?? "") < (other.dueAt ?? "") ? -1 : 1));
      return structuredClone(first.slice(0, limit));
    },
    due: (instant) => before("dueAt", instant, found()),
    async *processed(from, to) {
      const isMeant = ({ processState, updatedAt }: StateRecord) =>
        processState === "Processed" && updatedAt >= from && updatedAt <= to;
      yield* found().flatMap((record) => (isMeant(record) ? (read(record.jobId) ?? []) : []));
    },
    pastDeadline(instant) {
      return before(
        "deadlineAt",
        instant,
        found().filter(({ keptUntil }) => !keptUntil),
      );
    },
  };
}
