// The entry in the audit log for one request about a dead letter.

import { instant } from "@scheduler-agent-supervisor/core/domain";
import { type Context, type Ports, writeAuditLog } from "@scheduler-agent-supervisor/core/scheduling";
import type { ReadDeadLetter } from "../messaging/dead-letters.ts";

interface About {
  /** The queue's name for operators. */
  readonly queue: string;
  readonly sequenceNumber: string;
  readonly action: "resendDeadLetter" | "discardDeadLetter" | "resendDiscarded";
  readonly reason: string;
  readonly operator: string;
}

export class DeadLetterEntry {
  readonly #about: About;
  readonly #context: Context<Pick<Ports, "now" | "supervision">>;

  constructor(about: About, context: Context<Pick<Ports, "now" | "supervision">>) {
    this.#about = about;
    this.#context = context;
  }

  /** Returns whether it could be written. */
  async write(message: ReadDeadLetter | undefined, outcome: string): Promise<boolean> {
    const { queue, sequenceNumber, action, reason, operator } = this.#about;
    const jobId = message?.jobId ?? null;
    const entry = {
      at: instant(this.#context.now()),
      operator,
      action,
      jobId,
      reason,
      outcome,
      before: null,
      after: null,
      message: { queue, sequenceNumber, messageId: message?.messageId ?? null, subject: message?.subject ?? null },
    };
    return writeAuditLog(entry, null, this.#context);
  }
}
