// The lock by which one host at a time listens to a timer, as a blob lease in Azure: a host that is killed keeps it until it expires.
// (WebJobs SDK: SingletonListener, SingletonManager.)
import { randomUUID } from "node:crypto";
import type { Database } from "../../database/database.ts";
import type { ListenerLockSettings } from "../host-json.ts";

export class ListenerLock {
  readonly #name: string;
  readonly #database: Database;
  readonly #settings: ListenerLockSettings;
  /** This listener, to those of other hosts that share the database. */
  readonly #owner = randomUUID();
  #timer: NodeJS.Timeout | undefined;
  #released = false;

  constructor(functionName: string, database: Database, settings: ListenerLockSettings) {
    this.#name = functionName;
    this.#database = database;
    this.#settings = settings;
    database.exec(`CREATE TABLE IF NOT EXISTS listenerLock (
      function TEXT PRIMARY KEY, owner TEXT NOT NULL, until INTEGER NOT NULL
    ) STRICT`);
  }

  /**
   * Tries now, and then at the recovery interval, until it has the lock; from then on it is renewed at half its period.
   * @param waits told before each further try how long it waits
   */
  async acquire(listen: () => void, waits: (ms: number) => void): Promise<void> {
    const isOwn = await this.#take();
    if (this.#released) return;
    const { periodMs, recoveryPollingIntervalMs } = this.#settings;
    if (isOwn) {
      this.#timer = setInterval(() => void this.#take(), periodMs / 2);
      listen();
    } else {
      waits(recoveryPollingIntervalMs);
      this.#timer = setTimeout(() => void this.acquire(listen, waits), recoveryPollingIntervalMs);
    }
  }

  /** Another host can have it at once. */
  async release(): Promise<void> {
    this.#released = true;
    clearTimeout(this.#timer);
    const remove = "DELETE FROM listenerLock WHERE function = ? AND owner = ?";
    await this.#write(() => this.#database.prepare(remove).run(this.#name, this.#owner).changes);
  }

  async #take(): Promise<boolean> {
    const upsert = `INSERT INTO listenerLock (function, owner, until) VALUES (?, ?, ?) ON CONFLICT (function)
      DO UPDATE SET owner = excluded.owner, until = excluded.until
      WHERE listenerLock.owner = excluded.owner OR listenerLock.until <= ?`;
    const now = Date.now();
    const until = now + this.#settings.periodMs;
    const changes = await this.#write(
      () => this.#database.prepare(upsert).run(this.#name, this.#owner, until, now).changes,
    );
    return changes === 1;
  }

  /** A disk that refuses leaves the lock as it is: it is tried again at the next turn. */
  async #write(work: () => number | bigint): Promise<number> {
    return Number(await this.#database.write(work).catch(() => 0));
  }
}
