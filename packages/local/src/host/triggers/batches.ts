// Gathers messages for a function that takes many at once: one batch at a time, all that came in meanwhile in the next.
import type { IncomingMessage } from "../bindings/message-body.ts";

/** How long a first message waits for company. */
const GATHER_MS = 5;

interface Waiting {
  readonly message: IncomingMessage;
  readonly resolve: (succeeded: boolean) => void;
}

export class Batches {
  readonly #maxSize: number;
  readonly #invoke: (messages: readonly IncomingMessage[]) => Promise<boolean>;
  #waiting: Waiting[] = [];
  #running = false;

  /** `invoke` answers whether the batch succeeded, and never rejects. */
  constructor(maxSize: number, invoke: (messages: readonly IncomingMessage[]) => Promise<boolean>) {
    this.#maxSize = maxSize;
    this.#invoke = invoke;
  }

  /** Resolves when the batch that the message became part of has ended. */
  add(message: IncomingMessage): Promise<boolean> {
    return new Promise((resolve) => {
      this.#waiting.push({ message, resolve });
      if (!this.#running) {
        this.#running = true;
        setTimeout(() => void this.#runAll(), GATHER_MS);
      }
    });
  }

  async #runAll(): Promise<void> {
    while (this.#waiting.length > 0) {
      const batch = this.#waiting.slice(0, this.#maxSize);
      this.#waiting = this.#waiting.slice(this.#maxSize);
      const succeeded = await this.#invoke(batch.map(({ message }) => message));
      for (const { resolve } of batch) resolve(succeeded);
    }
    this.#running = false;
  }
}
