// The transport of the engine that behaves like Durable on Azure Storage: control queues by partition, one queue of activities, and
// storage requests that each of them has to make.
import type { Database } from "../../../database/database.ts";
import type { Activities } from "../activities.ts";
import { type AzureStorageProfile, CLIENT_REQUESTS, REQUESTS } from "../engine-profile.ts";
import { EventType, timerFired } from "../history.ts";
import { type Arrival, accept, type Instance } from "../instance.ts";
import type { InstanceStore, Orphan } from "../instance-store.ts";
import { Timers } from "../timers.ts";
import {
  completionOf,
  type Origin,
  type Receiver,
  type Scheduled,
  type Transport,
  type TurnCosts,
} from "../transport.ts";
import type { Work } from "../work.ts";
import { type ControlMessage, ControlQueue } from "./control-queue.ts";
import { Leases } from "./leases.ts";
import type { QueueMessage } from "./message-queue.ts";
import { partitionOf } from "./partition.ts";
import { StorageAccount } from "./storage-account.ts";
import { timerVisibilityMs } from "./timer-visibility.ts";
import { WorkItemQueue, type WorkMessage } from "./work-item-queue.ts";

interface AzureStorageParts {
  readonly db: Database;
  readonly store: InstanceStore;
  readonly profile: AzureStorageProfile;
  readonly activities: Activities;
  readonly maxActivities: number;
  /** Clients are in other processes. */
  readonly remoteClients: boolean;
}

export class AzureStorageTransport implements Transport, TurnCosts {
  readonly costs = this;
  readonly account: StorageAccount;
  readonly #parts: AzureStorageParts;
  readonly #receiver: Receiver;
  readonly #timers = new Timers();
  readonly #leases: Leases;
  /** Those of the process before, for what a restart adds again. */
  readonly #left: Map<string, number>;
  readonly #control: readonly ControlQueue[];
  readonly #work: WorkItemQueue;
  readonly #inHand = new Set<string>();
  readonly #taken = new Map<Instance, string[]>();
  #isOpen = false;
  #timersFired = 0;

  constructor(receiver: Receiver, parts: AzureStorageParts) {
    const { db, profile, activities, maxActivities } = parts;
    this.#receiver = receiver;
    this.#parts = parts;
    this.#leases = new Leases(db);
    this.#left = this.#leases.all();
    this.account = new StorageAccount(profile, this.#timers);
    const lease = (messages: readonly QueueMessage[], visibleAt: number) =>
      db.write(() => this.#leases.take(keysOf(messages), visibleAt));
    const common = { profile, account: this.account, timers: this.#timers, lease };
    const control = { ...common, inHand: this.#inHand, receive: (message: ControlMessage) => this.#receive(message) };
    this.#control = Array.from({ length: profile.partitionCount }, () => new ControlQueue(control));
    this.#work = new WorkItemQueue({ ...common, activities, maxActivities });
  }

  get counts() {
    return {
      timersFired: this.#timersFired,
      storageRequests: this.account.requests,
      controlMessagesWaiting: this.#control.reduce((sum, { size }) => sum + size, 0),
      controlMessagesInHand: this.#inHand.size,
      activitiesWaiting: this.#work.size,
    };
  }

  get inFlight(): number {
    return this.#work.running;
  }

  client(method: string, path: string): Promise<void> | undefined {
    const [, , requests] = CLIENT_REQUESTS.find(([verb, route]) => verb === method && route.test(path)) ?? [];
    return requests === undefined ? undefined : this.account.sequence(requests);
  }

  open(): void {
    this.#isOpen = true;
    for (const queue of this.#control) queue.open();
    this.#work.open();
  }

  hold(): void {
    this.#parts.activities.hold();
    this.#work.close();
  }

  stop(): void {
    for (const queue of this.#control) queue.close();
  }

  close(): void {
    this.#timers.close();
  }

  start(instance: Instance, from: Origin = "engine"): void {
    const visibleAt = this.#now(instance.updatedAt);
    this.#add(instance, { key: startOf(instance), visibleAt, arrival: undefined, wakes: this.#wakes(from) });
  }

  send(instance: Instance, arrival: Arrival, from: Origin = "engine"): void {
    const key = `inbox:${arrival.inbox}`;
    const visibleAt = this.#now(new Date(arrival.event.Timestamp).getTime());
    this.#add(instance, { key, visibleAt, arrival: { ...arrival, message: key }, wakes: this.#wakes(from) });
  }

  timer(instance: Instance, { id, at }: Scheduled, fireAt: number): void {
    const { timerGranularityMs } = this.#parts.profile;
    const addedAt = this.#isOpen ? Date.now() : at + 1;
    const key = `timer:${taskOf(instance, id)}`;
    const event = timerFired(new Date(fireAt), id, fireAt);
    const arrival = { event, generation: instance.generation, message: key };
    instance.open.set(id, {});
    const visibleAt = addedAt + timerVisibilityMs(fireAt, addedAt, timerGranularityMs);
    this.#add(instance, { key, visibleAt, arrival, wakes: true });
  }

  work(instance: Instance, { id, at }: Scheduled, work: Work): void {
    const { db, store } = this.#parts;
    const { int, generation } = instance;
    const key = `work:${taskOf(instance, id)}`;
    instance.open.set(id, { work });
    const answer: WorkMessage["answer"] = async (outcome) => {
      const arrival = await db.write(() => {
        this.#leases.end([key]);
        if (!instance.ended && instance.generation === generation) {
          return accept(store, instance, completionOf(id, outcome));
        }
        store.removeOrphan({ int, generation, task: id });
        return undefined;
      });
      if (arrival) this.send(instance, arrival);
    };
    this.#work.add({ key, visibleAt: this.#visibleAt(key, this.#now(at)), dequeued: 0, work, answer });
  }

  adopt(orphan: Orphan, work: Work): void {
    const { db, store } = this.#parts;
    const key = `work:${orphan.int}:${orphan.generation}:${orphan.task}`;
    const answer = () =>
      db.write(() => {
        this.#leases.end([key]);
        store.removeOrphan(orphan);
      });
    this.#work.add({ key, visibleAt: this.#visibleAt(key, 0), dequeued: 0, work, answer });
  }

  /** Messages for an instance that has ended stay in their queue, and are discarded when they become visible. */
  clear(): void {}

  drop(instance: Instance, arrivals: readonly Arrival[]): void {
    this.#discard([startOf(instance), ...arrivals.map(({ message = "" }) => message)]);
  }

  beforeTurn(): Promise<void> {
    return this.account.sequence(REQUESTS.readHistory);
  }

  beforeCommit(outbound: number): Promise<void> {
    return this.account.parallel(outbound * REQUESTS.send);
  }

  taken(instance: Instance, arrivals: readonly Arrival[]): void {
    const keys = arrivals.map(({ message = "" }) => message);
    if (instance.turns === 0) keys.push(startOf(instance));
    this.#leases.end(keys);
    this.#taken.set(instance, keys);
  }

  async afterCommit(instance: Instance): Promise<void> {
    const keys = this.#taken.get(instance) ?? [];
    this.#taken.delete(instance);
    await this.account.sequence(REQUESTS.writeHistory);
    await this.account.parallel(keys.length * REQUESTS.remove);
    for (const key of keys) this.#inHand.delete(key);
  }

  #receive({ instance, generation, arrival, key }: ControlMessage): void {
    if (!arrival && !instance.ended && instance.generation === generation) this.#receiver.begin(instance);
    else if (arrival && this.#receiver.take(instance, arrival)) {
      if (arrival.event.EventType === EventType.timerFired) this.#timersFired += 1;
    } else this.#discard([key]);
  }

  /** Nobody is there any more to take them in: the engine reads the history to see that, and removes them. */
  #discard(keys: readonly string[]): void {
    const held = keys.filter((key) => this.#inHand.delete(key));
    if (held.length === 0) return;
    void this.account.sequence(REQUESTS.readHistory + held.length * REQUESTS.remove);
    void this.#parts.db.write(() => this.#leases.end(held)).catch(() => undefined);
  }

  #add(instance: Instance, message: Omit<ControlMessage, "instance" | "generation" | "dequeued">): void {
    const queue = this.#control[partitionOf(instance.id, this.#control.length)];
    const { generation } = instance;
    const visibleAt = this.#visibleAt(message.key, message.visibleAt);
    queue?.add({ ...message, visibleAt, dequeued: 0, instance, generation });
  }

  #wakes(from: Origin): boolean {
    return from === "engine" || !this.#parts.remoteClients;
  }

  /** At a restart messages keep their order. */
  #now(before: number): number {
    return this.#isOpen ? Date.now() : Math.min(before, Date.now());
  }

  #visibleAt(key: string, otherwise: number): number {
    if (this.#isOpen) return otherwise;
    return Math.max(this.#left.get(key) ?? 0, otherwise);
  }
}

function keysOf(messages: readonly QueueMessage[]): string[] {
  return messages.map(({ key }) => key);
}

function taskOf({ int, generation }: Instance, id: number): string {
  return `${int}:${generation}:${id}`;
}

function startOf({ int, generation }: Instance): string {
  return `start:${int}:${generation}`;
}
