// The lease of a Cosmos DB trigger: which host reads the container's change feed for the function, and how far it has got.
import { randomUUID } from "node:crypto";
import type { Container } from "@azure/cosmos";

interface LeaseDocument {
  readonly id: string;
  /** Null: nobody's. */
  readonly owner: string | null;
  /** Epoch milliseconds; then it is anybody's, unless it is renewed. */
  readonly expiresAt: number;
  readonly continuation: string;
}

/** One document in the container of leases, which is partitioned by `/id`. Every change is conditional on its ETag. */
export class Lease {
  readonly #container: Container;
  readonly #id: string;
  readonly #expirationMs: number;
  readonly #owner = randomUUID();
  #held: (LeaseDocument & { readonly etag: string }) | undefined;
  /** One change after the other: each needs the ETag of the one before. */
  #changes: Promise<unknown> = Promise.resolve();

  constructor(container: Container, id: string, expirationMs: number) {
    this.#container = container;
    this.#id = id;
    this.#expirationMs = expirationMs;
  }

  /** The continuation from which to go on; undefined where another host holds the lease. */
  async acquire(firstContinuation: () => Promise<string>): Promise<string | undefined> {
    const { resource, statusCode } = await this.#container.item(this.#id, this.#id).read<LeaseDocument>();
    const expiresAt = Date.now() + this.#expirationMs;
    if (statusCode === 404 || !resource) {
      const fresh = { id: this.#id, owner: this.#owner, expiresAt, continuation: await firstContinuation() };
      const created = await unlessConflict(this.#container.items.create<LeaseDocument>(fresh));
      if (created) this.#held = { ...fresh, etag: created.etag };
      return created && fresh.continuation;
    }
    const isFree = resource.owner === null || resource.owner === this.#owner || resource.expiresAt < Date.now();
    if (!isFree) return undefined;
    this.#held = { ...resource, etag: resource._etag };
    return (await this.#change({ owner: this.#owner, expiresAt })) ? resource.continuation : undefined;
  }

  /** False where the lease has been lost. */
  renew(): Promise<boolean> {
    return this.#change({ expiresAt: Date.now() + this.#expirationMs });
  }

  checkpoint(continuation: string): Promise<boolean> {
    return this.#change({ continuation, expiresAt: Date.now() + this.#expirationMs });
  }

  async release(): Promise<void> {
    if (this.#held) await this.#change({ owner: null });
    this.#held = undefined;
  }

  #change(change: Partial<LeaseDocument>): Promise<boolean> {
    const changed = this.#changes.then(() => this.#replace(change));
    this.#changes = changed.catch(() => undefined);
    return changed;
  }

  async #replace(change: Partial<LeaseDocument>): Promise<boolean> {
    if (!this.#held) return false;
    const { etag, id, owner, expiresAt, continuation } = this.#held;
    const next = { id, owner, expiresAt, continuation, ...change };
    const accessCondition = { type: "IfMatch", condition: etag };
    const replaced = await unlessConflict(
      this.#container.item(this.#id, this.#id).replace<LeaseDocument>(next, { accessCondition }),
    );
    this.#held = replaced && { ...next, etag: replaced.etag };
    return replaced !== undefined;
  }
}

/** Undefined where another host was faster. */
async function unlessConflict<T>(write: Promise<T>): Promise<T | undefined> {
  try {
    return await write;
  } catch (cause) {
    const { code } = cause as { code?: unknown };
    if (code === 409 || code === 412) return undefined;
    throw cause;
  }
}
