// The reply queues of all hosts on this store: each region's app has reply queues of its own, and only the app itself knows their names. One small
// document, which costs one request unit to read.
import { type Container, ErrorResponse } from "@azure/cosmos";

/** One app's reply queues. */
export interface OwnedReplyQueues {
  /** When a process of the app last wrote them. */
  readonly at: string;
  readonly queues: readonly [string, ...string[]];
}

/** Each method throws if the store does not answer. */
export interface ReplyQueueRegister {
  write(owned: OwnedReplyQueues): Promise<void>;
  all(): Promise<readonly OwnedReplyQueues[]>;
}

interface Document {
  readonly owners: { readonly [ownQueue: string]: OwnedReplyQueues };
}

const ID = "reply-queues";
/** No day has this name. */
const PARTITION = "reply-queues";
const LIFETIME_S = 30 * 86_400;
const CONFLICT = 409;

/** @param container its partition key is `/day`, and its documents have a time to live */
export function createCosmosReplyQueueRegister(container: Container): ReplyQueueRegister {
  const item = container.item(ID, PARTITION);
  return {
    async write(owned) {
      const [name] = owned.queues;
      try {
        await container.items.create({ id: ID, day: PARTITION, owners: { [name]: owned }, ttl: LIFETIME_S });
      } catch (cause) {
        if (!(cause instanceof ErrorResponse && cause.code === CONFLICT)) throw cause;
        // Of its own member alone: other apps write theirs at any time.
        await item.patch([{ op: "set", path: `/owners/${name}`, value: owned }]);
      }
    },
    async all() {
      const { resource } = await item.read<Document>();
      return Object.values(resource?.owners ?? {});
    },
  };
}
