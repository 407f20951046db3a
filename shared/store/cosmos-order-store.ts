// The state store on Cosmos DB: one partition an order, with the order and its state record in it.
import {
  BulkOperationType,
  type Container,
  ErrorResponse,
  type JSONObject,
  type PatchOperation,
  PatchOperationType,
} from "@azure/cosmos";
import { ConstantBackoff, ExponentialBackoff, handleWhen, retry, wrap } from "cockatiel";
import { NewerSchema } from "../domain/newer-schema.ts";
import type { Order } from "../domain/order.ts";
import { type Direction, RECORD_VERSION, type StateRecord } from "../domain/state-record.ts";
import type { Change, Guard, GuardedWrite } from "../domain/transitions.ts";
import { documentPath } from "./document-path.ts";
import { createOrderCache, keep } from "./order-cache.ts";
import { type Listed, listQuery, pageOf } from "./order-list.ts";
import { type Created, type OrderStore, StoreUnavailable, type Versioned, type Written } from "./order-store.ts";
import { type Document, ORDER_VERSION, orderOf, recordOf, versionOf } from "./record-versions.ts";

const STATE_ID = "state";
const FIRST_REVISION = 1;
/** As many orders as are likely to be under way in one process. */
const CACHED_ORDERS = 5000;
const RECORDS_PAGE = 100;

const FORBIDDEN = 403;
const NOT_FOUND = 404;
const CONFLICT = 409;
const PRECONDITION_FAILED = 412;
const FAILED_DEPENDENCY = 424;
/** Answers after which the same request may succeed; an error without a code is a broken connection. */
const TRANSIENT: ReadonlySet<number> = new Set([408, 410, 429, 449, 500, 503]);

/** About 10 s in all: a restart of the store passes unnoticed, a longer outage ends the attempt. */
const throughOutage = retry(handleWhen(isTransient), {
  maxAttempts: 8,
  backoff: new ExponentialBackoff({ initialDelay: 100, maxDelay: 3000 }),
});

/**
 * A role takes minutes to hold after it was given, and until then the answer is 403: 4 minutes in all, below the functions' time,
 * so that a message outlasts it by being delivered again.
 */
const untilRolesHold = (pauseMs: number) =>
  retry(
    handleWhen((cause) => statusOf(cause) === FORBIDDEN),
    {
      maxAttempts: 24,
      backoff: new ConstantBackoff(pauseMs),
    },
  );

export interface CosmosStoreOptions {
  /** Whether roles may just have been given: a 403 then is worth waiting for. */
  readonly rolesAreNew?: () => boolean;
  readonly rolePauseMs?: number;
  /** A newer app's record was met, and left alone. */
  readonly onNewer?: (orderId: string, cause: NewerSchema) => void;
}

type Stored = StateRecord & { readonly id: string; readonly _etag: string };
/** Of any version. */
type StoredDocument = Document & { readonly orderId: string; readonly _etag: string };

/** @param container its partition key is `/orderId`. */
export function createCosmosOrderStore(
  container: Container,
  { rolesAreNew = () => false, rolePauseMs = 10_000, onNewer = () => {} }: CosmosStoreOptions = {},
): OrderStore {
  const withPatience = wrap(untilRolesHold(rolePauseMs), throughOutage);

  async function patiently<T>(operation: string, work: () => Promise<T>): Promise<T> {
    try {
      return await (rolesAreNew() ? withPatience : throughOutage).execute(work);
    } catch (cause) {
      throw new StoreUnavailable(operation, cause);
    }
  }

  const cache = createOrderCache(CACHED_ORDERS);
  /** Records seen in today's version: none goes back, so a refused change of one is not the version's. */
  const current = new Map<string, true>();
  const seenCurrent = (orderId: string) => keep(current, CACHED_ORDERS, orderId, true);

  async function readOrder(orderId: string, revision: number): Promise<Order> {
    const { resource } = await patiently("read an order", () =>
      container.item(orderDocumentId(revision), orderId).read<Document & { order: Order }>(),
    );
    if (!resource) throw new Error(`There is no order ${orderId}, revision ${revision}.`);
    return orderOf(resource);
  }

  async function readDocument(orderId: string): Promise<StoredDocument | undefined> {
    const read = () => container.item(STATE_ID, orderId).read<StoredDocument>();
    return (await patiently("read a state record", read)).resource;
  }

  async function readState(orderId: string): Promise<Versioned | undefined> {
    const document = await readDocument(orderId);
    return document && opened(document);
  }

  function opened(document: StoredDocument): Versioned {
    try {
      const record = recordOf(document);
      if (versionOf(document) === RECORD_VERSION) seenCurrent(record.orderId);
      return { record, etag: document._etag };
    } catch (cause) {
      if (cause instanceof NewerSchema) onNewer(document.orderId, cause);
      throw cause;
    }
  }

  async function patchState(orderId: string, { guard, changes }: GuardedWrite): Promise<Written> {
    const patch = { condition: conditionOf(guard), operations: changes.map(operationOf) };
    return patiently("change a state record", () =>
      unlessRefused(async () => (await container.item(STATE_ID, orderId).patch<Stored>(patch)).resource),
    );
  }

  async function replaceState(etag: string, record: StateRecord): Promise<Written> {
    const accessCondition = { type: "IfMatch", condition: etag };
    return patiently("replace a state record", () =>
      unlessRefused(
        async () =>
          (
            await container
              .item(STATE_ID, record.orderId)
              .replace<{ id: string } & StateRecord>({ id: STATE_ID, ...record }, { accessCondition })
          ).resource as Stored | undefined,
      ),
    );
  }

  /** False where the record is of today's version. */
  async function upgraded(orderId: string): Promise<boolean> {
    if (current.has(orderId)) return false;
    const document = await readDocument(orderId);
    if (!document) return false;
    const { record, etag } = opened(document);
    if (versionOf(document) === RECORD_VERSION) return false;
    // Refused, somebody else has changed it: the write that follows finds out.
    await replaceState(etag, record);
    return true;
  }

  async function* records(operation: string, condition: string, instant: string): AsyncGenerator<Versioned> {
    const query = {
      query: `SELECT * FROM c WHERE ${condition}`,
      parameters: [{ name: "@instant", value: instant }],
    };
    const pages = container.items.query<StoredDocument>(query, { maxItemCount: RECORDS_PAGE });
    while (pages.hasMoreResults()) {
      const { resources } = await patiently(operation, () => pages.fetchNext());
      for (const document of resources ?? []) {
        if (versionOf(document) <= RECORD_VERSION) yield opened(document);
        else onNewer(document.orderId, new NewerSchema("A record that is due", versionOf(document), RECORD_VERSION));
      }
    }
  }

  async function count(condition: string, instant?: string): Promise<number> {
    const query = {
      query: `SELECT VALUE COUNT(1) FROM c WHERE ${condition}`,
      parameters: instant === undefined ? [] : [{ name: "@instant", value: instant }],
    };
    const { resources } = await patiently("count", () => container.items.query<number>(query).fetchAll());
    return resources[0] ?? 0;
  }

  return {
    async create(order, record): Promise<Created> {
      const { orderId } = order;
      const documents = [
        { id: orderDocumentId(FIRST_REVISION), orderId, schemaVersion: ORDER_VERSION, order },
        { id: STATE_ID, ...record },
      ];
      const created = await patiently("record an order", async () => {
        const { result, code } = await container.items.batch(
          documents.map((resourceBody) => ({
            operationType: BulkOperationType.Create,
            resourceBody: resourceBody as unknown as JSONObject,
          })),
          orderId,
        );
        const refusal = refusalOf(result);
        if (refusal === CONFLICT) return false;
        if (refusal !== undefined || !result) throw new BatchRefused(refusal ?? code ?? 500);
        return true;
      });
      if (created) {
        seenCurrent(orderId);
        cache.put(order, FIRST_REVISION);
        return { kind: "created" };
      }
      const [known, state] = await Promise.all([readOrder(orderId, FIRST_REVISION), readState(orderId)]);
      if (!state) throw new Error(`Order ${orderId} has no state record.`);
      return { kind: "duplicate", order: known, record: state.record };
    },

    order: (orderId, revision) => cache.get(orderId, revision, readOrder),
    state: readState,

    /** A change is of today's version, and a record of another one refuses it: a mixture could not be told from either. */
    async change(orderId, write): Promise<Written> {
      const written = await patchState(orderId, write);
      if (written.kind === "written") seenCurrent(orderId);
      if (written.kind === "written" || !(await upgraded(orderId))) return written;
      return patchState(orderId, write);
    },

    replace: ({ etag }, record) => replaceState(etag, record),

    async revise({ etag }, record, order): Promise<Written> {
      const { orderId, orderRevision } = record;
      const revision = { id: orderDocumentId(orderRevision), orderId, schemaVersion: ORDER_VERSION, order };
      const written = await patiently("revise an order", () =>
        unlessRefused(async () => {
          const { result, code } = await container.items.batch(
            [
              { operationType: BulkOperationType.Create, resourceBody: revision as unknown as JSONObject },
              {
                operationType: BulkOperationType.Replace,
                id: STATE_ID,
                ifMatch: etag,
                resourceBody: { id: STATE_ID, ...record } as unknown as JSONObject,
              },
            ],
            orderId,
          );
          const refusal = refusalOf(result);
          // Somebody else stored this revision: then the record is not at the version read either.
          if (refusal === CONFLICT) throw new BatchRefused(PRECONDITION_FAILED);
          if (refusal !== undefined || !result) throw new BatchRefused(refusal ?? code ?? 500);
          return result[1]?.resourceBody as unknown as Stored | undefined;
        }),
      );
      if (written.kind === "written") cache.put(order, orderRevision);
      return written;
    },

    async list(query) {
      const pages = container.items.query<Listed>(listQuery(query), { maxItemCount: query.limit + 1 });
      const found: Listed[] = [];
      while (found.length <= query.limit && pages.hasMoreResults()) {
        const { resources } = await patiently("list orders", () => pages.fetchNext());
        found.push(...(resources ?? []));
      }
      return pageOf(found, query);
    },

    async countInFlight(instant) {
      const [held, waiting] = await Promise.all([
        count("c.processState = 'Processing'"),
        // Once an agent is known to be at work, both are the same.
        count("c.processState = 'Processing' AND c.dueAt < @instant AND c.completeBy < c.dueAt", instant),
      ]);
      return { held, waiting };
    },

    due: (instant) => records("find what is due", "c.dueAt < @instant ORDER BY c.dueAt", instant),
  };
}

/** A failed batch does not throw: its operations say why. */
function refusalOf(result: readonly { readonly statusCode: number }[] | undefined): number | undefined {
  return result?.find(({ statusCode }) => statusCode >= 400 && statusCode !== FAILED_DEPENDENCY)?.statusCode;
}

const orderDocumentId = (revision: number): string => (revision === FIRST_REVISION ? "order" : `order-${revision}`);

class BatchRefused extends Error {
  readonly code: number;
  constructor(code: number) {
    super(`the batch was answered ${code}`);
    this.code = code;
  }
}

async function unlessRefused(write: () => Promise<Stored | undefined>): Promise<Written> {
  try {
    const stored = await write();
    if (!stored) throw new Error("the store's answer holds no record");
    return { kind: "written", ...versioned(stored) };
  } catch (cause) {
    if (statusOf(cause) === PRECONDITION_FAILED || statusOf(cause) === NOT_FOUND) return { kind: "refused" };
    throw cause;
  }
}

/** The SDK wraps what a batch throws: then the code is on its cause. */
function statusOf(error: unknown): number | undefined {
  const code = error instanceof ErrorResponse || error instanceof BatchRefused ? error.code : undefined;
  if (typeof code === "number") return code;
  return error instanceof Error && error.cause ? statusOf(error.cause) : undefined;
}

function isTransient(error: unknown): boolean {
  const status = statusOf(error);
  return status === undefined ? !(error instanceof TypeError) : TRANSIENT.has(status);
}

function versioned(stored: Stored): Versioned {
  return { record: stored, etag: stored._etag };
}

function conditionOf(guard: Guard): string {
  const terms = [
    `${documentPath("schemaVersion")} = ${RECORD_VERSION}`,
    `${documentPath("processState")} = ${JSON.stringify(guard.processState)}`,
    `${documentPath("lockedBy")} = ${JSON.stringify(guard.lockedBy)}`,
    `${documentPath("attempt")} = ${guard.attempt}`,
  ];
  if (guard.step) {
    const { name, direction, states } = guard.step;
    const state = runStatePath(name, direction);
    terms.push(`(${states.map((each) => `${state} = "${each}"`).join(" or ")})`);
  }
  if (guard.siblings) {
    const { names, direction, allDone } = guard.siblings;
    const done = names.map((name) => doneCondition(name, direction)).join(" and ");
    terms.push(allDone ? `(${done})` : `not (${done})`);
  }
  if (guard.dueBy !== undefined) terms.push(`${documentPath("dueAt")} <= ${JSON.stringify(guard.dueBy)}`);
  return `from c where ${terms.join(" and ")}`;
}

function runStatePath(step: string, direction: Direction): string {
  return documentPath("steps", step, ...(direction === "forward" ? ["state"] : ["undo", "state"]));
}

/** As `isDone` in the domain has it. An undo that has not begun has no state, so the value that stands for it is spelled out. */
function doneCondition(step: string, direction: Direction): string {
  const state = runStatePath(step, direction);
  if (direction === "forward") return `${state} = "Completed"`;
  return `(IS_DEFINED(${state}) and (${state} = "Completed" or ${state} = "Failed"))`;
}

function operationOf(change: Change): PatchOperation {
  const path = `/${change.path.join("/")}`;
  switch (change.op) {
    case "set":
      return { op: PatchOperationType.set, path, value: change.value };
    case "append":
      return { op: PatchOperationType.add, path: `${path}/-`, value: change.value };
    case "remove":
      return { op: PatchOperationType.remove, path };
    default:
      return change satisfies never;
  }
}
