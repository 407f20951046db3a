// A message as plain JSON, so that a message that an operator has discarded can be sent again unchanged.

/** A value of a property. Dates and bytes have a form of their own, because JSON has none for them. */
export type CopiedValue = string | number | boolean | null | { readonly date: string } | { readonly base64: string };

/** A body of bytes as bytes; any other body with an AMQP type as its JSON. */
export type CopiedBody =
  | { readonly kind: "data" | "value"; readonly base64: string }
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
export interface DiscardedCopy {
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
