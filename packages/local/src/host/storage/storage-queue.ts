// One queue of a storage account, by the REST operations that triggers and outputs need.
import { XMLParser } from "fast-xml-parser";
import type { StorageAccount } from "./storage-account.ts";

export type MessageEncoding = "base64" | "none";

export interface QueueMessage {
  readonly id: string;
  /** What its sender wrote, decoded. */
  readonly text: string;
  readonly dequeueCount: number;
  readonly insertedAt: Date;
  readonly expiresAt: Date;
  readonly nextVisibleAt: Date;
  /** Changes with each update; the last one settles. */
  popReceipt: string;
}

const parser = new XMLParser({
  parseTagValue: false,
  isArray: (name) => name === "QueueMessage",
  htmlEntities: true,
});
const BASE64 = /^(?:[A-Za-z\d+/]{4})*(?:[A-Za-z\d+/]{2}==|[A-Za-z\d+/]{3}=)?$/;

export class StorageQueue {
  readonly #account: StorageAccount;
  readonly #path: string;
  readonly #encoding: MessageEncoding;
  readonly name: string;

  constructor(account: StorageAccount, name: string, encoding: MessageEncoding) {
    this.#account = account;
    this.#path = `/${name}`;
    this.#encoding = encoding;
    this.name = name;
  }

  /** Visible again after `visibilityMs`, unless they are deleted or kept. A queue that is not there has none. */
  async receive(count: number, visibilityMs: number): Promise<QueueMessage[]> {
    const query = { numofmessages: String(count), visibilitytimeout: String(Math.ceil(visibilityMs / 1000)) };
    const response = await this.#account.ask({ method: "GET", path: `${this.#path}/messages`, query });
    const text = await response.text();
    if (response.status === 404) return [];
    if (!response.ok) throw fault(`receive from queue ${this.name}`, response, text);
    const { QueueMessagesList: list } = parser.parse(text) as { QueueMessagesList?: { QueueMessage?: RawMessage[] } };
    return (typeof list === "object" ? (list.QueueMessage ?? []) : []).map((raw) => this.#message(raw));
  }

  /** Makes the queue where it is not there. */
  async send(text: string): Promise<void> {
    const encoded = this.#encoding === "base64" ? Buffer.from(text).toString("base64") : escaped(text);
    const body = `<QueueMessage><MessageText>${encoded}</MessageText></QueueMessage>`;
    const post = () => this.#account.ask({ method: "POST", path: `${this.#path}/messages`, body });
    let response = await post();
    if (response.status === 404) {
      await this.#create();
      response = await post();
    }
    if (!response.ok) throw fault(`send to queue ${this.name}`, response, await response.text());
  }

  /** Hides it for so long from now on; with 0 everybody sees it at once. */
  async hide(message: QueueMessage, visibilityMs: number): Promise<void> {
    const query = { popreceipt: message.popReceipt, visibilitytimeout: String(Math.ceil(visibilityMs / 1000)) };
    const response = await this.#account.ask({ method: "PUT", path: `${this.#path}/messages/${message.id}`, query });
    if (!response.ok) throw fault(`update a message of queue ${this.name}`, response, await response.text());
    message.popReceipt = response.headers.get("x-ms-popreceipt") ?? message.popReceipt;
  }

  async delete({ id, popReceipt }: QueueMessage): Promise<void> {
    const query = { popreceipt: popReceipt };
    const response = await this.#account.ask({ method: "DELETE", path: `${this.#path}/messages/${id}`, query });
    if (!response.ok) throw fault(`delete a message of queue ${this.name}`, response, await response.text());
  }

  async #create(): Promise<void> {
    const response = await this.#account.ask({ method: "PUT", path: this.#path });
    if (!response.ok && response.status !== 409) {
      throw fault(`create queue ${this.name}`, response, await response.text());
    }
  }

  #message(raw: RawMessage): QueueMessage {
    const text = String(raw.MessageText);
    return {
      id: raw.MessageId,
      // As the real host a text that is not encoded is taken as it is.
      text: this.#encoding === "base64" && BASE64.test(text) ? Buffer.from(text, "base64").toString() : text,
      dequeueCount: Number(raw.DequeueCount),
      insertedAt: new Date(raw.InsertionTime),
      expiresAt: new Date(raw.ExpirationTime),
      nextVisibleAt: new Date(raw.TimeNextVisible),
      popReceipt: raw.PopReceipt,
    };
  }
}

interface RawMessage {
  readonly MessageId: string;
  readonly MessageText: string;
  readonly DequeueCount: string;
  readonly InsertionTime: string;
  readonly ExpirationTime: string;
  readonly TimeNextVisible: string;
  readonly PopReceipt: string;
}

function escaped(text: string): string {
  return text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");
}

function fault(what: string, { status, headers }: Response, text: string): Error {
  return new Error(`cannot ${what}: ${status} ${headers.get("x-ms-error-code") ?? text}`);
}
