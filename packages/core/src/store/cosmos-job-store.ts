// The state store on Cosmos DB: one partition for each job, with the job and its state record in it.
import type { Container, OperationInput, OperationResponse, PatchOperation, SqlQuerySpec } from "@azure/cosmos";
import { ConstantBackoff, ExponentialBackoff, handleWhen, retry, wrap } from "cockatiel";
import type { Job } from "../domain/content/job.ts";
import { LONGEST_START_MS } from "../domain/definition/workflow.ts";
import { after } from "../domain/duration.ts";
import { NewerSchema } from "../domain/outage.ts";
import type { GuardedWrite, Lifetime } from "../domain/record/guarded-write.ts";
import { RECORD_VERSION, type StateRecord } from "../domain/record/state-record.ts";
import {
  BatchRejected,
  CONFLICT,
  FORBIDDEN,
  isNotStorable,
  isTransient,
  newestSession,
  REJECTIONS,
  rejectionOf,
  type Session,
  statusOf,
  WITHOUT_DOCUMENTS,
} from "./cosmos-answers.ts";
import {
  contentId,
  contentOperation,
  documentOf,
  erasingOperations,
  FIRST_REVISION,
  lifetimeOperations,
  STATE_ID,
  ttlOf,
} from "./cosmos-documents.ts";
import { conditionOf, documentPath, patchOperationOf } from "./guarded-patch.ts";
import {
  type ClosingStore,
  type Created,
  type InFlight,
  type JobStore,
  NotStorable,
  OVER,
  type Span,
  StoreUnavailable,
  type Versioned,
  type Written,
} from "./job-store.ts";
import { type Document, jobOf, recordOf, versionOf } from "./record-versions.ts";
import { createJobCache, keep } from "./remembered.ts";

/** The likely maximum of jobs in progress in one process. */
const CACHED_JOBS = 5000;
const RECORDS_PAGE = 100;
/** About 10 s in total: a restart of the store is not noticed, a longer outage ends the attempt. */
const throughOutage = retry(handleWhen(isTransient), {
  maxAttempts: 8,
  backoff: new ExponentialBackoff({ initialDelay: 100, maxDelay: 3000 }),
});

/**
 * A role takes effect minutes after it was assigned, and until then the answer is 403: 4 minutes in total, below the functions' limit, so that a
 * message survives it because it is delivered again.
 */
const untilRolesHold = (pauseMs: number) =>
  retry(
    handleWhen((cause) => statusOf(cause) === FORBIDDEN && !isNotStorable(cause)),
    {
      maxAttempts: 24,
      backoff: new ConstantBackoff(pauseMs),
    },
  );

export interface CosmosStoreOptions {
  /** Whether roles may have been assigned recently: then a request waits after a 403. */
  readonly rolesAreNew?: () => boolean;
  readonly rolePauseMs?: number;
  /** A newer app's record was found, and not changed. */
  readonly onNewer?: (jobId: string, cause: NewerSchema) => void;
}

interface StatePatch {
  readonly condition: string;
  readonly operations: readonly PatchOperation[];
}

/** The parameters of a query, by name. */
type Values = Readonly<Record<string, string | number>>;
type Stored = StateRecord & { readonly id: string; readonly _etag: string };
/** Of any version. */
type StoredDocument = Document & { readonly jobId: string; readonly _etag: string };

export interface JobsContainer {
  readonly container: Container;
  /** The contract's name of the id: the path of the container's partition key. */
  readonly idName: string;
}

export function createCosmosJobStore(
  { container, idName }: JobsContainer,
  { rolesAreNew = () => false, rolePauseMs = 10_000, onNewer = () => {} }: CosmosStoreOptions = {},
): JobStore & ClosingStore {
  const withPatience = wrap(untilRolesHold(rolePauseMs), throughOutage);

  async function patiently<T>(operation: string, work: () => Promise<T>): Promise<T> {
    try {
      return await (rolesAreNew() ? withPatience : throughOutage).execute(work);
    } catch (cause) {
      throw new StoreUnavailable(operation, cause);
    }
  }

  /** A query that is refused is a fault of the container's index, and no message's: only what is written may be refused for good. */
  async function writing<T>(operation: string, work: () => Promise<T>): Promise<T> {
    try {
      return await patiently(operation, work);
    } catch (cause) {
      throw isNotStorable(cause) ? new NotStorable(operation, cause) : cause;
    }
  }

  const stateOf = (record: StateRecord) => documentOf(STATE_ID, record, idName);

  const cache = createJobCache(CACHED_JOBS);
  /** Records read in the current version: their version never decreases, so the version is not the reason for a rejected change. */
  const current = new Map<string, true>();
  const seenCurrent = (jobId: string) => keep(current, CACHED_JOBS, jobId, true);

  const newest = (jobId: string): Promise<Session> =>
    patiently("say what is newest", () => newestSession(container.item(STATE_ID, jobId)));

  async function readJob(jobId: string, revision: number): Promise<Job> {
    const read = async (session?: Session) => {
      const item = container.item(contentId(revision), jobId);
      return (await patiently("read a job", () => item.read<Document & { job: Job }>(session))).resource;
    };
    const resource = (await read()) ?? (await read(await newest(jobId)));
    if (!resource) throw new Error(`There is no job ${jobId}, revision ${revision}.`);
    return jobOf(resource);
  }

  async function readDocument(jobId: string, session?: Session): Promise<StoredDocument | undefined> {
    const read = () => container.item(STATE_ID, jobId).read<StoredDocument>(session);
    return (await patiently("read a state record", read)).resource;
  }

  async function readState(jobId: string, session?: Session): Promise<Versioned | undefined> {
    const document = await readDocument(jobId, session);
    return document && opened(document);
  }

  const latest = async (jobId: string) => readState(jobId, await newest(jobId));

  function opened(document: StoredDocument): Versioned {
    try {
      const record = recordOf(document);
      if (versionOf(document) === RECORD_VERSION) seenCurrent(record.jobId);
      return { record, etag: document._etag };
    } catch (cause) {
      if (cause instanceof NewerSchema) onNewer(document.jobId, cause);
      throw cause;
    }
  }

  /** All operations or none. @throws BatchRejected */
  async function batch(
    jobId: string,
    operations: OperationInput[],
    options?: typeof WITHOUT_DOCUMENTS,
  ): Promise<OperationResponse[]> {
    const { result, code } = await container.items.batch(operations, jobId, options);
    const rejection = rejectionOf(result);
    if (rejection !== undefined || !result) throw new BatchRejected(rejection ?? { statusCode: code ?? 500 });
    return result;
  }

  async function patchState(jobId: string, { guard, changes, lifetime }: GuardedWrite): Promise<Written> {
    const patch = { condition: conditionOf(guard), operations: changes.map(patchOperationOf) };
    if (lifetime) return patchAll(jobId, patch, lifetime);
    return writing("change a state record", () =>
      unlessRejected(async () => (await container.item(STATE_ID, jobId).patch<Stored>(patch)).resource),
    );
  }

  /** The record, and the time to live of every document of the job: it starts with this one write, so that all expire together. */
  async function patchAll(jobId: string, { condition, operations }: StatePatch, lifetime: Lifetime): Promise<Written> {
    const resourceBody = { condition, operations: [...operations, ttlOf(lifetime)] };
    const state: OperationInput = { operationType: "Patch", id: STATE_ID, resourceBody };
    const written = await writing("change a job's documents", () =>
      unlessRejected(async () => stateIn(await batch(jobId, [state, ...lifetimeOperations(lifetime)]))),
    );
    if (written.kind === "written") cache.forget(jobId, lifetime.revisions);
    return written;
  }

  async function replaceState(etag: string, record: StateRecord): Promise<Written> {
    const accessCondition = { type: "IfMatch", condition: etag };
    return writing("replace a state record", () =>
      unlessRejected(async () => {
        const { resource } = await container
          .item(STATE_ID, record.jobId)
          .replace<{ id: string } & StateRecord>(stateOf(record), { accessCondition });
        return resource as Stored | undefined;
      }),
    );
  }

  /** False if the record has the current version. */
  async function upgraded(jobId: string): Promise<boolean> {
    if (current.has(jobId)) return false;
    const document = await readDocument(jobId);
    // A closed record keeps the time that all of its documents have.
    if (!document || document["keptUntil"]) return false;
    const { record, etag } = opened(document);
    if (versionOf(document) === RECORD_VERSION) return false;
    // If it is rejected, another writer has changed it: the next write detects that.
    await replaceState(etag, record);
    return true;
  }

  async function* records(operation: string, condition: string, values: Values): AsyncGenerator<Versioned> {
    const query = {
      query: `SELECT * FROM c WHERE ${condition}`,
      parameters: Object.entries(values).map(([name, value]) => ({ name: `@${name}`, value })),
    };
    const pages = container.items.query<StoredDocument>(query, { maxItemCount: RECORDS_PAGE });
    while (pages.hasMoreResults()) {
      const { resources } = await patiently(operation, () => pages.fetchNext());
      for (const document of resources ?? []) {
        if (versionOf(document) <= RECORD_VERSION) yield opened(document);
        else onNewer(document.jobId, new NewerSchema("A record that is due", versionOf(document), RECORD_VERSION));
      }
    }
  }

  return {
    async create(job, record): Promise<Created> {
      const { jobId } = record;
      const created = await writing("record a job", async () => {
        try {
          const state = { operationType: "Create", resourceBody: stateOf(record) } as unknown as OperationInput;
          const operations = [contentOperation(record, job, FIRST_REVISION, idName), state];
          await batch(jobId, operations, WITHOUT_DOCUMENTS);
          return true;
        } catch (cause) {
          if (statusOf(cause) === CONFLICT) return false;
          throw cause;
        }
      });
      if (created) {
        seenCurrent(jobId);
        cache.put(jobId, job, FIRST_REVISION);
        return { kind: "created" };
      }
      const state = await latest(jobId);
      const known = await readJob(jobId, FIRST_REVISION);
      if (!state) throw new Error(`Job ${jobId} has no state record.`);
      return { kind: "duplicate", job: known, record: state.record };
    },

    job: (jobId, revision) => cache.get(jobId, revision, readJob),
    state: (jobId) => readState(jobId),
    latest,

    /** A change is in the current version, and a record of another version rejects it: a mixture could not be distinguished from either. */
    async change(jobId, write): Promise<Written> {
      const written = await patchState(jobId, write);
      if (written.kind === "written") seenCurrent(jobId);
      if (written.kind === "written" || !(await upgraded(jobId))) return written;
      return patchState(jobId, write);
    },

    replace: ({ etag }, record) => replaceState(etag, record),

    async revise(read, record, job): Promise<Written> {
      const { jobId, jobRevision } = record;
      // A closed job is open again: none of its documents expires.
      const lifetime = read.record.keptUntil ? { revisions: jobRevision - 1, keepMs: null, secrets: [] } : undefined;
      const resourceBody = { ...stateOf(record), ...(lifetime && { ttl: ttlOf(lifetime).value }) };
      const state = { operationType: "Replace", id: STATE_ID, ifMatch: read.etag, resourceBody };
      const operations = [
        state as unknown as OperationInput,
        contentOperation(record, job, jobRevision, idName),
        ...(lifetime ? lifetimeOperations(lifetime) : []),
      ];
      const written = await writing("revise a job", () =>
        // If another writer stored this revision, the record is not at the version read either.
        unlessRejected(async () => stateIn(await batch(jobId, operations))),
      );
      if (written.kind === "written") cache.put(jobId, job, jobRevision);
      return written;
    },

    async countInFlight(span) {
      const query = inFlightQuery("VALUE COUNT(1)", span);
      const counted = await patiently("count jobs in flight", () => container.items.query<number>(query).fetchAll());
      return counted.resources[0] ?? 0;
    },

    async countByKey(span) {
      // Without GROUP BY: the SDK 4.10.1 puts its groups together itself, in a time that grows with their square: half a second of CPU for 600.
      const query = inFlightQuery("c.fairnessKey AS key", span);
      const jobs = await patiently("count jobs in flight by key", async () => {
        return (await container.items.query<{ readonly key?: string }>(query, { maxItemCount: 1000 }).fetchAll())
          .resources;
      });
      const counts = new Map<string, number>();
      for (const { key = "" } of jobs) counts.set(key, (counts.get(key) ?? 0) + 1);
      return counts;
    },

    async inFlight(span, limit) {
      const members = `TOP ${limit} c.workflow, c.priority, c.direction, c.attempt, c.steps`;
      const query = inFlightQuery(members, span, "ORDER BY c.dueAt");
      return patiently("read jobs in flight", async () => {
        return (await container.items.query<InFlight>(query, { maxItemCount: limit }).fetchAll()).resources;
      });
    },

    due: (instant) => records("find what is due", `c.dueAt < @instant AND ${LOOKED_AT} ORDER BY c.dueAt`, { instant }),

    // A write would end the time to live of a closed job.
    pastDeadline: (instant) => {
      const past = `c.deadlineAt < @instant AND NOT IS_STRING(c.keptUntil) AND ${LOOKED_AT}`;
      return records("find what is past its deadline", `${past} ORDER BY c.deadlineAt`, { instant });
    },

    over: (state, instant) => {
      const over = documentPath(OVER[state]);
      return records("find what is over", `${over} < @instant ORDER BY ${over}`, { instant });
    },

    processed(from, to) {
      const [first, last] = [from, to].map((at) => Math.floor(Date.parse(at) / 1000)) as [number, number];
      // Of this system property there is always an index: no other record is read, however many have ended.
      const changed = "c._ts >= @first AND c._ts <= @last AND c.processState = 'Processed'";
      return records("find what was processed", changed, { first, last });
    },

    async erase({ record: { jobId, jobRevision }, etag }) {
      const erased = await writing("erase a job", async () => {
        try {
          await batch(jobId, erasingOperations(etag, jobRevision), WITHOUT_DOCUMENTS);
          return "erased";
        } catch (cause) {
          if (REJECTIONS.has(statusOf(cause))) return "rejected";
          throw cause;
        }
      });
      cache.forget(jobId, jobRevision);
      return erased;
    },

    async close({ etag }, record, lifetime) {
      const { jobId } = record;
      const resourceBody = { ...stateOf(record), ttl: ttlOf(lifetime).value };
      const state = { operationType: "Replace", id: STATE_ID, ifMatch: etag, resourceBody };
      const operations = [state as unknown as OperationInput, ...lifetimeOperations(lifetime)];
      const written = await writing("close a job", () =>
        unlessRejected(async () => stateIn(await batch(jobId, operations))),
      );
      if (written.kind === "written") cache.forget(jobId, lifetime.revisions);
      return written;
    },
  };
}

/** Without those at which a sweep is to look again only later. */
const LOOKED_AT = "(NOT IS_DEFINED(c.unrecovered) OR c.unrecovered.lookAgainAt < @instant)";

async function unlessRejected(write: () => Promise<Stored | undefined>): Promise<Written> {
  try {
    const stored = await write();
    if (!stored) throw new Error("the store's answer holds no record");
    return { kind: "written", ...versioned(stored) };
  } catch (cause) {
    if (REJECTIONS.has(statusOf(cause))) return { kind: "rejected" };
    throw cause;
  }
}

/** The record is the first of each batch. */
function stateIn([state]: readonly OperationResponse[]): Stored | undefined {
  return state?.resourceBody as unknown as Stored | undefined;
}

function versioned(stored: Stored): Versioned {
  return { record: stored, etag: stored._etag };
}

/** Of the jobs in flight, due in that time. */
function inFlightQuery(members: string, { from, to }: Span, sorted = ""): SqlQuerySpec {
  // A step that waits for a slow engine has more time; one that its service does later is nobody's work here.
  const isDue = "(c.dueAt < @to OR (c.dueAt < @latest AND NOT IS_DEFINED(c.hasWaited)))";
  const isInFlight = `c.processState = 'Processing' AND c.dueAt >= @from AND ${isDue}`;
  const parameters = [
    { name: "@from", value: from },
    { name: "@to", value: to },
    { name: "@latest", value: after(to, LONGEST_START_MS) },
  ];
  return { query: `SELECT ${members} FROM c WHERE ${isInFlight} ${sorted}`, parameters };
}
