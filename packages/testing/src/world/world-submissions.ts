// What arrives in a world: submissions and cancellations of clients and of the app's own agents, and what its agents are answered.
import { type AgentResources, contentDigest, type ReadEnd } from "@scheduler-agent-supervisor/core/agents";
import type { Business } from "@scheduler-agent-supervisor/core/app";
import { idNameOf, idOf } from "@scheduler-agent-supervisor/core/messaging";
import {
  type Context,
  claimFirst,
  quarantineSubmission,
  readSubmission,
  recordSubmission,
  reportByKey,
  reportEnd,
  type SubmittedMessage,
  startClaimed,
  takeCancellation,
} from "@scheduler-agent-supervisor/core/scheduling";
import type { WorldEngine } from "../memory/memory-engine.ts";
import { type Processes, SUBMISSION } from "./processes.ts";
import type { VirtualTime } from "./virtual-time.ts";

const QUEUES = { submission: "submissions", reply: "replies-test" } as const;

interface Surroundings {
  readonly business: Business;
  readonly processes: Processes;
  readonly time: VirtualTime;
  readonly context: () => Context;
  readonly engine: () => WorldEngine;
}

export class WorldSubmissions {
  readonly #in: Surroundings;
  #messages = 0;

  constructor(surroundings: Surroundings) {
    this.#in = surroundings;
  }

  /** The id of a job with that content, under the contract's name. */
  idOf(content: unknown): string {
    return idOf(content as object, idNameOf(this.#in.context().rules.contracts));
  }

  messageOf(body: unknown): SubmittedMessage {
    this.#messages += 1;
    const messageId = `message-${this.#messages}`;
    const envelope = { queue: QUEUES.submission, messageId, correlationId: messageId, replyTo: QUEUES.reply };
    const enqueuedAt = new Date(this.#in.time.now).toISOString();
    return { body: structuredClone(body), envelope, traceparent: null, enqueuedAt };
  }

  cancellationOf(content: object, reason: string) {
    const digest = contentDigest(content, this.#in.context().rules.contracts.usualWorkflow);
    return this.messageOf({ kind: "Cancel", jobId: this.idOf(content), reason, contentDigest: digest });
  }

  /** Puts a submission into its queue. */
  send(content: unknown): void {
    this.#deliver(this.idOf(content), (message) => this.#take(message), this.messageOf(content));
  }

  /** What an agent of the app sends to it: a job, or the cancellation of one. */
  readonly sendOwn: AgentResources["send"] = async (_, { body, correlationId, replyTo }) => {
    const message = this.messageOf(body);
    const own = { ...message, envelope: { ...message.envelope, correlationId, replyTo } };
    const { kind, jobId } = body as { readonly kind?: string; readonly jobId?: string };
    if (kind === "Cancel") this.#deliver(String(jobId), (it) => takeCancellation(it, this.#in.context()), own);
    else this.#deliver(this.idOf(body), (it) => this.#take(it), own);
  };

  /** What an agent of the app does with a message to its queue of replies; undefined where the queue is no agent's. */
  receiverOf(queue: string, key: string): (() => Promise<void>) | undefined {
    const own = this.#in.business.localAgents.find(({ replies }) => replies?.queue === queue)?.replies;
    return own && (() => this.#report(own.endOf, key));
  }

  async #report(endOf: ReadEnd, key: string): Promise<void> {
    const received = await reportByKey(key, endOf, this.#in.context());
    if (received) await reportEnd(this.#in.engine(), received.ticket.jobId, received);
  }

  async #take(message: SubmittedMessage): Promise<void> {
    const context = this.#in.context();
    const claim = await submitJob(message, context);
    if (claim?.kind === "claimed") await startClaimed(this.#in.engine(), claim, context);
  }

  #deliver(jobId: string, take: (message: SubmittedMessage) => Promise<void>, message: SubmittedMessage): void {
    const { processes, time } = this.#in;
    const delivery = { kind: "message", to: SUBMISSION, jobId, what: `submission: ${jobId}` } as const;
    processes.deliver(delivery, () => take(message), time.now);
  }
}

/** As `functions/submission.ts` of every app. Undefined if nothing is to be started. */
export async function submitJob(message: SubmittedMessage, context: Context) {
  const job = await recorded(message, context);
  return job && claimFirst(job, context);
}

/** Without the claim. */
export async function recordJob(message: SubmittedMessage, context: Context) {
  const job = await recorded(message, context);
  job?.endTurn();
  return job?.record;
}

async function recorded(message: SubmittedMessage, context: Context) {
  const job = await recordSubmission(await readSubmission(message, context), message, context);
  return job.kind === "recorded" ? job : quarantineSubmission(message, job, context);
}
