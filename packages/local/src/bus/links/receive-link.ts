// A client's receiving link: delivers as credit allows, drains, and turns dispositions into steps of the queue.

import type { Typed } from "rhea";
import type { Lock, Message } from "../encoded/message.ts";
import type { PropertyChanges } from "../encoded/message-changes.ts";
import type { Consumer, Lane } from "../queue/lane.ts";
import { deliveryTag } from "../queue/lock-table.ts";
import type { Queue } from "../queue/queue.ts";
import type { Settlement } from "../queue/settlement.ts";
import { ACCEPTED, rejected, type SenderLink, type Transfer } from "../rhea-internals.ts";
import { attempt, endLink, type Log, onLinkEvent } from "./link-faults.ts";

const DEAD_LETTER = "com.microsoft:dead-letter";
const SETTLED_BY_SENDER = 1;
const TAG_BYTES = 16;

interface HeldTransfer extends Transfer {
  lock?: Lock;
}

type SettleStep = (lock: Lock, delivery: HeldTransfer) => Settlement | Promise<Settlement>;

interface OutcomeContext {
  readonly delivery: HeldTransfer;
}

interface RejectedState {
  readonly error?: {
    readonly condition?: string;
    readonly description?: string;
    readonly info?: Record<string, unknown>;
  };
}

interface ModifiedState {
  readonly undeliverable_here?: boolean;
  readonly message_annotations?: PropertyChanges;
}

export class ReceiveLink implements Consumer {
  readonly queue: Queue;
  readonly direction = "receive";
  readonly mode: Consumer["mode"];
  readonly #link: SenderLink;
  readonly #log: Log;
  readonly #lane: Lane | undefined;
  /** Deliveries that were handed to rhea or reserved, in the link's own counting. */
  #handed = 0;
  #isJoined = false;
  #isDraining = false;

  constructor(link: SenderLink, queue: Queue, log: Log, lane?: Lane) {
    this.#link = link;
    this.#log = log;
    this.queue = queue;
    this.#lane = lane;
    this.mode = link.snd_settle_mode === SETTLED_BY_SENDER ? "receiveAndDelete" : "peekLock";
    echoDrainEvenWithoutCredit(link);
    const on = (outcome: string, step: SettleStep) =>
      onLinkEvent(link, outcome, log, ({ delivery }: OutcomeContext) => this.#settle(delivery, outcome, step));
    onLinkEvent(link, "sender_flow", log, () => this.#flow());
    // Room in rhea's buffer of unsettled deliveries, which was full.
    onLinkEvent(link, "sendable", log, () => queue.pump(lane));
    on("accepted", (lock) => queue.settler.complete(lock));
    on("released", (lock) => queue.settler.release(lock));
    on("rejected", (lock, delivery) => this.#reject(lock, delivery));
    on("modified", (lock, delivery) => this.#modify(lock, delivery));
    // rhea writes transfers before attaches; nothing is delivered until the attach of this turn is out. In a session what the
    // holder before has given back goes first, and that is being stored.
    const join = () => setImmediate(() => this.#join());
    if (lane) void queue.stored().then(join);
    else join();
  }

  credit(): number {
    // What rhea has queued has not yet lowered its credit, but always keeps the sum of credit and delivery count.
    const allowed = this.#link.credit + this.#link.delivery_count - this.#handed;
    return Math.min(allowed, this.#link.session.outgoing.available());
  }

  reserve(): void {
    this.#handed += 1;
  }

  deliver(message: Message, lock: Lock | undefined): void {
    if (!this.#link.is_open()) {
      this.leave();
      if (lock) this.queue.settler.release(lock);
      return;
    }
    // Called while another client's message is taken in, which must not suffer from what is wrong here.
    attempt(
      () => this.#send(message, lock),
      (cause) => {
        this.leave();
        if (lock) this.queue.settler.release(lock);
        endLink(this.#link, "delivery", this.#log, cause);
      },
    );
  }

  #send(message: Message, lock: Lock | undefined): void {
    if (lock) this.#handed += 1;
    const tag = lock ? deliveryTag(lock) : Buffer.alloc(TAG_BYTES);
    const delivery: HeldTransfer = this.#link.send(this.queue.encode(message, lock), tag, 0) as HeldTransfer;
    if (lock) delivery.lock = lock;
  }

  leave(): void {
    this.queue.leave(this, this.#lane);
  }

  end(condition: string, description: string): void {
    this.leave();
    this.#link.close({ condition, description });
  }

  #join(): void {
    if (!this.#link.is_open()) return;
    this.#isJoined = true;
    this.queue.join(this, this.#lane);
    this.#flow();
  }

  #flow(): void {
    if (!this.#isJoined) return;
    this.queue.pump(this.#lane);
    if (this.#link._draining && !this.#isDraining) this.#drain();
  }

  /** Part 2, section 2.6.7: a drain is answered once all that could be sent was sent. */
  #drain(): void {
    this.#isDraining = this.#handed > this.#link.delivery_count && this.#link.is_open();
    if (this.#isDraining) {
      setImmediate(() => this.#drain());
      return;
    }
    this.#handed = this.#link.delivery_count + this.#link.credit;
    this.#link._drained = true;
    this.#link.issue_flow = true;
    this.#link.connection._register();
  }

  async #settle(delivery: HeldTransfer, asked: string, step: SettleStep): Promise<void> {
    const { lock } = delivery;
    const wrong = lock && this.queue.settler.changeFault(lock, changesOf(delivery, asked));
    if (wrong) {
      // The message stays locked, as after any settlement that failed.
      this.#answer(delivery, rejected(wrong.condition, wrong.message));
      return;
    }
    this.#answer(delivery, answer(lock ? await step(lock, delivery) : "lost"));
  }

  #answer(delivery: HeldTransfer, outcome: Typed): void {
    if (!this.#link.is_open()) return;
    delivery.update(true, outcome);
    // rhea waits for the remote side to settle as well, which in this mode it never says.
    delivery.remote_settled = true;
  }

  #reject(lock: Lock, delivery: HeldTransfer): Promise<Settlement> {
    return this.queue.settler.moveToDeadLetter(lock, reasonOf(delivery));
  }

  #modify(lock: Lock, delivery: HeldTransfer): Promise<Settlement> {
    const { undeliverable_here: isDeferred } = delivery.remote_state as unknown as ModifiedState;
    const changes = changesOf(delivery, "modified");
    return isDeferred ? this.queue.settler.defer(lock, changes) : this.queue.settler.abandon(lock, changes);
  }
}

/** What the client wants changed in the message. */
function changesOf(delivery: HeldTransfer, asked: string): PropertyChanges {
  if (asked === "rejected") return reasonOf(delivery);
  return asked === "modified" ? ((delivery.remote_state as unknown as ModifiedState).message_annotations ?? {}) : {};
}

function reasonOf(delivery: HeldTransfer): PropertyChanges {
  const { error } = delivery.remote_state as unknown as RejectedState;
  const isDeadLettering = error?.condition === DEAD_LETTER;
  return { ...(isDeadLettering ? error?.info : { DeadLetterErrorDescription: error?.description ?? "" }) };
}

/** The SDK throws on an echoed `rejected`, so that every success is answered `accepted`. */
function answer(settlement: Settlement): Typed {
  switch (settlement) {
    case "settled":
      return ACCEPTED;
    case "lost":
      return rejected(
        "com.microsoft:message-lock-lost",
        "The message is not locked any more: its lock has expired, or it was settled before.",
      );
    case "refused":
      return rejected("amqp:not-allowed", "A message in a dead-letter queue cannot be dead-lettered.");
    default:
      return settlement satisfies never;
  }
}

/** rhea answers a drain only if there is credit to use up; the SDK waits for the answer in any case, and then closes the link. */
function echoDrainEvenWithoutCredit(link: SenderLink): void {
  link._get_drain = () => {
    if (!link._draining || !link._drained) return false;
    link.delivery_count += link.credit;
    link.credit = 0;
    link._draining = false;
    return true;
  };
}
