// What the audit log is published of one request about a message that nobody could take.
import type { DeadLetter } from "../messaging/dead-letters.ts";
import type { OperatorAction } from "../supervision/audit-log.ts";
import { instant, type Ports, type Telemetry } from "./ports.ts";

interface About {
  /** As operators call it. */
  readonly queue: string;
  readonly sequenceNumber: string;
  readonly action: "resendDeadLetter" | "discardDeadLetter" | "resendDiscarded";
  readonly reason: string;
  readonly operator: string;
}

export class DeadLetterEntry {
  readonly #about: About;
  readonly #ports: Pick<Ports, "now" | "supervision">;
  readonly #telemetry: Telemetry;

  constructor(about: About, ports: Pick<Ports, "now" | "supervision">, telemetry: Telemetry) {
    this.#about = about;
    this.#ports = ports;
    this.#telemetry = telemetry;
  }

  /** Whether it could be written. */
  async write(message: DeadLetter | undefined, outcome: string): Promise<boolean> {
    const { queue, sequenceNumber, action, reason, operator } = this.#about;
    const orderId = message?.orderId ?? null;
    this.#telemetry.event("OperatorActed", { orderId, attempt: null, action, operator, outcome });
    const entry: Omit<OperatorAction, "kind"> = {
      at: instant(this.#ports.now()),
      operator,
      action,
      orderId,
      reason,
      outcome,
      before: null,
      after: null,
      message: { queue, sequenceNumber, messageId: message?.messageId ?? null, subject: message?.subject ?? null },
    };
    try {
      await this.#ports.supervision.operatorAction(entry);
      return true;
    } catch (cause) {
      this.#telemetry.event("AuditLogUnwritten", { orderId, cause: String(cause) });
      return false;
    }
  }
}
