// A message as plain JSON, so that what an operator has discarded can be sent again as it was.

/** What JSON has no form for. */
export type CopiedValue = string | number | boolean | null | { readonly date: string };

/** Of a body that came as bytes, these; of one that AMQP gives a type, what JSON makes of it. */
export type CopiedBody =
  | { readonly kind: "data"; readonly base64: string }
  | { readonly kind: "value" | "sequence"; readonly json: unknown };

/** The names are the message's own. */
export interface MessageCopy {
  readonly sequenceNumber: string;
  readonly enqueuedAt: string | null;
  readonly deliveryCount: number;
  /** Those that the message has, of its properties that are texts. */
  readonly properties: { readonly [name: string]: string };
  readonly timeToLive: number | null;
  readonly applicationProperties: { readonly [name: string]: CopiedValue };
  readonly body: CopiedBody;
}

/** What an operator discarded, with who did it and why. */
export interface DiscardedMessage {
  /** The same for the same message, however often it is discarded. */
  readonly id: string;
  /** As operators call it. */
  readonly queue: string;
  readonly at: string;
  readonly by: string;
  readonly why: string;
  readonly keptUntil: string;
  /** The job that it is about, where its body says so: the copy is erased with it. */
  readonly jobId: string | null;
  readonly copy: MessageCopy;
}
