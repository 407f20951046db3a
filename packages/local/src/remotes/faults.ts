// The faults that are switched on at one service: decided in memory, kept in the database.
import { randomUUID } from "node:crypto";
import type { Database } from "../database/database.ts";
import type { FaultKind, FaultRequest } from "./fault-request.ts";

export interface Fault extends FaultRequest {
  readonly id: string;
  readonly callsLeft: number | null;
  readonly until: string | null;
}

/** What a fault is matched with. `path` has `*` in the place of an id. */
export interface FaultTarget {
  readonly path: string;
  readonly body: Readonly<Record<string, unknown>>;
}

interface Active {
  readonly id: string;
  readonly request: FaultRequest;
  callsLeft: number | null;
  /** An instant in milliseconds. */
  readonly until: number | null;
}

const SCHEMA = `
  CREATE TABLE IF NOT EXISTS faults (
    seq INTEGER PRIMARY KEY,
    id TEXT NOT NULL UNIQUE,
    service TEXT NOT NULL,
    request TEXT NOT NULL,
    callsLeft INTEGER,
    until INTEGER
  );`;

export class Faults {
  readonly #database: Database;
  readonly #service: string;
  #active: Active[];

  constructor(database: Database, service: string) {
    this.#database = database;
    this.#service = service;
    database.exec(SCHEMA);
    database.prepare("DELETE FROM faults WHERE until <= ?").run(Date.now());
    const rows = database
      .prepare("SELECT id, request, callsLeft, until FROM faults WHERE service = ? ORDER BY seq")
      .all(service) as unknown as (Omit<Active, "request"> & { request: string })[];
    this.#active = rows.map((row) => ({ ...row, request: JSON.parse(row.request) as FaultRequest }));
  }

  /** Resolves when the fault is on disk; it acts from then on. */
  async add(request: FaultRequest): Promise<string> {
    const active: Active = {
      id: randomUUID().slice(0, 8),
      request,
      callsLeft: request.calls ?? null,
      until: request.forMs === undefined ? null : Date.now() + request.forMs,
    };
    return this.#database.write(() => {
      this.#database
        .prepare("INSERT INTO faults (id, service, request, callsLeft, until) VALUES (?, ?, ?, ?, ?)")
        .run(active.id, this.#service, JSON.stringify(request), active.callsLeft, active.until);
      this.#replace([...this.#active, active]);
      return active.id;
    });
  }

  list(): Fault[] {
    return this.#current().map(({ id, request, callsLeft, until }) => ({
      id,
      ...request,
      callsLeft,
      until: until === null ? null : new Date(until).toISOString(),
    }));
  }

  /** Switches off one fault, or all; answers how many there were. */
  remove(id?: string): Promise<number> {
    return this.#database.write(() => {
      const gone = this.#current().filter((fault) => id === undefined || fault.id === id);
      for (const fault of gone) this.#delete(fault);
      return gone.length;
    });
  }

  /** The oldest fault of this kind that fits; it has spent one of its calls. Runs inside `Database.write`. */
  take(kind: FaultKind, target: FaultTarget): FaultRequest | undefined {
    if (this.#active.length === 0) return undefined;
    const fault = this.#current().find(({ request }) => request.kind === kind && fits(request, target));
    if (fault && fault.callsLeft !== null) this.#spend(fault, fault.callsLeft - 1);
    return fault?.request;
  }

  /** The same, of those that are switched on for that path by its name. */
  takeAt(kind: FaultKind, target: FaultTarget): FaultRequest | undefined {
    const fault = this.#current().find(
      ({ request }) => request.kind === kind && request.path === target.path && fits(request, target),
    );
    if (fault && fault.callsLeft !== null) this.#spend(fault, fault.callsLeft - 1);
    return fault?.request;
  }

  /** Whether nothing at all is taken there: a fault that is lifted, not spent. */
  isDownAt(path: string): boolean {
    return this.#current().some(({ request }) => request.kind === "down" && request.path === path);
  }

  /** Whether `take` would find one: spares the common request without faults a second transaction. */
  has(kind: FaultKind): boolean {
    return this.#active.some(({ request }) => request.kind === kind);
  }

  #spend(fault: Active, callsLeft: number): void {
    const before = fault.callsLeft;
    this.#database.onRollback(() => {
      fault.callsLeft = before;
    });
    fault.callsLeft = callsLeft;
    if (callsLeft === 0) this.#delete(fault);
    else this.#database.prepare("UPDATE faults SET callsLeft = ? WHERE id = ?").run(callsLeft, fault.id);
  }

  #delete(fault: Active): void {
    this.#replace(this.#active.filter((other) => other !== fault));
    this.#database.prepare("DELETE FROM faults WHERE id = ?").run(fault.id);
  }

  #replace(active: Active[]): void {
    const before = this.#active;
    this.#database.onRollback(() => {
      this.#active = before;
    });
    this.#active = active;
  }

  /** Those whose time is not over. The rows of the others go at the next start. */
  #current(): Active[] {
    const now = Date.now();
    this.#active = this.#active.filter(({ until }) => until === null || until > now);
    return this.#active;
  }
}

function fits({ path, match }: FaultRequest, target: FaultTarget): boolean {
  if (path !== undefined && path !== target.path) return false;
  return match === undefined || Object.entries(match).every(([field, value]) => target.body[field] === value);
}
