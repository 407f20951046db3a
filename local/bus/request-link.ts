// Request and response over a pair of links: what `$cbs` and `$management` have in common.
import {
  ACCEPTED,
  type DecodedMessage,
  messages,
  type ReceiverLink,
  rejection,
  type SenderLink,
  type Transfer,
  types,
} from "./rhea-internals.ts";

const CREDIT = 100;

export interface Response {
  readonly properties: Record<string, unknown>;
  readonly body?: unknown;
}

/** Answers one request; a throw is a bug. */
export type Responder = (request: DecodedMessage) => Response | Promise<Response>;

/** Serves the requests of a link. `findReply` knows the link that carries answers to a request's `reply_to`. */
export function serveRequests(
  link: ReceiverLink,
  respond: Responder,
  findReply: (replyTo: string) => SenderLink | undefined,
): void {
  link.on("message", async ({ message, delivery }: { message: Buffer; delivery: Transfer }) => {
    const request = decode(message);
    delivery.update(true, request ? ACCEPTED : rejection("amqp:decode-error", "The request cannot be decoded."));
    link.add_credit(1);
    if (!request) return;
    const response = await respond(request);
    const reply = findReply(request.reply_to ?? "");
    if (!reply?.is_open()) return;
    const answer = messages.encode({
      correlation_id: request.message_id,
      application_properties: asInts(response.properties),
      body: response.body,
    });
    const sent = reply.send(answer, undefined, 0);
    // Settled in advance: nobody acts on the disposition of an answer.
    Reflect.set(sent, "settled", true);
  });
  link.add_credit(CREDIT);
}

/** Service Bus's status codes are AMQP ints; clients that read types strictly take nothing else. */
function asInts(properties: Response["properties"]): Record<string, unknown> {
  const typed = Object.entries(properties).map(([name, value]) => [
    name,
    typeof value === "number" ? types.wrap_int(value) : value,
  ]);
  return Object.fromEntries(typed);
}

function decode(bytes: Buffer): DecodedMessage | undefined {
  try {
    return messages.decode(bytes);
  } catch {
    return undefined;
  }
}
