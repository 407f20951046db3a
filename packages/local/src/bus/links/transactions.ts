// The transactions of one connection: what is done in one is only noted, and at its end all of it happens in one commit, or nothing.
import { randomBytes } from "node:crypto";
import type { Typed } from "rhea";
import { BUS_LIMITS } from "../limits.ts";
import { ACCEPTED, rejection, types } from "../rhea-internals.ts";

const LIFETIME_MS = BUS_LIMITS.transactionMs.value;
const MOST_MESSAGES = BUS_LIMITS.transactionMessages.value;
const ID_BYTES = 16;
const DECLARED = 0x33;
const TRANSACTIONAL_STATE = 0x34;
const TOO_MANY = `A transaction has ${MOST_MESSAGES} messages at most.`;
const UNKNOWN_ID = "amqp:transaction:unknown-id";
const ROLLED_BACK = "amqp:transaction:rollback";

/** One operation within a transaction. */
export interface Step {
  /** Why it can no longer be done. */
  findObstacle(): string | undefined;
  /** How many messages it sends. */
  readonly messages?: number;
  /** Asks for its commit before it returns for the first time, so that all steps share one. */
  apply(): Promise<unknown>;
  /** The transaction was rolled back. */
  undo(): void;
}

interface Transaction {
  readonly owner: unknown;
  readonly steps: Step[];
  readonly timer: NodeJS.Timeout;
}

export class Transactions {
  readonly #open = new Map<string, Transaction>();

  /** @param owner the link that declares it. @returns the outcome that says its id. */
  declare(owner: unknown): Typed {
    const id = randomBytes(ID_BYTES);
    const key = keyOf(id);
    const timer = setTimeout(() => this.#rollBack(key), LIFETIME_MS).unref();
    this.#open.set(key, { owner, steps: [], timer });
    return types.described(types.wrap_ulong(DECLARED), types.wrap_list([id]));
  }

  /** Notes the step. @returns the outcome for whoever asked for it. */
  enlist(id: Buffer, step: Step): Typed {
    const transaction = this.#open.get(keyOf(id));
    if (!transaction) return unknownId();
    const tooMany = this.roomFault(id, step.messages ?? 0);
    if (tooMany !== undefined) return rejection("amqp:not-allowed", tooMany);
    transaction.steps.push(step);
    return within(id, ACCEPTED);
  }

  /** Why the transaction, which is open, takes no more messages. */
  roomFault(id: Buffer, more: number): string | undefined {
    const steps = this.#open.get(keyOf(id))?.steps ?? [];
    const sent = steps.reduce((sum, { messages = 0 }) => sum + messages, 0);
    return more > 0 && sent + more > MOST_MESSAGES ? TOO_MANY : undefined;
  }

  isOpen(id: Buffer): boolean {
    return this.#open.has(keyOf(id));
  }

  /** Ends the transaction. @returns the outcome. */
  async discharge(id: Buffer, isFailed: boolean): Promise<Typed> {
    const key = keyOf(id);
    const transaction = this.#open.get(key);
    if (!transaction) return unknownId();
    const obstacle = isFailed ? undefined : findObstacle(transaction);
    if (isFailed || obstacle !== undefined) {
      this.#rollBack(key);
      return obstacle === undefined ? ACCEPTED : rejection(ROLLED_BACK, obstacle);
    }
    this.#forget(key, transaction);
    // Begun in one turn, the steps are in one commit.
    await Promise.all(transaction.steps.map((step) => step.apply()));
    return ACCEPTED;
  }

  owners(): unknown[] {
    return [...this.#open.values()].map(({ owner }) => owner);
  }

  /** What the link declared and did not discharge is rolled back. */
  abandon(owner: unknown): void {
    for (const [key, transaction] of this.#open) if (transaction.owner === owner) this.#rollBack(key);
  }

  abandonAll(): void {
    for (const key of this.#open.keys()) this.#rollBack(key);
  }

  #rollBack(key: string): void {
    const transaction = this.#open.get(key);
    if (!transaction) return;
    this.#forget(key, transaction);
    for (const step of transaction.steps) step.undo();
  }

  #forget(key: string, { timer }: Transaction): void {
    clearTimeout(timer);
    this.#open.delete(key);
  }
}

function findObstacle({ steps }: Transaction): string | undefined {
  for (const step of steps) {
    const obstacle = step.findObstacle();
    if (obstacle !== undefined) return obstacle;
  }
  return undefined;
}

function keyOf(id: Buffer): string {
  return id.toString("hex");
}

/** The outcome of an operation in a transaction. */
export function within(id: Buffer, outcome: Typed): Typed {
  return types.described(types.wrap_ulong(TRANSACTIONAL_STATE), types.wrap_list([id, outcome]));
}

export function unknownId(): Typed {
  return rejection(UNKNOWN_ID, "The transaction is unknown: it was discharged, rolled back or never declared.");
}

interface DescribedState {
  readonly descriptor?: { readonly value: unknown };
  readonly value: unknown;
}

/** The transaction in a delivery state as it came, and the outcome in it; `undefined` for another state. */
export function readTransactionalState(state: unknown): { id: Buffer; outcome: Typed | undefined } | undefined {
  const { descriptor, value } = (state ?? {}) as DescribedState;
  const isTransactional = [TRANSACTIONAL_STATE, "amqp:transactional-state:list"].includes(descriptor?.value as never);
  if (!isTransactional || !Array.isArray(value)) return undefined;
  const [id, outcome] = value as (Typed | undefined)[];
  return {
    id: Buffer.isBuffer(id?.value) ? id.value : Buffer.alloc(0),
    outcome: isDescribed(outcome) ? outcome : undefined,
  };
}

function isDescribed(outcome: Typed | undefined): boolean {
  return outcome !== undefined && "descriptor" in outcome && outcome.descriptor !== undefined;
}
