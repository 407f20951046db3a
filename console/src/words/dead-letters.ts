// The words for messages that could not be processed.
import { say } from "./noun.ts";
export const DEAD_LETTERS = {
  about: "Messages that were delivered too often without success, that expired, or that could not be read.",
  nothing: "There are no messages here",
  queue: "Queue",
  uncounted: "could not be counted",
  faults: "Faults",
  reason: "Why it is here",
  enqueued: "Arrived",
  deliveries: "Deliveries",
  messageId: "Message id",
  subject: "Subject",
  get job() {
    return say`{Job}`;
  },
  sequenceNumber: "Number",
  message: (sequenceNumber: string) => `Message ${sequenceNumber}`,
  size: (bytes: number) => `${bytes.toLocaleString("en")} bytes`,
  body: "Body",
  properties: "Properties",
  edit: "Edit the body",
  notJson: "This is not JSON yet",
  resend: "Send again",
  resendAbout:
    "A copy goes to the queue that the message came from. The original is removed when the copy is confirmed.",
  discard: "Discard",
  discardAbout: "The message is removed. For 14 days it is listed under Discarded messages, and can be sent again.",
  resent: (target: string) => `Sent to ${target}.`,
  notRemoved: "The original is still here: discard it, or send it again under the same id.",
  discarded: (until: string) => `Discarded. Until ${until} it can be sent again.`,
  seeDiscarded: "See the discarded message",
  allDiscarded: "Discarded messages",
  discardedAbout: "Each can be sent again for 14 days, then it is deleted.",
  noneDiscarded: "Nothing was discarded in the last 14 days",
  discardedMessage: "A discarded message",
  discardedAt: "Discarded",
  discardedBy: "By",
  keptUntil: "Kept until",
  cameFrom: "Came from",
  resendDiscardedAbout:
    "It is sent to the queue that it came from; its copy here is removed when that queue has confirmed it.",
  binary: "The body is not text. It can be sent again without changes.",
} as const;
