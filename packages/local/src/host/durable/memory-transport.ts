// The transport of the fast engine: what happens is handed over at once, and the history alone says what is still to be done.
import type { Activities } from "./activities.ts";
import { timerFired } from "./history.ts";
import type { Arrival, Instance } from "./instance.ts";
import type { Orphan } from "./instance-store.ts";
import type { Timers } from "./timers.ts";
import { completionOf, type Receiver, type Scheduled, type Transport } from "./transport.ts";
import type { Work, WorkOutcome } from "./work.ts";

export class MemoryTransport implements Transport {
  readonly costs = undefined;
  readonly #receiver: Receiver;
  readonly #activities: Activities;
  readonly #timers: Timers;
  #timersFired = 0;

  constructor(receiver: Receiver, activities: Activities, timers: Timers) {
    this.#receiver = receiver;
    this.#activities = activities;
    this.#timers = timers;
  }

  get counts() {
    return { timersFired: this.#timersFired, activitiesWaiting: this.#activities.waiting };
  }

  get inFlight(): number {
    return this.#activities.running;
  }

  client(): undefined {}

  start(instance: Instance): void {
    this.#receiver.begin(instance);
  }

  send(instance: Instance, arrival: Arrival): void {
    this.#receiver.take(instance, arrival);
  }

  timer(instance: Instance, { id }: Scheduled, fireAt: number): void {
    const { generation } = instance;
    const fire = () => {
      this.#timersFired += 1;
      this.#receiver.take(instance, { event: timerFired(new Date(), id, fireAt), generation });
    };
    instance.open.set(id, { timer: this.#timers.add(fireAt, fire) });
  }

  work(instance: Instance, { id }: Scheduled, work: Work): void {
    const { int, generation } = instance;
    const isLeft = () => instance.ended || instance.generation !== generation;
    const finish = async (outcome: WorkOutcome) => {
      if (isLeft()) await this.#receiver.forget({ int, generation, task: id });
      // Also where the disk has refused the end meanwhile: then it is waited for again.
      if (!isLeft()) this.#receiver.take(instance, { event: completionOf(id, outcome), generation });
    };
    instance.open.set(id, { work });
    this.#activities.run(work, finish);
  }

  adopt(orphan: Orphan, work: Work): void {
    this.#activities.run(work, () => void this.#receiver.forget(orphan));
  }

  clear({ open }: Instance): void {
    for (const { timer } of open.values()) if (timer) this.#timers.cancel(timer);
  }

  drop(): void {
    // Nothing is kept of them anywhere.
  }

  taken(): void {
    // The commit itself takes them out of the inbox.
  }

  open(): void {
    // Everything is on its way already.
  }

  hold(): void {
    this.#activities.hold();
  }

  stop(): void {
    this.#timers.close();
  }

  close(): void {
    // Everything has been stopped already.
  }
}
