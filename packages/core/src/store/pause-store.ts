// What operators have paused, one document each, in one partition of the supervision container: one small query reads them all.
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

/** Every method throws where the store does not answer. */
export interface PauseStore {
  all(): Promise<Pause[]>;
  /** False where it is paused already. */
  add(pause: Pause): Promise<boolean>;
  /** False where it is not paused. */
  remove(paused: Paused): Promise<boolean>;
}

/** No day is called so. */
const PARTITION = "pauses";
/** Until somebody resumes it, also where the container lets its documents go after a time. */
const FOR_EVER = -1;
const CONFLICT = 409;
const NOT_FOUND = 404;

const idOf = ({ kind, name }: Paused): string => `${kind}:${name}`;

/** @param container its partition key is `/day` */
export function createCosmosPauseStore(container: Container): PauseStore {
  return {
    async all() {
      // By is a word of the query language.
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
