// What an operator does with a dead letter: sends it again, as it was or corrected, or removes it. All of it stands in the ledger.
import type { DeadLetterAction, DeadLetterRequest } from "../messaging/dead-letter-request.ts";
import type { DeadLetter, DeadLetterQueue, DeadLetters, TakenDeadLetter } from "../messaging/dead-letters.ts";
import { withStoredSecrets } from "../messaging/hidden-secrets.ts";
import type { OperatorAction } from "../supervision/supervision-log.ts";
import { instant, type Ports, type Telemetry } from "./ports.ts";

export interface DeadLetterPorts extends Pick<Ports, "now" | "supervision"> {
  readonly deadLetters: DeadLetters;
}

export type Handled =
  /** `removed`: false where its lock was lost, so that it is still there. Sent again from there, it has the same message id. */
  | { readonly kind: "resent"; readonly target: string; readonly messageId: string; readonly removed: boolean }
  | { readonly kind: "discarded" }
  | { readonly kind: "not-found" }
  | { readonly kind: "refused"; readonly reason: string };

/**
 * Order of effects: a resent message is in its queue before the original is removed, and a discarded one in the ledger before it is removed.
 * After a death in between the original is still there; a second copy of a resent one has the same message id and the same content, and
 * whoever takes it is idempotent.
 */
export async function handleDeadLetter(
  queue: DeadLetterQueue,
  sequenceNumber: string,
  request: DeadLetterRequest,
  operator: string,
  ports: DeadLetterPorts,
  telemetry: Telemetry,
): Promise<Handled> {
  const entry = new Entry(queue, sequenceNumber, request, operator, ports, telemetry);
  const taken = await ports.deadLetters.take(queue, sequenceNumber, (letter) =>
    request.action === "resend" ? resend(letter, request, entry) : discard(letter, entry),
  );
  switch (taken.kind) {
    case "taken":
      return taken.value;
    case "not-found":
      return taken;
    case "in-use":
      return entry.refused("somebody else has it under a lock: try again in a minute");
    case "too-deep":
      return entry.refused(`more than ${taken.before} messages are before it: see to those first`);
    default:
      return taken satisfies never;
  }
}

async function resend(letter: TakenDeadLetter, { correction }: DeadLetterRequest, entry: Entry): Promise<Handled> {
  const { body: original } = letter.message;
  const json = original.kind === "json" ? original.json : undefined;
  const sent = await letter
    .resend(correction && { body: withStoredSecrets(correction.body, json) })
    .catch(async (cause: unknown) => {
      await entry.write(letter.message, `failed: ${String(cause)}`);
      throw cause;
    });
  if (sent.kind === "too-large") return entry.refused(`it is larger than ${letter.target} takes`, letter.message);
  const { messageId } = sent;
  const removed = await letter.complete();
  const what = `resent to ${letter.target} as ${messageId}${correction ? ", with another body" : ""}`;
  await entry.write(letter.message, removed ? what : `${what}; the original is still there`);
  return { kind: "resent", target: letter.target, messageId, removed };
}

/** What is gone for good is in the ledger, or it is not removed. */
async function discard(letter: TakenDeadLetter, entry: Entry): Promise<Handled> {
  if (!(await entry.write(letter.message, "discarded"))) {
    return { kind: "refused", reason: "the ledger can't be written, and nothing is removed without an entry there" };
  }
  if (await letter.complete()) return { kind: "discarded" };
  await entry.write(letter.message, "not discarded: its lock was lost");
  return { kind: "refused", reason: "its lock was lost: it is still there" };
}

/** What the ledger is told of one request. */
class Entry {
  readonly #queue: DeadLetterQueue;
  readonly #sequenceNumber: string;
  readonly #request: DeadLetterRequest;
  readonly #operator: string;
  readonly #ports: DeadLetterPorts;
  readonly #telemetry: Telemetry;

  constructor(
    queue: DeadLetterQueue,
    sequenceNumber: string,
    request: DeadLetterRequest,
    operator: string,
    ports: DeadLetterPorts,
    telemetry: Telemetry,
  ) {
    this.#queue = queue;
    this.#sequenceNumber = sequenceNumber;
    this.#request = request;
    this.#operator = operator;
    this.#ports = ports;
    this.#telemetry = telemetry;
  }

  /** Whether it could be written. */
  async write(message: DeadLetter | undefined, outcome: string): Promise<boolean> {
    const action = NAMES[this.#request.action];
    const operator = this.#operator;
    const orderId = message?.orderId ?? null;
    this.#telemetry.event("OperatorActed", { orderId, attempt: null, action, operator, outcome });
    const entry: Omit<OperatorAction, "kind"> = {
      at: instant(this.#ports.now()),
      operator,
      action,
      orderId,
      reason: this.#request.reason,
      outcome,
      before: null,
      after: null,
      message: {
        queue: this.#queue.name,
        sequenceNumber: this.#sequenceNumber,
        messageId: message?.messageId ?? null,
        subject: message?.subject ?? null,
      },
    };
    try {
      await this.#ports.supervision.operatorAction(entry);
      return true;
    } catch (cause) {
      this.#telemetry.event("LedgerUnwritten", { orderId, cause: String(cause) });
      return false;
    }
  }

  async refused(reason: string, message?: DeadLetter): Promise<Handled> {
    await this.write(message, `refused: ${reason}`);
    return { kind: "refused", reason };
  }
}

const NAMES = { resend: "resendDeadLetter", discard: "discardDeadLetter" } as const satisfies Record<
  DeadLetterAction,
  string
>;
