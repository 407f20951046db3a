// Blob triggers: looks through the container, and puts a message for each new version of a blob into a queue of the function's own, from which
// it is invoked. A receipt says that a version has its message. (Functions documentation, "Azure Blob storage trigger": polling, blob receipts, poison blobs.)
import { randomUUID } from "node:crypto";
import { setTimeout as pause } from "node:timers/promises";
import { textData } from "../bindings/typed-data.ts";
import type { TypedData } from "../contract.ts";
import type { BlobSettings, QueueSettings } from "../host-json.ts";
import { describeFault } from "../invocation.ts";
import { type BlobPattern, blobPattern } from "../storage/blob-pattern.ts";
import { blobService } from "../storage/blob-place.ts";
import { BlobReceipts } from "../storage/blob-receipts.ts";
import { StorageAccount } from "../storage/storage-account.ts";
import { type QueueMessage, StorageQueue } from "../storage/storage-queue.ts";
import { hostLine, type Listener, type ListenerContext } from "./listener.ts";
import { QueuePump } from "./queue-pump.ts";

/** How often the container is looked through, and the queue at the latest. */
const LOOK_EVERY_MS = 1000;
const POISON_QUEUE = "webjobs-blobtrigger-poison";
const LONGEST_QUEUE_NAME = 63;

/** Throws where the binding's path or source is none that this host can watch. */
export function blobListener(context: ListenerContext, blobs: BlobSettings, queues: QueueSettings): Listener {
  return new BlobListener(context, blobs, queues);
}

/** What a message says, by Microsoft's names. */
interface BlobMessage {
  readonly Type: "BlobTrigger";
  readonly FunctionId: string;
  readonly BlobType: string;
  readonly ContainerName: string;
  readonly BlobName: string;
  readonly ETag: string;
}

class BlobListener implements Listener {
  readonly functionName: string;
  readonly #context: ListenerContext;
  readonly #say: ReturnType<typeof hostLine>;
  readonly #pattern: BlobPattern;
  readonly #connection: string;
  readonly #queue: StorageQueue;
  readonly #receipts: BlobReceipts;
  readonly #pump: QueuePump;
  readonly #stopped = new AbortController();
  #looking: Promise<void> = Promise.resolve();

  constructor(context: ListenerContext, blobs: BlobSettings, queues: QueueSettings) {
    const { path, connection, source } = context.registered.trigger;
    if (/^eventgrid$/i.test(String(source))) throw new Error("a blob trigger by Event Grid is not supported");
    this.functionName = context.registered.name;
    this.#context = context;
    this.#say = hostLine(context);
    this.#pattern = blobPattern(String(path));
    this.#connection = String(connection);
    const account = new StorageAccount(this.#connection);
    this.#queue = new StorageQueue(account, queueName(this.functionName), queues.messageEncoding);
    this.#receipts = new BlobReceipts(this.functionName);
    this.#pump = new QueuePump({
      queue: this.#queue,
      poison: new StorageQueue(account, POISON_QUEUE, queues.messageEncoding),
      settings: {
        ...queues,
        maxPollingIntervalMs: Math.min(LOOK_EVERY_MS, queues.maxPollingIntervalMs),
        maxDequeueCount: blobs.poisonBlobThreshold,
        batchSize: Math.min(blobs.maxDegreeOfParallelism, 32),
        newBatchThreshold: Math.floor(blobs.maxDegreeOfParallelism / 2),
      },
      say: this.#say,
      handle: (message) => this.#handle(message),
    });
  }

  start(): void {
    this.#looking = this.#look();
    this.#pump.start();
  }

  async stop(): Promise<void> {
    this.#stopped.abort();
    await Promise.all([this.#looking, this.#pump.stop()]);
  }

  ended(): Promise<void> {
    return this.#pump.ended();
  }

  handBack(): Promise<void> {
    return this.#pump.handBack();
  }

  /** The text is the path of a blob. */
  async runByHand(input = ""): Promise<void> {
    const [container = "", ...name] = input.replace(/^"|"$/g, "").split("/");
    await this.#invoke(container, name.join("/"));
  }

  async #look(): Promise<void> {
    const { signal } = this.#stopped;
    while (!signal.aborted) {
      try {
        await this.#lookOnce();
      } catch (cause) {
        this.#say("warning", `cannot look through the container: ${describeFault(cause)}`);
      }
      await pause(LOOK_EVERY_MS, undefined, { signal }).catch(() => undefined);
    }
  }

  async #lookOnce(): Promise<void> {
    const service = await blobService(this.#connection);
    const { container, prefix } = this.#pattern;
    const client = service.getContainerClient(container);
    if (!(await client.exists())) return;
    for await (const { name, properties } of client.listBlobsFlat({ prefix })) {
      if (this.#stopped.signal.aborted) return;
      if (!this.#pattern.match(name)) continue;
      const message: BlobMessage = {
        Type: "BlobTrigger",
        FunctionId: this.functionName,
        BlobType: properties.blobType ?? "BlockBlob",
        ContainerName: container,
        BlobName: name,
        ETag: properties.etag,
      };
      await this.#receipts.once(service, { container, name, etag: properties.etag }, () =>
        this.#queue.send(JSON.stringify(message)),
      );
    }
  }

  /** A version that is no longer there is done with: a newer one has a message of its own. */
  async #handle({ text }: QueueMessage): Promise<boolean> {
    try {
      const { ContainerName, BlobName, ETag } = JSON.parse(text) as BlobMessage;
      return await this.#invoke(ContainerName, BlobName, ETag);
    } catch (cause) {
      this.#say("error", `failed: ${describeFault(cause)}`);
      return false;
    }
  }

  async #invoke(container: string, name: string, etag?: string): Promise<boolean> {
    const { app, registered } = this.#context;
    const service = await blobService(this.#connection);
    const client = service.getContainerClient(container).getBlobClient(name);
    const properties = await client.getProperties().catch((cause: unknown) => {
      if ((cause as { statusCode?: unknown }).statusCode === 404) return undefined;
      throw cause;
    });
    if (!properties || (etag !== undefined && bare(properties.etag) !== bare(etag))) return true;
    const bytes = await client.downloadToBuffer();
    const isText = String(registered.trigger["dataType"]).toLowerCase() === "string";
    const { metadata, contentType, contentLength, lastModified, blobType } = properties;
    const given = {
      ...this.#pattern.match(name),
      BlobTrigger: `${container}/${name}`,
      Uri: client.url,
      Properties: { contentType, contentLength, lastModified, blobType, eTag: properties.etag },
      Metadata: metadata ?? {},
    };
    const triggerMetadata = Object.fromEntries(
      Object.entries(given).map(([key, value]): [string, TypedData] => [key, { json: JSON.stringify(value) }]),
    );
    const inputs = { [registered.triggerName]: isText ? textData(bytes.toString()) : { bytes } };
    await app.invoke(registered.name, { invocationId: randomUUID(), inputs, triggerMetadata });
    return true;
  }
}

const bare = (etag: string | undefined) => etag?.replaceAll('"', "");

/** Microsoft's host has one queue for all functions of an app; here each has its own. */
function queueName(functionName: string): string {
  const name = functionName.toLowerCase().replaceAll(/[^a-z\d]+/g, "-");
  return `webjobs-blobtrigger-${name}`.slice(0, LONGEST_QUEUE_NAME).replace(/-+$/, "");
}
