// Entities: takes the requests for one in batches, one batch at a time, and commits state, answers and onward signals together.
import { randomUUID } from "node:crypto";
import type { Database } from "../../database/database.ts";
import { messageOf } from "../../thrown.ts";
import type { FunctionApp } from "../contract.ts";
import type { DurableSettings } from "../host-json-durable.ts";
import { entityId } from "./actions.ts";
import { unknownFunction } from "./activities.ts";
import { EntityLocks } from "./entity-locks.ts";
import { type Caller, type EntityFilter, type EntityRow, EntityStore, type PendingRequest } from "./entity-store.ts";
import { ENTITY_RELEASE, eventRaised } from "./history.ts";
import { accept, type Delivery, type LiveInstances } from "./instance.ts";
import { payloadFault } from "./scheduler-limits.ts";
import type { EntityRequest } from "./scheduling.ts";
import type { Store } from "./store.ts";

export interface EntityParts {
  readonly app: FunctionApp;
  readonly db: Database;
  readonly store: Store;
  readonly live: LiveInstances;
  readonly warn: (message: string) => void;
  /** Operations at once; undefined: as the engine likes. */
  readonly maxBatch?: number | undefined;
  readonly settings: Pick<DurableSettings, "storageType">;
  /** Hands answers to the orchestrations that wait for them. */
  readonly spread: (deliveries: readonly Delivery[]) => void;
}

/** What the library returns for a batch. States, inputs and results are JSON text. */
interface BatchResult {
  readonly entityExists: boolean;
  /** Absent where no operation has set one: then there is none, which is not the text `null`. */
  readonly entityState?: string | undefined;
  readonly results: readonly { readonly isError: boolean; readonly result?: string }[];
  readonly signals: readonly {
    readonly target: { readonly name: string; readonly key: string };
    readonly name: string;
    readonly input?: string;
  }[];
}

const MAX_BATCH = 100;
const RETRY_AFTER_MS = 1000;

export class Entities {
  readonly counts = { entityBatches: 0, entityOperations: 0 };
  readonly #parts: EntityParts;
  readonly #store: EntityStore;
  readonly #locks: EntityLocks;
  readonly #busy = new Set<string>();
  #open = false;

  constructor(parts: EntityParts) {
    this.#parts = parts;
    this.#store = new EntityStore(parts.db);
    this.#locks = new EntityLocks({ entities: this.#store, store: parts.store, live: parts.live });
  }

  get inFlight(): number {
    return this.#busy.size;
  }

  /** Takes up what was accepted and not worked off. */
  open(): void {
    this.#open = true;
    for (const id of this.#store.waiting()) this.wake(id);
  }

  close(): void {
    this.#open = false;
  }

  /** Undefined where it does not exist. */
  find(id: string): EntityRow | undefined {
    return this.#store.find(id);
  }

  list(filter: EntityFilter): EntityRow[] {
    return this.#store.list(filter);
  }

  /** Takes an entity away with its state; what it is asked later makes it anew. */
  async purge(id: string): Promise<number> {
    const { db } = this.#parts;
    return db.write(() => {
      if (!this.#store.find(id)) return 0;
      this.#store.remove(id);
      return 1;
    });
  }

  /** For clients: resolves when the signal is committed. A text says why it was refused. */
  async signal(name: string, key: string, operation: string, input: string | null): Promise<string | undefined> {
    const id = entityId(name, key);
    if (!this.#functionOf(id)) return unknownFunction(this.#parts.app, "entity", name);
    const request = { id: randomUUID(), op: operation, signal: true, input: input ?? undefined };
    await this.#parts.db.write(() => this.post(id, request, undefined));
    this.wake(id);
    return undefined;
  }

  /** To be called inside `Database.write`, with `wake` after the commit. */
  post(id: string, request: EntityRequest, caller: Caller | undefined): void {
    if (request.op === ENTITY_RELEASE && caller) this.#store.unlock(id, caller);
    else this.#store.addRequest(id, request, request.signal ? undefined : caller);
  }

  /** Told of an orchestration that ended or goes on as new: whoever waits for what it locked has its turn. */
  release(instance: Pick<Caller, "int">): void {
    for (const id of this.#locks.leftBy(instance)) this.wake(id);
  }

  wake(id: string): void {
    if (this.#open && !this.#busy.has(id)) void this.#workOff(id);
  }

  async #workOff(id: string): Promise<void> {
    this.#busy.add(id);
    try {
      for (;;) {
        // Nothing is done for what a power loss could still take back.
        await this.#parts.db.flushed();
        const holder = this.#locks.holder(id);
        const waiting = this.#open ? this.#store.requests(id, this.#parts.maxBatch ?? MAX_BATCH, holder) : [];
        const [first] = waiting;
        if (!first) break;
        const nextLock = waiting.findIndex(({ request }) => request.lockSet !== undefined);
        if (nextLock === 0) await this.#lock(id, first);
        else await this.#runBatch(id, nextLock < 0 ? waiting : waiting.slice(0, nextLock));
      }
    } catch (cause) {
      this.#parts.warn(`A batch of entity ${id} could not be committed and will be run again: ${messageOf(cause)}`);
      setTimeout(() => this.wake(id), RETRY_AFTER_MS).unref();
    }
    this.#busy.delete(id);
  }

  async #lock(id: string, request: PendingRequest): Promise<void> {
    const { db, spread } = this.#parts;
    const { next, answer } = await db.write(() => this.#locks.acquire(id, request, new Date()));
    if (answer) spread([answer]);
    if (next !== undefined) this.wake(next);
  }

  async #runBatch(id: string, batch: readonly PendingRequest[]): Promise<void> {
    const { db, store, live, spread } = this.#parts;
    const before = this.#store.find(id);
    const result = await this.#invoke(id, before, batch);
    const at = new Date();
    const targets = result.signals.map(({ target }) => entityId(target.name, target.key));
    const deliveries = await db.write(() => {
      for (const { n } of batch) this.#store.removeRequest(n);
      if (result.entityExists) this.#store.save(id, result.entityState, at.getTime());
      else if (before) this.#store.remove(id);
      for (const [index, { name, input }] of result.signals.entries()) {
        this.post(
          targets[index] ?? "",
          { id: randomUUID(), op: name, signal: true, input: input || undefined },
          undefined,
        );
      }
      return batch.flatMap(({ request, caller }, index): Delivery[] => {
        const to = live.waiting(caller);
        if (!to) return [];
        const answer = eventRaised(at, request.id, answerText(request.op, result.results[index]));
        return [{ to, arrival: accept(store, to, answer) }];
      });
    });
    this.counts.entityBatches += 1;
    this.counts.entityOperations += batch.length;
    spread(deliveries);
    for (const target of targets) this.wake(target);
  }

  /** A batch that cannot be run at all fails in each of its operations and leaves the state. */
  async #invoke(id: string, before: EntityRow | undefined, batch: readonly PendingRequest[]): Promise<BatchResult> {
    const { app, warn, settings } = this.#parts;
    const { name, key } = partsOf(id);
    const target = this.#functionOf(id);
    try {
      if (!target) throw new Error(unknownFunction(app, "entity", name));
      const trigger = {
        self: { name: target.name, key },
        exists: before !== undefined,
        state: before?.state,
        batch: batch.map(({ request }) => ({
          id: request.id,
          name: request.op,
          input: request.input,
          isSignal: request.signal,
        })),
      };
      const input = { json: JSON.stringify(trigger) };
      const { returnValue } = await app.invoke(target.name, {
        invocationId: randomUUID(),
        inputs: { [target.triggerName]: input },
        triggerMetadata: {
          [target.triggerName]: input,
          self: { json: JSON.stringify(trigger.self) },
          exists: { json: trigger.exists ? '"True"' : '"False"' },
        },
      });
      if (!returnValue || !("json" in returnValue)) throw new Error("The library returned no result for the batch.");
      const result = JSON.parse(returnValue.json) as BatchResult;
      const tooLarge = payloadFault(settings, "Its state", result.entityState ?? "");
      if (tooLarge !== undefined) throw new Error(tooLarge);
      return result;
    } catch (cause) {
      warn(`Entity ${id} failed on ${batch.length} operations: ${messageOf(cause)}`);
      const failed = { isError: true, result: JSON.stringify(messageOf(cause)) };
      const kept = { entityExists: before !== undefined, entityState: before?.state };
      return { ...kept, results: batch.map(() => failed), signals: [] };
    }
  }

  /** Entity names are compared without regard to case. */
  #functionOf(id: string) {
    const { name } = partsOf(id);
    const { functions } = this.#parts.app;
    return [...functions.values()].find(
      (each) => each.trigger.type === "entityTrigger" && each.name.toLowerCase() === name,
    );
  }
}

export function partsOf(id: string): { name: string; key: string } {
  const split = id.indexOf("@", 1);
  return { name: id.slice(1, split), key: id.slice(split + 1) };
}

/** The library makes an Error of `result` where `exceptionType` is set; of what was thrown it keeps the own properties only. */
function answerText(operation: string, result: BatchResult["results"][number] | undefined): string {
  if (!result?.isError) return JSON.stringify({ result: result?.result ?? "null" });
  const message = `Operation '${operation}' of the entity failed: ${result.result ?? "no details"}`;
  return JSON.stringify({ result: JSON.stringify(message), exceptionType: "Error" });
}
