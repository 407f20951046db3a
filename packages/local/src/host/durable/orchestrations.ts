// What a client can do to orchestrations. Each call resolves when its effect is committed.
import { randomUUID } from "node:crypto";
import { unknownFunction } from "./activities.ts";
import { orphan, writeEnd } from "./commit.ts";
import { eventRaised } from "./history.ts";
import { accept, Instance } from "./instance.ts";
import { type Cursor, type InstanceFilter, type InstanceRow, isUnfinished, type Status } from "./instance-store.ts";
import type { TurnParts, Turns } from "./turns.ts";

export type Started =
  | { readonly kind: "started"; readonly id: string }
  | { readonly kind: "exists"; readonly status: Status }
  | { readonly kind: "unknown"; readonly message: string }
  /** The disk has no room for another one. */
  | { readonly kind: "full"; readonly message: string };

/** `ended`: nothing was done, for the instance has ended. */
export type Outcome = "done" | "ended" | "absent";

const PURGED_AT_ONCE = 500;
/** Pages of 4 KB. */
const SHRUNK_AT_ONCE = 250;
const SLICES_TO_CHECKPOINT = 16;
/** Left free for what comes next. */
const KEPT_PAGES = 250;

export class Orchestrations {
  readonly counts = { eventsRaised: 0 };
  readonly #parts: TurnParts;
  readonly #turns: Turns;
  #shrinking: Promise<void> | undefined;

  constructor(parts: TurnParts, turns: Turns) {
    this.#parts = parts;
    this.#turns = turns;
  }

  /** @param input JSON text. */
  async start(name: string, givenId: string | undefined, input: string | null): Promise<Started> {
    const { app, db, store } = this.#parts;
    if (app.functions.get(name)?.trigger.type !== "orchestrationTrigger") {
      return { kind: "unknown", message: unknownFunction(app, "orchestration", name) };
    }
    const full = db.roomFault();
    if (full !== undefined) return { kind: "full", message: full };
    const id = givenId ?? randomUUID().replaceAll("-", "");
    const fresh = { id, name, input, at: Date.now() };
    const creation = await db.write(() => store.create(fresh));
    if (creation.kind === "exists") return creation;
    this.#turns.add(Instance.started(creation.int, fresh), "client");
    return { kind: "started", id };
  }

  /** @param input JSON text. */
  async raiseEvent(id: string, name: string, input: string | null): Promise<Outcome> {
    const { db, store } = this.#parts;
    const instance = this.#parts.live.byId(id);
    if (!instance) return this.#absentOrEnded(id);
    const event = eventRaised(new Date(), name, input);
    const arrival = await db.write(() => (instance.ended ? undefined : accept(store, instance, event)));
    if (!arrival) return "ended";
    this.counts.eventsRaised += 1;
    this.#turns.deliver(instance, arrival, "client");
    return "done";
  }

  async terminate(id: string, reason: string): Promise<Outcome> {
    const { db, live } = this.#parts;
    const instance = live.byId(id);
    if (!instance) return this.#absentOrEnded(id);
    const end = { kind: "terminated", reason } as const;
    const write = () => (instance.ended ? undefined : writeEnd(this.#parts, instance, end, null, new Date()));
    const deliveries = await db.write(write).catch((cause: unknown) => {
      this.#reopen(instance);
      throw cause;
    });
    if (!deliveries) return "ended";
    this.#turns.release(instance);
    this.#turns.spread(deliveries);
    return "done";
  }

  suspend(id: string, reason: string): Promise<Outcome> {
    return this.#setStatus(id, "Suspended", reason);
  }

  resume(id: string, reason: string): Promise<Outcome> {
    return this.#setStatus(id, "Running", reason);
  }

  /** Removes an instance, also one that is unfinished: as on the real host nobody is told of it, not even its parent. */
  async purge(id: string): Promise<number> {
    const { db, store, live } = this.#parts;
    let running: Instance | undefined;
    const write = () => {
      const row = store.find(id);
      if (!row) return 0;
      if (isUnfinished(row.status)) {
        running = live.byId(id);
        // Another run of the id, whose start is not yet answered: for clients it is not there.
        if (running?.int !== row.int || running.ended) return 0;
        running.ended = true;
        orphan(store, running);
      }
      store.remove(row.int);
      return 1;
    };
    const purged = await db.write(write).catch((cause: unknown) => {
      if (running) this.#reopen(running);
      throw cause;
    });
    if (running && purged > 0) this.#turns.release(running);
    return purged;
  }

  /**
   * Removes the ended instances that match: some hundreds in a commit, and others have their turn in between. Afterwards the
   * file gives back the room.
   */
  async purgeMatching(filter: Omit<InstanceFilter, "limit" | "after">): Promise<number> {
    const { db, store } = this.#parts;
    const isMeant = ({ id, status }: Pick<InstanceRow, "id" | "status">) =>
      !isUnfinished(status) && (filter.statuses?.includes(status) ?? true) && id.startsWith(filter.idPrefix ?? "");
    let purged = 0;
    for (let after: Cursor | undefined, isMore = true; isMore; ) {
      isMore = await db.write(() => {
        const rows = store.next(filter, after, PURGED_AT_ONCE);
        const meant = rows.filter(isMeant);
        for (const { int } of meant) store.remove(int);
        purged += meant.length;
        after = rows.at(-1);
        return rows.length === PURGED_AT_ONCE;
      });
    }
    if (purged > 0) this.#shrinking ??= this.#shrink();
    return purged;
  }

  /** Gives free pages back to the system, some in a commit. */
  async #shrink(): Promise<void> {
    const { db } = this.#parts;
    try {
      for (let slices = 1; (await db.write(() => db.shrink(SHRUNK_AT_ONCE))) > KEPT_PAGES; slices += 1) {
        // The file is cut at a checkpoint, which would take long with all slices in one.
        if (slices % SLICES_TO_CHECKPOINT === 0) db.checkpoint();
      }
    } catch {
      // The engine was closed, or the disk is full: what is free is used again.
    }
    this.#shrinking = undefined;
  }

  find(id: string): InstanceRow | undefined {
    const row = this.#parts.store.find(id);
    return row && this.#freshened(row);
  }

  query(filter: InstanceFilter): InstanceRow[] {
    return this.#parts.store.query(filter).map((row) => this.#freshened(row));
  }

  history(int: number) {
    return this.#parts.store.history(int).events;
  }

  async #setStatus(id: string, status: "Suspended" | "Running", reason: string): Promise<Outcome> {
    const { db, store, live } = this.#parts;
    const instance = live.byId(id);
    if (!instance) return this.#absentOrEnded(id);
    const changed = await db.write(() => {
      if (instance.ended) return false;
      store.setStatus(instance.int, status, JSON.stringify(reason), Date.now());
      const before = instance.status;
      db.onRollback(() => {
        instance.status = before;
      });
      // Here and not after the commit: a turn in the same commit writes the status that it finds.
      instance.status = status;
      return true;
    });
    if (!changed) return "ended";
    this.#turns.wake(instance);
    return "done";
  }

  /** Its end was not committed. */
  #reopen(instance: Instance): void {
    instance.ended = false;
    this.#turns.wake(instance);
  }

  #absentOrEnded(id: string): Outcome {
    const row = this.#parts.store.find(id);
    if (!row) return "absent";
    // Started by a commit that has not yet reached the register of live ones: its client has no answer yet either.
    return isUnfinished(row.status) ? "absent" : "ended";
  }

  /** Most turns leave the row of an instance alone; when it last moved is known in memory. */
  #freshened(row: InstanceRow): InstanceRow {
    const instance = this.#parts.live.byId(row.id);
    if (!instance || instance.int !== row.int || instance.ended) return row;
    return { ...row, updatedAt: Math.max(row.updatedAt, instance.updatedAt) };
  }
}
