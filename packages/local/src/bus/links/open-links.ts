// Gives a link that a client attaches to what its address names, or refuses it with the reason.
import { NO_TRANSACTIONS } from "../amqp/amqp-session.ts";
import type { Broker } from "../broker.ts";
import { isOfTopic, NO_TOPICS } from "../entities/entity-path.ts";
import type { Queue } from "../queue/queue.ts";
import { type ReceiverLink, readAddress, type SenderLink } from "../rhea-internals.ts";
import type { BusyQueues } from "./busy-queues.ts";
import { answerClaim } from "./claims.ts";
import { attempt, endLink, type Log } from "./link-faults.ts";
import { findRefusal, notFound, unclaimed } from "./link-refusals.ts";
import { answerManagement } from "./management.ts";
import type { Peer } from "./peer.ts";
import { ReceiveLink } from "./receive-link.ts";
import { type Responder, type Response, serveRequests } from "./request-link.ts";
import { MAX_MESSAGE_BYTES, SendLink } from "./send-link.ts";
import { readWanted, SESSION_FILTER, SessionLink } from "./session-link.ts";

/** Of a message that is sent by way of another entity. */
const DESTINATION = "com.microsoft:transfer-destination-address";
const CBS = "$cbs";
const UNAUTHORIZED = 401;
const MANAGEMENT_SUFFIX = "/$management";
/** The client must have seen the attach as opened before the detach that refuses it arrives. */
const REFUSAL_DELAY_MS = 10;

export interface LinkSurroundings {
  readonly broker: Broker;
  readonly log: Log;
  /** Whether a client needs a valid claim for an entity that it uses. */
  readonly requiresClaims: boolean;
  readonly busy: BusyQueues;
  now(): number;
}

/** Whether the client may use the entity now. */
export function isClaimed({ name }: Queue, { claims }: Peer, { requiresClaims, now }: LinkSurroundings): boolean {
  return !requiresClaims || claims.covers(name, now());
}

/** The client sends. */
export function openReceiver(link: ReceiverLink, peer: Peer, around: LinkSurroundings): void {
  attempt(
    () => receiveFrom(link, peer, around),
    (cause) => endLink(link, "attach", around.log, cause),
  );
}

/** The client receives. */
export function openSender(link: SenderLink, peer: Peer, around: LinkSurroundings): void {
  attempt(
    () => sendTo(link, peer, around),
    (cause) => endLink(link, "attach", around.log, cause),
  );
}

function receiveFrom(link: ReceiverLink, peer: Peer, around: LinkSurroundings): void {
  echoAddresses(link);
  link.local.attach.max_message_size = MAX_MESSAGE_BYTES;
  if (link.isCoordinator || link.properties?.[DESTINATION] !== undefined) {
    refuse(link, "amqp:not-implemented", NO_TRANSACTIONS);
    return;
  }
  const address = readAddress(link.remote.attach.target);
  const responder = findResponder(address, peer, around);
  const queue = around.broker.find(address);
  if (responder) {
    const findReply = (replyTo: string) => peer.findReply(replyTo, address);
    serveRequests(link, { log: around.log, respond: responder, findReply });
  } else if (!queue) refuseAbsent(link, address);
  else {
    const refusal = isClaimed(queue, peer, around) ? findRefusal(queue, "send") : unclaimed(queue, "send");
    if (refusal) refuse(link, refusal.condition, refusal.description);
    else peer.links.set(link, new SendLink(link, queue, around));
  }
}

function sendTo(link: SenderLink, peer: Peer, around: LinkSurroundings): void {
  const { rcv_settle_mode: receiverMode, snd_settle_mode: senderMode } = link;
  Object.assign(link.local.attach, { rcv_settle_mode: receiverMode, snd_settle_mode: senderMode });
  echoAddresses(link);
  const address = readAddress(link.remote.attach.source);
  const queue = around.broker.find(address);
  if (findResponder(address, peer, around)) peer.replies.set(link.name, link);
  else if (queue) receive(link, queue, address, peer, around);
  else refuseAbsent(link, address);
}

function receive(link: SenderLink, queue: Queue, address: string, peer: Peer, around: LinkSurroundings): void {
  const refusal = isClaimed(queue, peer, around) ? findRefusal(queue, "receive") : unclaimed(queue, "receive");
  if (refusal) {
    refuse(link, refusal.condition, refusal.description);
    return;
  }
  const filter = readFilter(link);
  const wantsSession = SESSION_FILTER in filter;
  if (queue.sessions && wantsSession) {
    const wanted = readWanted(filter[SESSION_FILTER]);
    if (wanted) peer.links.set(link, new SessionLink(link, queue, queue.sessions, around.log, wanted));
    else refuse(link, "amqp:invalid-field", `The filter ${SESSION_FILTER} takes the id of a session, or null.`);
  } else if (queue.sessions || wantsSession) {
    refuse(link, "amqp:not-allowed", `The queue '${address}' ${queue.sessions ? "requires" : "has no"} sessions.`);
  } else {
    peer.links.set(link, new ReceiveLink(link, queue, around.log));
  }
}

function readFilter(link: SenderLink): Record<string, unknown> {
  const filter = link.remote.attach.source?.filter;
  return typeof filter === "object" && filter !== null ? (filter as Record<string, unknown>) : {};
}

function findResponder(address: string, peer: Peer, around: LinkSurroundings): Responder | undefined {
  const { broker, now } = around;
  if (address.toLowerCase() === CBS) return (request) => answerClaim(request, peer.claims, now());
  if (!address.toLowerCase().endsWith(MANAGEMENT_SUFFIX)) return undefined;
  const entity = address.slice(0, -MANAGEMENT_SUFFIX.length);
  // Found at each request: an entity may be deleted under an open link.
  const target = () => {
    const queue = broker.find(entity);
    return queue && { queue, catalog: broker.catalog, now };
  };
  const respond: Responder = (request) => {
    const found = target();
    if (found && !isClaimed(found.queue, peer, around)) return unauthorized(found.queue);
    return answerManagement(found, request);
  };
  return target() && respond;
}

function unauthorized(queue: Queue): Response {
  const { condition: errorCondition, description: statusDescription } = unclaimed(queue, "receive");
  return { properties: { statusCode: UNAUTHORIZED, statusDescription, errorCondition } };
}

/** As the client wrote them: some compare what comes back. */
function echoAddresses(link: ReceiverLink | SenderLink): void {
  const { source, target } = link.remote.attach;
  link.set_source({ address: text(source?.address) });
  link.set_target({ address: text(target?.address) });
}

function text(address: unknown): string {
  return typeof address === "string" ? address : "";
}

function refuseAbsent(link: ReceiverLink | SenderLink, address: string): void {
  if (isOfTopic(address)) refuse(link, "amqp:not-implemented", NO_TOPICS);
  else refuse(link, "amqp:not-found", notFound(address, link.connection.hostname));
}

/** An attach that is refused is answered without the terminus that was asked for (AMQP 1.0, 2.6.3), and then detached. */
function refuse(link: ReceiverLink | SenderLink, condition: string, description: string): void {
  link.local.attach[link.is_receiver() ? "target" : "source"] = null;
  setTimeout(() => {
    if (link.is_open()) link.close({ condition, description });
  }, REFUSAL_DELAY_MS);
}
