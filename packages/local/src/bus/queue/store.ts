// Messages in SQLite: one row a message, changed inside group commits; the core's memory is the authority while it lives.
import { Database, type DatabaseCounts, type Durability } from "../../database/database.ts";
import { inWords } from "../../thrown.ts";
import type { Message, MessageState } from "../encoded/message.ts";
import { EntityStore } from "../entities/entity-store.ts";
import { createTables } from "./schema.ts";

/** A row id is the queue's number and the sequence number in one, so that a queue's rows lie together and need no second index. */
const SEQUENCES_PER_QUEUE = 2 ** 40;

export interface StoredMessage {
  readonly message: Message;
  readonly dead: boolean;
}

export interface StoredDuplicate {
  readonly id: number;
  readonly messageId: string;
  readonly seenAt: number;
}

/** A work that failed took the whole group of commits with it, which the memory of the queues is ahead of. */
class StoreFault extends Error {}

export function isStoreFault(cause: unknown): boolean {
  return cause instanceof StoreFault || (cause instanceof Error && Reflect.get(cause, "code") === "ERR_SQLITE_ERROR");
}

/** How long what was counted anew is good enough: an entity that is full is asked for at each send. */
const RECOUNTED_EACH_MS = 1000;

export class Store {
  readonly entities: EntityStore;
  /** At least what each entity holds: what is removed is only seen when it is counted anew. */
  readonly #held = new Map<number, { bytes: number; countedAt: number }>();
  readonly #database: Database;
  #isClosed = false;

  constructor(path: string, durability: Durability) {
    this.#database = new Database(path, durability);
    createTables(this.#database);
    this.entities = new EntityStore(this.#database);
  }

  /** Runs `work` in the next transaction; resolves when it is kept. After `close` nothing is acknowledged any more. */
  commit<T>(work: () => T): Promise<T> {
    if (this.#isClosed) return new Promise(() => {});
    return this.#database.write(() => {
      try {
        return work();
      } catch (cause) {
        throw new StoreFault(`The bus cannot store what it accepted: ${inWords(cause)}`, { cause });
      }
    });
  }

  /** For what was read outside of a commit: resolves when it is kept. */
  flushed(): Promise<void> {
    return this.#database.flushed();
  }

  /** Why no more messages are taken. */
  roomFault(): string | undefined {
    return this.#database.roomFault();
  }

  get counts(): DatabaseCounts {
    return this.#database.counts;
  }

  close(): void {
    this.#isClosed = true;
    this.#database.close();
  }

  /** The entity with all that it holds. */
  deleteEntity(queue: number): void {
    this.entities.delete(queue);
    this.#database
      .prepare("DELETE FROM message WHERE id BETWEEN ? AND ?")
      .run(rowId(queue, 0), rowId(queue + 1, 0) - 1);
    this.#database.prepare("DELETE FROM duplicate WHERE queue = ?").run(queue);
    this.#database.prepare("DELETE FROM session WHERE queue = ?").run(queue);
  }

  insert(queue: number, message: Message, bytes: Buffer, isDead = false): void {
    this.#database
      .prepare("INSERT INTO message VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)")
      .run(
        rowId(queue, message.sequence),
        Number(isDead),
        message.state,
        message.deliveryCount,
        message.enqueuedAt,
        message.ttlMs ?? null,
        orNull(message.expiresAt),
        message.dueAt,
        message.sessionId ?? null,
        bytes,
        message.enqueuedSequence ?? null,
        message.hops || null,
        message.deadLetterSource ?? null,
      );
    this.#heldBy(queue).bytes += bytes.length;
  }

  remove(queue: number, sequence: number): void {
    this.#database.prepare("DELETE FROM message WHERE id = ?").run(rowId(queue, sequence));
  }

  update(queue: number, sequence: number, state: MessageState, deliveryCount: number): void {
    this.#database
      .prepare("UPDATE message SET state = ?, delivery_count = ? WHERE id = ?")
      .run(state, deliveryCount, rowId(queue, sequence));
  }

  updateBytes(queue: number, sequence: number, bytes: Buffer): void {
    this.#database.prepare("UPDATE message SET bytes = ? WHERE id = ?").run(bytes, rowId(queue, sequence));
  }

  /** A scheduled message becomes active under a new sequence number. */
  activate(queue: number, scheduledSequence: number, message: Message): void {
    this.#database
      .prepare("UPDATE message SET id = ?, state = ?, enqueued_at = ?, expires_at = ? WHERE id = ?")
      .run(
        rowId(queue, message.sequence),
        message.state,
        message.enqueuedAt,
        orNull(message.expiresAt),
        rowId(queue, scheduledSequence),
      );
  }

  moveToDeadLetter(queue: number, sequence: number, deliveryCount: number): void {
    this.#database
      .prepare("UPDATE message SET dead = 1, state = 0, expires_at = NULL, delivery_count = ? WHERE id = ?")
      .run(deliveryCount, rowId(queue, sequence));
  }

  bytes(queue: number, sequence: number): Buffer | undefined {
    const row = this.#database.prepare("SELECT bytes FROM message WHERE id = ?").get(rowId(queue, sequence));
    const bytes = row?.["bytes"];
    return bytes instanceof Uint8Array ? Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength) : undefined;
  }

  /** Of all messages in it, dead-lettered ones included. */
  sizeInBytes(queue: number): number {
    const row = this.#database
      .prepare("SELECT sum(length(bytes)) AS size FROM message WHERE id BETWEEN ? AND ?")
      .get(rowId(queue, 0), rowId(queue + 1, 0) - 1);
    return Number(row?.["size"] ?? 0);
  }

  /** Whether the entity holds as many bytes. @param now in milliseconds */
  holds(queue: number, bytes: number, now: number): boolean {
    const held = this.#heldBy(queue);
    if (held.bytes < bytes) return false;
    if (now - held.countedAt >= RECOUNTED_EACH_MS) {
      this.#held.set(queue, { bytes: this.sizeInBytes(queue), countedAt: now });
    }
    return this.#heldBy(queue).bytes >= bytes;
  }

  #heldBy(queue: number): { bytes: number; countedAt: number } {
    const held = this.#held.get(queue) ?? { bytes: 0, countedAt: Number.NEGATIVE_INFINITY };
    this.#held.set(queue, held);
    return held;
  }

  /** Everything but the bytes, in the order of sequence numbers. */
  *messages(queue: number): Generator<StoredMessage> {
    const rows = this.#database
      .prepare(
        `SELECT id, dead, state, delivery_count, enqueued_at, ttl, expires_at, due_at, session, enqueued_sequence, hops, source,
                length(bytes) AS size
         FROM message WHERE id BETWEEN ? AND ? ORDER BY id`,
      )
      .iterate(rowId(queue, 0), rowId(queue + 1, 0) - 1);
    for (const row of rows) {
      this.#heldBy(queue).bytes += Number(row["size"]);
      const { ttl, session, source, expires_at: expiresAt, enqueued_sequence: enqueuedSequence } = row;
      const message: Message = {
        sequence: Number(row["id"]) - rowId(queue, 0),
        state: Number(row["state"]) as MessageState,
        deliveryCount: Number(row["delivery_count"]),
        enqueuedAt: Number(row["enqueued_at"]),
        ttlMs: ttl === null ? undefined : Number(ttl),
        expiresAt: expiresAt === null ? Number.POSITIVE_INFINITY : Number(expiresAt),
        dueAt: Number(row["due_at"]),
        sessionId: session === null ? undefined : String(session),
        enqueuedSequence: enqueuedSequence === null ? undefined : Number(enqueuedSequence),
        hops: Number(row["hops"] ?? 0),
        deadLetterSource: source === null ? undefined : String(source),
        bytes: undefined,
        lock: undefined,
        gone: false,
      };
      yield { message, dead: row["dead"] === 1 };
    }
  }

  insertDuplicate(queue: number, duplicate: StoredDuplicate): void {
    this.#database
      .prepare("INSERT INTO duplicate VALUES (?, ?, ?, ?)")
      .run(duplicate.id, queue, duplicate.messageId, duplicate.seenAt);
  }

  removeDuplicate(id: number): void {
    this.#database.prepare("DELETE FROM duplicate WHERE id = ?").run(id);
  }

  *duplicates(queue: number): Generator<StoredDuplicate> {
    const rows = this.#database.prepare("SELECT * FROM duplicate WHERE queue = ? ORDER BY id").iterate(queue);
    for (const row of rows) {
      yield { id: Number(row["id"]), messageId: String(row["message_id"]), seenAt: Number(row["seen_at"]) };
    }
  }

  lastDuplicateId(): number {
    return Number(this.#database.prepare("SELECT max(id) AS id FROM duplicate").get()?.["id"] ?? 0);
  }

  putSessionState(queue: number, session: string, state: Buffer): void {
    this.#database.prepare("INSERT OR REPLACE INTO session VALUES (?, ?, ?)").run(queue, session, state);
  }

  removeSessionState(queue: number, session: string): void {
    this.#database.prepare("DELETE FROM session WHERE queue = ? AND session = ?").run(queue, session);
  }

  *sessionStates(queue: number): Generator<{ session: string; state: Buffer }> {
    const rows = this.#database.prepare("SELECT session, state FROM session WHERE queue = ?").all(queue);
    for (const { session, state } of rows) {
      if (state instanceof Uint8Array) yield { session: String(session), state: Buffer.from(state) };
    }
  }
}

function rowId(queue: number, sequence: number): number {
  return queue * SEQUENCES_PER_QUEUE + sequence;
}

function orNull(instant: number): number | null {
  return Number.isFinite(instant) ? instant : null;
}
