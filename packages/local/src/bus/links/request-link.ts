// Request and response over a pair of links: what `$cbs` and `$management` have in common.
import { messageOf, stackOf } from "../../thrown.ts";
import { ABORTED_FORMAT, OVERSIZED_FORMAT } from "../amqp/amqp-session.ts";
import { checkMessage } from "../encoded/encoded-message.ts";
import { isStoreFault } from "../queue/store.ts";
import {
  ACCEPTED,
  type DecodedMessage,
  messages,
  type ReceiverLink,
  rejected,
  type SenderLink,
  type Transfer,
  types,
} from "../rhea-internals.ts";
import { type Log, onLinkEvent } from "./link-faults.ts";

const CREDIT = 100;
const INTERNAL_ERROR = 500;
const UUID_BYTES = 16;

export interface Response {
  readonly properties: Record<string, unknown>;
  readonly body?: unknown;
}

/** Answers one request. What it throws is answered as an internal error. */
export type Responder = (request: DecodedMessage) => Response | Promise<Response>;

interface RequestService {
  readonly log: Log;
  readonly respond: Responder;
  /** Knows the link that carries answers to a request's `reply_to`. */
  findReply(replyTo: string): SenderLink | undefined;
}

interface RequestContext {
  readonly message: Buffer;
  readonly format?: number;
  readonly delivery: Transfer;
}

/** Serves the requests of a link. */
export function serveRequests(link: ReceiverLink, service: RequestService): void {
  const { log, findReply } = service;
  onLinkEvent(link, "message", log, async ({ message, format, delivery }: RequestContext) => {
    link.add_credit(1);
    if (format === ABORTED_FORMAT) {
      Reflect.set(delivery, "settled", true);
      return;
    }
    const request = format === OVERSIZED_FORMAT ? "The request is too large." : decode(message);
    if (typeof request === "string") {
      delivery.update(true, rejected("amqp:decode-error", request));
      return;
    }
    delivery.update(true, ACCEPTED);
    const response = await answer(service, request);
    const reply = findReply(typeof request.reply_to === "string" ? request.reply_to : "");
    if (!reply?.is_open()) return;
    const sent = reply.send(encode(request, response), undefined, 0);
    // Settled in advance: nobody acts on the disposition of an answer.
    Reflect.set(sent, "settled", true);
  });
  link.add_credit(CREDIT);
}

async function answer({ respond, log }: RequestService, request: DecodedMessage): Promise<Response> {
  try {
    return await respond(request);
  } catch (cause) {
    if (isStoreFault(cause)) throw cause;
    const description = messageOf(cause);
    log(`AMQP request failed: ${stackOf(cause)}`);
    return {
      properties: {
        statusCode: INTERNAL_ERROR,
        "status-code": INTERNAL_ERROR,
        errorCondition: "amqp:internal-error",
        statusDescription: description,
      },
    };
  }
}

function encode(request: DecodedMessage, response: Response): Buffer {
  return messages.encode({
    correlation_id: request.message_id,
    application_properties: asInts(response.properties),
    body: response.body,
  });
}

/** Service Bus's status codes are AMQP ints; clients that read types strictly take nothing else. */
function asInts(properties: Response["properties"]): Record<string, unknown> {
  const typed = Object.entries(properties).map(([name, value]) => [
    name,
    typeof value === "number" ? types.wrap_int(value) : value,
  ]);
  return Object.fromEntries(typed);
}

/** A text says why the bytes are no request. */
function decode(bytes: Buffer): DecodedMessage | string {
  try {
    checkMessage(bytes);
    const request = messages.decode(bytes);
    return isMessageId(request.message_id) ? request : "The message id has a wrong type.";
  } catch (cause) {
    return `The request cannot be decoded: ${messageOf(cause)}.`;
  }
}

function isMessageId(id: unknown): boolean {
  const isUuid = Buffer.isBuffer(id) && id.length === UUID_BYTES;
  return id === undefined || id === null || typeof id === "string" || typeof id === "number" || isUuid;
}
