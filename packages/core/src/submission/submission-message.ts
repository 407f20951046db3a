// The contract of a job message: the client's content, checked once, at the front door (P1).

import { HIDDEN, type Job, REMOVED, type ReplyAddress, WANTED, type WantedStatuses } from "../domain/content/job.ts";
import { redactorFor } from "../domain/content/redactor.ts";
import { appCode } from "../domain/outage.ts";
import { check } from "../messaging/checked.ts";
import { type Contract, type Contracts, contractOf, idOf, jobIdIn } from "../messaging/contract.ts";
import type { ReceivedMessage } from "../messaging/messenger.ts";
import { REPLY_QUEUES } from "../messaging/queues.ts";
import { entryOf, idFaults, type OwnedQueue, replyQueueFault } from "./owned-queue.ts";

const TEXT_LIMIT = 200;
/** The limit for an id in an arbitrary message. */
const JOB_ID_SHOWN = 80;
/** The limit of Service Bus for a session id, and for a message id, which a correlation id usually is. */
const SESSION_ID_LIMIT = 128;
const CORRELATION_ID_LIMIT = 128;

/** The parts of a message around its body that submission reads. Each may contain any value, except the queue. */
export interface Envelope {
  /** The queue that it came from, which determines what its sender may submit. Absent if an operator edits a job, or `caller` submits it. */
  readonly queue?: string | undefined;
  /** Who submits it by HTTP, as signed in: the owner of the job. */
  readonly caller?: string | undefined;
  readonly messageId?: unknown;
  readonly correlationId?: unknown;
  readonly replyTo?: unknown;
  readonly replyToSessionId?: unknown;
  /** An application property that identifies one of several submissions under a job id for the sender. */
  readonly submissionId?: unknown;
  /** An application property: the statuses that the sender wants. */
  readonly statuses?: unknown;
  /** What of body and properties could not be read as it was sent. */
  readonly faults?: readonly string[];
  /** The body was bound as its bytes: its members hide none of the above. */
  readonly isApart?: boolean;
}

export interface SubmittedMessage {
  readonly body: unknown;
  readonly envelope: Envelope;
  readonly traceparent: string | null;
  /** When it entered its queue; an ISO 8601 instant. */
  readonly enqueuedAt?: string | undefined;
  /** The whole of it. */
  readonly received?: ReceivedMessage | undefined;
}

/** The known parts of a rejected message: the receiver of the notification, and its subject. */
export interface Sender {
  /** The reply queue is null if the message names none that may be used. */
  readonly reply: ReplyAddress;
  /** The text in place of a job id, cut to a limit; null without one. */
  readonly jobId: string | null;
  readonly submissionId: string | null;
}

export interface SubmissionRules {
  readonly workflows: readonly string[];
  /** The contracts of the content, by workflow. */
  readonly contracts: Contracts;
  /** The faults of a job for its workflow's lists, as text. */
  readonly listFaults?: (job: Job, secrets: readonly string[]) => readonly string[];
  /** The submission queues of one sender each. All others are shared. */
  readonly ownedQueues?: readonly OwnedQueue[];
}

export interface ValidSubmission {
  readonly kind: "valid";
  readonly jobId: string;
  readonly job: Job;
  readonly contract: Contract;
  readonly reply: ReplyAddress;
  /** The owner of the job; undefined for a queue that several senders share. */
  readonly owner: string | undefined;
  readonly statuses: WantedStatuses;
}

export type ParsedSubmission =
  | ValidSubmission
  | {
      readonly kind: "invalid";
      readonly faults: readonly string[];
      /** The only fault is that the app has no such workflow. */
      readonly unknownWorkflow?: string;
    };

/** Checks the whole message: the answer names every fault. */
export function parseSubmission(body: unknown, envelope: Envelope, rules: SubmissionRules): ParsedSubmission {
  return parse(body, envelope, rules, hiddenFaults);
}

/** The same for a job that an operator has edited: values that the operator could not see may be left hidden. */
export function parseEdit(body: unknown, envelope: Envelope, rules: SubmissionRules): ParsedSubmission {
  return parse(body, envelope, rules, () => []);
}

type Check = (job: Job, contract: Contract) => readonly string[];

function parse(body: unknown, envelope: Envelope, rules: SubmissionRules, ownFaults: Check): ParsedSubmission {
  const contract = contractOf(body, rules.contracts);
  const { queue, caller, faults: unread = [] } = envelope;
  const { ownedQueues = [] } = rules;
  const { replyTo, replyToSessionId, faults: addressFaults } = addressOf(envelope, rules);
  const statuses = WANTED.find((one) => one === (optionalText(envelope.statuses) ?? "all"));
  const around = [...addressFaults, ...correlationFaults(envelope), ...(statuses ? [] : [STATUSES_FAULT])];
  const content = appCode("the contract's schema", () => check(contract.schema, body, "job"));
  if (content.kind === "invalid")
    return { kind: "invalid", faults: [...unread, ...bodyFaults(body, content.faults, unread), ...around] };
  const job = content.value;
  const jobId = idOf(job, contract.idName);
  const isKnown = rules.workflows.includes(job.workflow);
  const faults = [
    ...unread,
    ...(isKnown ? [] : [`workflow: must be one of ${rules.workflows.join(", ")}`]),
    ...appCode(`the contract of ${job.workflow}`, () => contract.faults(job)),
    ...(rules.listFaults?.(job, contract.secrets) ?? []),
    ...repeatedSecretFaults(job, contract.secrets, propertiesOf(envelope)),
    ...idFaults(jobId, contract.idName, caller === undefined ? queue : NO_QUEUE, ownedQueues),
    ...around,
    ...ownFaults(job, contract),
  ];
  if (!isKnown && faults.length === 1) return { kind: "invalid", faults, unknownWorkflow: job.workflow };
  if (!statuses || faults.length > 0) return { kind: "invalid", faults };
  const correlationId = optionalText(envelope.correlationId) ?? optionalText(envelope.messageId) ?? jobId;
  const owner = caller ?? (queue ? entryOf(queue, ownedQueues)?.owner : undefined);
  const reply = { replyTo, replyToSessionId, correlationId };
  return { kind: "valid", jobId, job, contract, reply, owner, statuses };
}

/** What stands for a value that is not shown is no value. */
function hiddenFaults(job: Job, { secrets }: Contract): readonly string[] {
  const members = job as unknown as { readonly [name: string]: unknown };
  return secrets
    .filter((name) => members[name] === HIDDEN || members[name] === REMOVED)
    .map((name) => `${name}: must not be ${members[name]}, which stands for one that is not shown`);
}

/** Of a body that could not be read nothing more is known; of one that is no object, only its depth. */
function bodyFaults(body: unknown, faults: readonly string[], unread: readonly string[]): readonly string[] {
  if (body === undefined && unread.length > 0) return [];
  if (body !== null && typeof body === "object" && !Array.isArray(body)) return faults;
  return ["the body must be a JSON object", ...faults.filter((fault) => /nested/.test(fault))];
}

function correlationFaults({ correlationId }: Envelope): readonly string[] {
  const isTooLong = (optionalText(correlationId) ?? "").length > CORRELATION_ID_LIMIT;
  return isTooLong ? [`message property correlationId: is longer than ${CORRELATION_ID_LIMIT} characters`] : [];
}

const STATUSES_FAULT = `message property statuses: must be ${WANTED.join(" or ")}`;

/** Stands for the queue of what came by none: only ids that no queue's owner has are left. */
const NO_QUEUE = "no queue";

/** The receiver of the notification about a rejected message: the address is checked separately from its body. */
export function senderOf(body: unknown, envelope: Envelope, rules: SubmissionRules): Sender {
  const members = body !== null && typeof body === "object" && !Array.isArray(body) ? Object.entries(body) : [];
  // In the host, members of a body that is not bound as bytes hide the message's properties, in any case: the address may be the body's.
  const hidden = new Set(envelope.isApart ? [] : members.map(([name]) => name.toLowerCase()));
  const { replyTo, replyToSessionId, faults } = addressOf(envelope, rules);
  const isHidden = hidden.has("replyto") || hidden.has("replytosessionid");
  const mayBePublished = faults.length === 0 && !isHidden;
  const jobId = jobIdIn(body, rules.contracts)?.slice(0, JOB_ID_SHOWN) || null;
  const correlationId = optionalText(envelope.correlationId) ?? optionalText(envelope.messageId) ?? jobId ?? "";
  const own = envelope.queue ? entryOf(envelope.queue, rules.ownedQueues ?? []) : undefined;
  // An owner can be answered on its own reply queue, whatever its message names.
  const address = mayBePublished ? replyTo : (own?.replyQueues[0] ?? null);
  const session = isHidden || (replyToSessionId ?? "").length > SESSION_ID_LIMIT ? null : replyToSessionId;
  return {
    reply: {
      replyTo: address,
      replyToSessionId: session,
      correlationId: correlationId.slice(0, CORRELATION_ID_LIMIT),
    },
    jobId,
    submissionId: hidden.has("applicationproperties") ? null : submissionIdOf(envelope),
  };
}

function addressOf(envelope: Envelope, { ownedQueues = [] }: SubmissionRules) {
  const faults: string[] = [];
  const { queue } = envelope;
  const replyTo = optionalText(envelope.replyTo);
  if (replyTo !== null && !REPLY_QUEUES.test(replyTo)) {
    const shown = replyTo.slice(0, TEXT_LIMIT);
    faults.push(`message property replyTo: "${shown}" does not match ${REPLY_QUEUES.source}`);
  } else if (replyTo !== null && queue) {
    const fault = replyQueueFault(replyTo, queue, ownedQueues);
    if (fault) faults.push(`message property replyTo: ${fault}`);
  }
  const replyToSessionId = optionalText(envelope.replyToSessionId);
  if (replyToSessionId !== null && replyToSessionId.length > SESSION_ID_LIMIT) {
    faults.push(`message property replyToSessionId: is longer than ${SESSION_ID_LIMIT} characters`);
  }
  return { replyTo, replyToSessionId, faults };
}

/** What a sender writes around the content, and what is kept of it. */
function propertiesOf({ messageId, correlationId, submissionId, replyTo, replyToSessionId }: Envelope) {
  return { messageId, correlationId, submissionId, replyTo, replyToSessionId };
}

function submissionIdOf({ submissionId }: Envelope): string | null {
  const id = optionalText(submissionId);
  return id !== null && id.length <= SESSION_ID_LIMIT ? id : null;
}

/** A property's text. A text that looks like a number arrives as a number: the Functions library parses all valid JSON. */
function optionalText(value: unknown): string | null {
  if (Number.isSafeInteger(value)) return String(value);
  return typeof value === "string" && value !== "" ? value : null;
}

/** A shorter text may be an ordinary word, or a part of one. */
const NOTABLE = 8;

/**
 * A job's secret stands in its own member alone (P31): in another one it would be shown, logged, sent to services, and kept after the job is closed.
 * The places that repeat a secret as it is, as faults: they do not repeat it. A secret that is an object or a list is not looked for, because it may
 * have names and places that stand elsewhere too.
 * @param properties of the message around the content, by name
 */
function repeatedSecretFaults(
  content: Job,
  secrets: readonly string[],
  properties: { readonly [name: string]: unknown },
): readonly string[] {
  const members = content as unknown as { readonly [name: string]: unknown };
  return secrets.flatMap((secret) => {
    const value = String(members[secret]);
    if (typeof members[secret] === "object" || value.length < NOTABLE || value === HIDDEN || value === REMOVED)
      return [];
    const { value: shown } = redactorFor([value]);
    const { [secret]: _own, ...others } = members;
    const repeats = (part: unknown) => {
      const clean = shown(part);
      return clean !== part && JSON.stringify(clean) !== JSON.stringify(part);
    };
    if (!repeats([others, properties])) return [];
    const fault = (place: string) => `${place}: must not repeat ${secret}, which is a secret`;
    return [
      ...Object.keys(others).flatMap((name) => (repeats({ [name]: others[name] }) ? [fault(name)] : [])),
      ...Object.keys(properties).flatMap((name) =>
        repeats(properties[name]) ? [fault(`message property ${name}`)] : [],
      ),
    ];
  });
}
