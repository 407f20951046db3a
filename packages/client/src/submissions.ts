// Which of several submissions under one order id an answer is about: a rejection is one submission's, all else is the order's.
import type { StatusMessage } from "./order-messages.ts";

export interface Submission {
  readonly id: string;
  readonly orderId: string;
  /** Its digest: see content-digest.ts. */
  readonly content: string;
  onRejected(rejection: StatusMessage): void;
  /** From now on what is received of the order is about this submission too. */
  onMayJoin(): void;
}

const REMEMBERED_ORDERS = 2000;

export class Submissions {
  readonly #open = new Map<string, Submission>();
  /** What was submitted first under each order id and is not rejected, as far as is known here: the order's statuses are about it. */
  readonly #first = new Map<string, string>();

  /** @returns whether what is received of the order is about this submission; else `onMayJoin` says when it is. */
  add(submission: Submission): boolean {
    const { id, orderId, content } = submission;
    this.#open.set(id, submission);
    const first = this.#first.get(orderId);
    if (first !== undefined) return first === content;
    this.#first.set(orderId, content);
    const [oldest] = this.#first.keys();
    if (this.#first.size > REMEMBERED_ORDERS && oldest !== undefined) this.#first.delete(oldest);
    return true;
  }

  /** What the order's statuses are about, as far as is known here. */
  contentOf(orderId: string): string | undefined {
    return this.#first.get(orderId);
  }

  leave({ id }: Submission): void {
    this.#open.delete(id);
  }

  /** It was not sent, as far as is known. */
  withdraw({ id, orderId, content }: Submission): void {
    this.#open.delete(id);
    if (this.#first.get(orderId) === content) this.#pass(orderId, content);
  }

  /** Of a submission that nobody waits for it is dropped. */
  reject(rejection: StatusMessage): void {
    const rejected = this.#open.get(rejection.submissionId ?? "");
    if (!rejected) return;
    this.#open.delete(rejected.id);
    const { orderId, content } = rejected;
    if (this.#first.get(orderId) === content) this.#pass(orderId, content);
    rejected.onRejected(rejection);
  }

  /** The content that is left is the order's. */
  #pass(orderId: string, rejected: string): void {
    this.#first.delete(orderId);
    const others = [...this.#open.values()].filter((other) => other.orderId === orderId && other.content !== rejected);
    const next = others[0]?.content;
    if (next === undefined) return;
    this.#first.set(orderId, next);
    for (const other of others) if (other.content === next) other.onMayJoin();
  }
}
