// The messages of a world: each is handled once, in the world's time. What goes to the requester is kept.
import type { ReplyAddress, StartAttempt } from "@scheduler-agent-supervisor/core/domain";
import {
  type AgentReplyMessage,
  type AgentRequestMessage,
  type Messenger,
  type Rejection,
  requestId,
  type StatusMessage,
  type Unreadable,
} from "@scheduler-agent-supervisor/core/messaging";
import { type Deliver, SCHEDULER } from "./processes.ts";
import type { VirtualTime } from "./virtual-time.ts";

/** The queues of requests drop a message whose id they know: see infra/entities/service-bus.json. */
const KNOWN_FOR_MS = 600_000;

/** What was published, the first message first. */
export interface Outgoing {
  readonly statuses: StatusMessage[];
  /** The answers to rejected submissions and to cancellations. */
  readonly rejections: (Rejection & ReplyAddress)[];
  readonly quarantined: Unreadable[];
}

export interface Receivers {
  readonly startAttempt: (startAttempt: StartAttempt) => Promise<void>;
  readonly request: (agent: string, request: AgentRequestMessage) => Promise<void>;
  /** @param enqueuedAt when it came into its queue */
  readonly reply: (reply: AgentReplyMessage, enqueuedAt: string) => Promise<void>;
}

/**
 * @param deliver hands a message to a process once its time has come
 * @param receiverOf what the app's own function of a reply queue does with a message
 */
export function createWorldMessenger(
  outgoing: Outgoing,
  receivers: () => Receivers,
  time: VirtualTime,
  deliver: Deliver,
  receiverOf: (queue: string, key: string) => (() => Promise<void>) | undefined,
): Messenger {
  const instantOf = (at: string | undefined) => (at === undefined ? time.now : Date.parse(at));
  const answer = (queue: string, key: string, jobId: string) => {
    const receive = receiverOf(queue, key);
    if (receive) deliver({ kind: "message", to: SCHEDULER, jobId, what: `message to ${queue}` }, receive, time.now);
  };
  const askedAt = new Map<string, number>();
  return {
    async publish({ replyTo, correlationId }, messages) {
      if (replyTo === null) return "nobody-asked";
      outgoing.statuses.push(...messages.map(asSent));
      for (const { jobId } of messages) answer(replyTo, correlationId, jobId);
      return "sent";
    },
    async reject(reply, rejection) {
      if (reply.replyTo === null) return "nobody-asked";
      outgoing.rejections.push(asSent({ ...reply, ...rejection }));
      answer(reply.replyTo, reply.correlationId, rejection.jobId ?? "");
      return "sent";
    },
    async startAttempt(startAttempt, { at } = {}) {
      const { jobId, attempt } = startAttempt;
      const message = { kind: "message", to: SCHEDULER, jobId, what: `start attempt ${attempt}` } as const;
      deliver(message, () => receivers().startAttempt(asSent(startAttempt)), instantOf(at));
    },
    async ask(agent, request, leftMs, { at } = {}) {
      const id = requestId(request.ticket, at);
      const isAgain = time.now - (askedAt.get(id) ?? Number.NEGATIVE_INFINITY) < KNOWN_FOR_MS;
      if (isAgain) return "asked";
      askedAt.set(id, time.now);
      const goneAt = instantOf(at) + leftMs;
      const sent = asSent(request);
      const message = {
        kind: "message",
        to: agent,
        jobId: request.ticket.jobId,
        what: `request: ${request.ticket.step}`,
      } as const;
      const take = async () => {
        if (time.now < goneAt) await receivers().request(agent, sent);
      };
      deliver(message, take, instantOf(at));
      return "asked";
    },
    async answer(_replyTo, reply) {
      const sent = asSent(reply);
      const { jobId, step } = reply.ticket;
      const enqueuedAt = new Date(time.now).toISOString();
      deliver(
        { kind: "message", to: SCHEDULER, jobId, what: `reply: ${step}` },
        () => receivers().reply(sent, enqueuedAt),
        time.now,
      );
    },
    async quarantine(unreadable) {
      outgoing.quarantined.push(asSent(unreadable));
    },
    async postpone() {
      throw new Error("in a world no message is postponed: nothing of the app's own is ever away");
    },
  };
}

/** As what has gone over the wire. */
function asSent<Message>(message: Message): Message {
  return JSON.parse(JSON.stringify(message)) as Message;
}
