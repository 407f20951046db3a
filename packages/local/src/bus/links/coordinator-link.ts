// The link over which a client declares and discharges transactions (OASIS AMQP 1.0, part 4, section 4).
import { ABORTED_FORMAT, OVERSIZED_FORMAT } from "../amqp/amqp-session.ts";
import { checkMessage } from "../encoded/encoded-message.ts";
import { readItems, readSection, readVariable, skipValue } from "../encoded/encoded-value.ts";
import { type ReceiverLink, rejection, type Transfer } from "../rhea-internals.ts";
import { type Log, listen } from "./link-faults.ts";
import type { Transactions } from "./transactions.ts";

const CREDIT = 100;
const AMQP_VALUE = 0x77;
const DECLARE = 0x31;
const DISCHARGE = 0x32;
const TRUE = 0x41;
const BOOLEAN = 0x56;

type Order =
  | { readonly kind: "declare" }
  | { readonly kind: "discharge"; readonly id: Buffer; readonly isFailed: boolean };

interface MessageContext {
  readonly message: Buffer;
  readonly format?: number;
  readonly delivery: Transfer;
}

export function coordinate(link: ReceiverLink, transactions: Transactions, log: Log): void {
  listen(link, "message", log, async ({ message, format, delivery }: MessageContext) => {
    link.add_credit(1);
    if (format === ABORTED_FORMAT) {
      Reflect.set(delivery, "settled", true);
      return;
    }
    const order = format === OVERSIZED_FORMAT ? "The request is too large." : read(message);
    if (typeof order === "string") delivery.update(true, rejection("amqp:decode-error", order));
    else if (order.kind === "declare") delivery.update(true, transactions.declare(link));
    else delivery.update(true, await transactions.discharge(order.id, order.isFailed));
  });
  link.add_credit(CREDIT);
}

/** A text says what is wrong. */
function read(bytes: Buffer): Order | string {
  try {
    checkMessage(bytes);
    let section = readSection(bytes, 0);
    while (section.code !== AMQP_VALUE) section = readSection(bytes, section.end);
    const { code, value } = readSection(bytes, section.value);
    if (code === DECLARE) return { kind: "declare" };
    if (code === DISCHARGE) return readDischarge(bytes, value);
  } catch (cause) {
    if (!(cause instanceof RangeError)) throw cause;
  }
  return "The coordinator takes only declare and discharge.";
}

function readDischarge(bytes: Buffer, list: number): Order | string {
  const { count, first } = readItems(bytes, list);
  const id = count > 0 ? readVariable(bytes, first) : undefined;
  if (!id) return "A discharge needs the id of its transaction.";
  const flag = count > 1 ? skipValue(bytes, first) : undefined;
  return { kind: "discharge", id: Buffer.from(id), isFailed: flag !== undefined && isTrue(bytes, flag) };
}

function isTrue(bytes: Buffer, at: number): boolean {
  return bytes[at] === TRUE || (bytes[at] === BOOLEAN && bytes[at + 1] === 1);
}
