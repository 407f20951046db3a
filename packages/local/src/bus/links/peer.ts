// What one client's connection has open.

import type { Queue } from "../queue/queue.ts";
import { readAddress, type SenderLink } from "../rhea-internals.ts";
import { Claims } from "./claims.ts";

export interface OpenLink {
  readonly queue: Queue;
  /** What the client does over it. */
  readonly direction: "send" | "receive";
  /** Of a sender, when it last sent. */
  readonly usedAt?: number;
  /** The client has closed the link. */
  leave(): void;
  /** The broker closes it. */
  end(condition: string, description: string): void;
}

export class Peer {
  readonly links = new Map<unknown, OpenLink>();
  /** Links that carry responses, by link name: that is what the SDK puts in `reply_to`. */
  readonly replies = new Map<string, SenderLink>();
  readonly claims = new Claims();

  /** Clients that name no address to reply to listen at the one that they ask. */
  findReply(replyTo: string, asked: string): SenderLink | undefined {
    const listening = [...this.replies.values()];
    return this.replies.get(replyTo) ?? listening.find(({ remote }) => readAddress(remote.attach.source) === asked);
  }

  /** The client has closed this link. */
  forget(link: unknown): void {
    this.links.get(link)?.leave();
    this.links.delete(link);
    for (const [name, reply] of this.replies) if (reply === link) this.replies.delete(name);
  }

  /** All that was attached in a session which has ended. */
  forgetSession(session: unknown): void {
    const attached = [...this.links.keys(), ...this.replies.values()];
    for (const link of attached) if ((link as SenderLink).session === session) this.forget(link);
  }

  forgetAll(): void {
    for (const link of this.links.keys()) this.forget(link);
  }
}
