// What all processes must know of workflows and agents: the operators' pauses, and the agents that the supervisor watches. One document each, in one
// partition of the supervision container: one small query reads them all.
import { type Container, ErrorResponse } from "@azure/cosmos";

export interface Paused {
  readonly kind: "workflow" | "agent";
  readonly name: string;
}

export interface Pause extends Paused {
  readonly by: string;
  readonly at: string;
  readonly reason: string;
}

/**
 * Steps wait for this agent: each process that sees the agent take up work notes that here, at a limited rate. While no agent is watched, that costs
 * nothing.
 */
export interface Watch {
  readonly kind: "watch";
  /** The agent. */
  readonly name: string;
  /** Since when it is watched. */
  readonly at: string;
  /** When it was last seen to take up work; null if it was not. */
  readonly seenAt: string | null;
  /** Since when it is known that nobody takes its work; null if it was seen since. */
  readonly absentAt: string | null;
}

/** An agent was paused, from `at` on: for so long the waits of its steps stood still. */
interface Rest {
  readonly kind: "rest";
  /** The agent. */
  readonly name: string;
  readonly at: string;
  readonly until: string;
}

/** Every method throws if the store does not answer. */
export interface PauseStore {
  all(): Promise<(Pause | Watch | Rest)[]>;
  /** False if it is paused already. */
  add(pause: Pause): Promise<boolean>;
  /** False if it is not paused. */
  remove(paused: Paused): Promise<boolean>;
  /** Replaces the agent's watch, which ends by itself an hour after it began. */
  watch(watch: Watch, now: number): Promise<void>;
  /** Keeps it for longer than a step may wait. */
  rested(rest: Rest): Promise<void>;
}

/** No day has this name. */
const PARTITION = "pauses";
/** Until an operator resumes it, even if the container's documents have a time to live. */
const FOR_EVER = -1;
const WATCH_LASTS_MS = 3_600_000;
const REST_LASTS_S = 31 * 86_400;
const CONFLICT = 409;
const NOT_FOUND = 404;

const idOf = ({ kind, name }: Paused | Watch | Rest): string => `${kind}:${name}`;

/** @param container its partition key is `/day` */
export function createCosmosPauseStore(container: Container): PauseStore {
  return {
    async all() {
      // `by` is a keyword of the query language.
      const query = 'SELECT c.kind, c.name, c["by"], c.at, c.reason, c.seenAt, c.absentAt, c.until FROM c';
      return (await container.items.query<Pause | Watch | Rest>(query, { partitionKey: PARTITION }).fetchAll())
        .resources;
    },
    add: (pause) =>
      unless(CONFLICT, () => container.items.create({ ...pause, id: idOf(pause), day: PARTITION, ttl: FOR_EVER })),
    remove: (paused) => unless(NOT_FOUND, () => container.item(idOf(paused), PARTITION).delete()),
    async watch(watch, now) {
      const leftMs = Date.parse(watch.at) + WATCH_LASTS_MS - now;
      const ttl = Math.max(1, Math.ceil(leftMs / 1000));
      await container.items.upsert({ ...watch, id: idOf(watch), day: PARTITION, ttl });
    },
    async rested(rest) {
      await container.items.upsert({ ...rest, id: `${idOf(rest)}:${rest.at}`, day: PARTITION, ttl: REST_LASTS_S });
    },
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
