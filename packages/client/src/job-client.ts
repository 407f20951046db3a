// For submitting applications: sends jobs, and receives their status messages on a private session of a reply queue (P1, P15).
import { isServiceBusError, ServiceBusClient, type ServiceBusSender } from "@azure/service-bus";
import { type CancelAnswer, Cancellations, type CancelOptions } from "./cancellations.ts";
import { contentDigest } from "./content-digest.ts";
import { describeFault, JobClientError } from "./job-client-error.ts";
import { endFrom, type JobEnd, notSent, rejected, timedOut } from "./job-end.ts";
import { type JobRequest, readStatus, type StatusMessage, type WantedStatuses } from "./job-messages.ts";
import { cancellationOf, idIn, type JobQueues, type RequestMessage, submissionOf } from "./job-requests.ts";
import { ReplySession } from "./reply-session.ts";
import { type EndMessage, type From, StatusInbox } from "./status-inbox.ts";
import { Submissions } from "./submissions.ts";

/** The connection of a client: a connection string or the application's own Service Bus client, and the names of the app's queues. */
export type JobClientOptions =
  /** The connection string of the Service Bus namespace. */
  (
    | { readonly connection: string }
    /** Stays open when the job client is closed. */
    | { readonly client: ServiceBusClient }
  ) &
    JobQueues & {
      /** A queue with sessions that the app may send to. Clients may share it. */
      readonly replyQueue: string;
      /** The workflow of jobs that name none, as in the app's contracts. */
      readonly usualWorkflow?: string;
      /**
       * The session of the reply queue; a random one without it. One session serves all jobs of a client, for a session
       * costs a link and a lock of its own, which a job does not need: its status messages carry its id. It is random, for
       * no two clients can hold the same one. An application that wants to receive after its restart what it missed gives each of
       * its instances a lasting session id: text, at most 128 characters.
       */
      readonly sessionId?: string;
    };

/** How long a call waits, and a callback for status messages. */
export interface WaitOptions {
  /** Stops the waiting, not the job: the call rejects with the signal's reason. */
  readonly signal?: AbortSignal;
  /** From the call to the job's end; 5 minutes if absent. `Infinity` waits without a limit. */
  readonly timeoutMs?: number;
  /** Called for each status message once, in order of arrival. */
  readonly onStatus?: (status: StatusMessage) => void;
}

/** Options of `submit`. */
export interface SubmitOptions extends WaitOptions {
  /** The statuses that the app sends; all if absent. */
  readonly statuses?: WantedStatuses;
}

/** Options of `follow`. */
export interface FollowOptions extends WaitOptions {
  /** The job as it was submitted, so that messages of different content under its id are ignored. Not needed if this client submitted it and it was not rejected. */
  readonly job?: JobRequest;
}

/** Sends jobs and awaits their ends. One client can handle many jobs at once. It starts to receive with its first call. */
export interface JobClient extends AsyncDisposable {
  /** The `replyToSessionId` of its messages. */
  readonly sessionId: string;
  /**
   * Sends a job and waits for its end. Repeating it is safe: the message id is the job's id, and one id is one job. Resolves as
   * `rejected`, with the faults, where the app does not take this submission. What is received of other content under the same id, as where
   * somebody else took the id, counts for nothing.
   * @throws JobClientError if Service Bus can't be reached, a queue is missing or the client is closed.
   */
  submit<Job extends JobRequest>(job: Job, options?: SubmitOptions): Promise<JobEnd>;
  /**
   * Waits for the end of a job that was submitted from this session, now or before a restart: after a time-out, or after
   * a failure that an operator deals with. Ends that were answered before are not delivered again, unless they are for ever.
   * @throws JobClientError as `submit` does.
   */
  follow(jobId: string, options?: FollowOptions): Promise<JobEnd>;
  /**
   * Cancels a job, given as it was submitted: one of which nothing is done yet ends at once, and what is done is compensated. Rejected with
   * the reason where it is too late. Repeating it is safe.
   * @throws JobClientError as `submit` does.
   */
  cancel<Job extends JobRequest>(job: Job, options?: CancelOptions): Promise<CancelAnswer>;
  /** Calls that still wait reject with a JobClientError. */
  close(): Promise<void>;
}

/** What was sent can be compared with what is stored only where both name the same. */
const NO_WORKFLOW = "The job names no workflow: name one, or give the client the app's usual one (usualWorkflow).";
const USUAL_TIMEOUT_MS = 300_000;
/** What Service Bus takes for a message id. */
const ID_LIMIT = 128;
/** Beyond it Node's timers fire at once. */
const LONGEST_TIMER_MS = 2 ** 31 - 1;

/** Creates a client. It connects with the first call, and has to be closed. */
export function createJobClient(options: JobClientOptions): JobClient {
  const { replyQueue, idName = "jobId" } = options;
  const { sessionId = `client-${crypto.randomUUID()}` } = options;
  const address = { replyTo: replyQueue, replyToSessionId: sessionId };
  const digestOf = (job: JobRequest) => contentDigest(job, options.usualWorkflow);
  const senders = new Map<string, ServiceBusSender>();
  let bus = "client" in options ? options.client : openBus(options.connection);
  let closed = false;
  /** How whoever waits is notified of the close, wherever it is: before the session, in the middle of a send, or after. */
  const goodbyes = new Set<(cause: JobClientError) => void>();
  const inbox = new StatusInbox();
  const submissions = new Submissions();
  const cancellations = new Cancellations();
  const session = new ReplySession({
    client: () => bus,
    queue: replyQueue,
    sessionId,
    private: options.sessionId === undefined,
    onLost: reconnect,
    onMessage(message) {
      const status = readStatus(message);
      if (status?.status === "Rejected") submissions.reject(status);
      else if (status && !cancellations.take(status)) inbox.take(status);
    },
    onGone: (cause) => inbox.abandon(cause),
  });

  /** Seen with SDK 7.9.5: after an orderly restart of the broker the next link of a client waits for ever for its token. */
  function reconnect(): void {
    if (closed || !("connection" in options)) return;
    const old = bus;
    bus = openBus(options.connection);
    senders.clear();
    void old.close().catch(() => undefined);
  }

  function senderTo(queue: string): ServiceBusSender {
    const sender = senders.get(queue) ?? bus.createSender(queue);
    senders.set(queue, sender);
    return sender;
  }

  async function send({ queue, message }: RequestMessage, abortSignal: AbortSignal): Promise<void> {
    for (;;) {
      const used = bus;
      try {
        return await senderTo(queue).sendMessages(message, { abortSignal });
      } catch (cause) {
        // Sent again on the new connection: the app knows the job by its id.
        if (used !== bus && !closed && !abortSignal.aborted) continue;
        if (isServiceBusError(cause) && cause.code === "MessageSizeExceeded") throw cause;
        throw describeFault(cause, "send to", queue);
      }
    }
  }

  function receivedOf(jobId: string, content: string | undefined) {
    const received = inbox.received(jobId, content);
    return { received, isTaken: received.length === 0 && inbox.received(jobId).length > 0 };
  }

  async function wait(
    jobId: string,
    from: From,
    { signal, timeoutMs = USUAL_TIMEOUT_MS, onStatus }: WaitOptions,
    begin: (abortSignal: AbortSignal) => Promise<void>,
    { id, content }: { readonly id?: string; readonly content?: string | undefined },
  ): Promise<JobEnd> {
    signal?.throwIfAborted();
    if (closed) throw closedError();
    const { promise, resolve, reject } = Promise.withResolvers<JobEnd>();
    goodbyes.add(reject);
    const done = new AbortController();
    let sent = false;
    let leave = () => {};
    const giveUp = () => reject(signal?.reason);
    signal?.addEventListener("abort", giveUp, { once: true });
    const timer =
      timeoutMs <= LONGEST_TIMER_MS
        ? setTimeout(
            () => resolve(timedOut({ jobId, from, sent, timeoutMs, ...receivedOf(jobId, content) })),
            timeoutMs,
          )
        : undefined;
    const waiter = {
      contentDigest: content,
      onStatus(status: StatusMessage) {
        try {
          onStatus?.(status);
        } catch (cause) {
          reject(cause);
        }
      },
      onEnd: (end: EndMessage, received: readonly StatusMessage[]) => resolve(endFrom(end, received)),
      onGone: reject,
    };
    const join = () => {
      // What came meanwhile waits in the inbox.
      if (!done.signal.aborted) leave = inbox.join(jobId, waiter, from);
    };
    const submission = id !== undefined &&
      content !== undefined && {
        id,
        content,
        jobId,
        onRejected(rejection: StatusMessage) {
          waiter.onStatus(rejection);
          resolve(rejected(rejection));
        },
        onMayJoin() {
          mayJoin = true;
          if (sent) join();
        },
      };
    let mayJoin = submission ? submissions.add(submission) : true;
    begin(done.signal)
      .then(() => {
        sent = true;
        if (mayJoin) join();
      })
      .catch((cause: unknown) => {
        if (submission) submissions.withdraw(submission);
        if (isServiceBusError(cause)) resolve(notSent(jobId, cause.message));
        else reject(cause);
      });
    try {
      return await promise;
    } finally {
      clearTimeout(timer);
      goodbyes.delete(reject);
      signal?.removeEventListener("abort", giveUp);
      done.abort();
      if (submission) submissions.leave(submission);
      leave();
    }
  }

  return {
    sessionId,
    async submit(job, { statuses, ...waiting } = {}) {
      const jobId = idIn(job, options);
      if (typeof jobId !== "string" || jobId === "" || jobId.length > ID_LIMIT) {
        const reason = `The job needs its ${idName}, of 1 to ${ID_LIMIT} characters: without one no answer could be known for its own.`;
        return notSent(null, reason);
      }
      if (!job.workflow && !options.usualWorkflow) return notSent(jobId, NO_WORKFLOW);
      const id = crypto.randomUUID();
      const content = await digestOf(job);
      const begin = async (abortSignal: AbortSignal) => {
        // A reply queue that can't be listened to shows before anything is submitted.
        await session.listen();
        await send(submissionOf(job, options, { ...address, submissionId: id, statuses }), abortSignal);
      };
      return wait(jobId, "start", waiting, begin, { id, content });
    },
    async cancel(job, waiting = {}) {
      if (closed) throw closedError();
      return cancellations.answer(String(idIn(job, options)), waiting, async (submissionId, abortSignal) => {
        await session.listen();
        const cancellation = cancellationOf(job, await digestOf(job), waiting.reason, options, {
          ...address,
          submissionId,
        });
        await send(cancellation, abortSignal);
      });
    },
    async follow(jobId, { job, ...waiting } = {}) {
      const content = job ? await digestOf(job) : submissions.contentOf(jobId);
      return wait(jobId, "unpublished", waiting, () => session.listen(), { content });
    },
    close,
    [Symbol.asyncDispose]: close,
  };

  async function close(): Promise<void> {
    if (closed) return;
    closed = true;
    for (const reject of goodbyes) reject(closedError());
    await session.close();
    await Promise.allSettled([...senders.values()].map((sender) => sender.close()));
    if ("connection" in options) await bus.close();
  }
}

/** The SDK waits 30 s between tries unless stated otherwise. */
function openBus(connection: string): ServiceBusClient {
  return new ServiceBusClient(connection, { retryOptions: { maxRetries: 5, retryDelayInMs: 300 } });
}

function closedError(): JobClientError {
  return new JobClientError("closed", "The client is closed.");
}
