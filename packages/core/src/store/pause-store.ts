// The operators' pauses, one document each, in one partition of the supervision container: one small query reads them all.
import { type Container, ErrorResponse } from "@azure/cosmos";

export const PAUSABLE = ["workflow", "agent"] as const;

export interface Paused {
  readonly kind: (typeof PAUSABLE)[number];
  readonly name: string;
}

export interface Pause extends Paused {
  readonly by: string;
  readonly at: string;
  readonly reason: string;
}

/** Every method throws if the store does not answer. */
export interface PauseStore {
  all(): Promise<Pause[]>;
  /** False if it is paused already. */
  add(pause: Pause): Promise<boolean>;
  /** False if it is not paused. */
  remove(paused: Paused): Promise<boolean>;
}

/** No day has this name. */
const PARTITION = "pauses";
/** Until an operator resumes it, even if the container's documents have a time to live. */
const FOR_EVER = -1;
const CONFLICT = 409;
const NOT_FOUND = 404;

const idOf = ({ kind, name }: Paused): string => `${kind}:${name}`;

/** @param container its partition key is `/day` */
export function createCosmosPauseStore(container: Container): PauseStore {
  return {
    async all() {
      // `by` is a keyword of the query language.
      const query = 'SELECT c.kind, c.name, c["by"], c.at, c.reason FROM c';
      return (await container.items.query<Pause>(query, { partitionKey: PARTITION }).fetchAll()).resources;
    },
    add: (pause) =>
      unless(CONFLICT, () => container.items.create({ ...pause, id: idOf(pause), day: PARTITION, ttl: FOR_EVER })),
    remove: (paused) => unless(NOT_FOUND, () => container.item(idOf(paused), PARTITION).delete()),
  };
}

async function unless(status: number, work: () => Promise<unknown>): Promise<boolean> {
  try {
    await work();
    return true;
  } catch (cause) {
    if (cause instanceof ErrorResponse && cause.code === status) return false;
    throw cause;
  }
}
