// A message as plain JSON, so that a message that an operator has discarded can be sent again unchanged.

/** A value of a property. A date has its own form, because JSON has none for it. */
export type CopiedValue = string | number | boolean | null | { readonly date: string };

/** A body of bytes as bytes; a body with an AMQP type as its JSON. */
export type CopiedBody =
  | { readonly kind: "data"; readonly base64: string }
  | { readonly kind: "value" | "sequence"; readonly json: unknown };

/** The names are those of the message. */
export interface MessageCopy {
  readonly sequenceNumber: string;
  readonly enqueuedAt: string | null;
  readonly deliveryCount: number;
  /** The text properties that the message has. */
  readonly properties: { readonly [name: string]: string };
  readonly timeToLive: number | null;
  readonly applicationProperties: { readonly [name: string]: CopiedValue };
  readonly body: CopiedBody;
}

/** A message that an operator discarded, with the operator and the reason. */
export interface DiscardedMessage {
  /** The same for the same message, however often it is discarded. */
  readonly id: string;
  /** The queue's name for operators. */
  readonly queue: string;
  readonly at: string;
  readonly by: string;
  readonly why: string;
  readonly keptUntil: string;
  /** The job that it is about, if its body contains one: the copy is erased with the job. */
  readonly jobId: string | null;
  readonly copy: MessageCopy;
}
