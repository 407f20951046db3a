// How a call of the client ends: as the app said, or with what is known when nothing more is heard.
import type { StatusMessage } from "./order-messages.ts";
import type { EndMessage, From } from "./status-inbox.ts";

export type OrderEnd =
  | { readonly kind: "completed"; readonly orderId: string; readonly heard: readonly StatusMessage[] }
  /** Stopped before its end. An operator may mend the cause and have it go on: `follow` hears of that. */
  | {
      readonly kind: "failed";
      readonly orderId: string;
      readonly reason: string;
      readonly heard: readonly StatusMessage[];
    }
  /** What was done is undone. */
  | {
      readonly kind: "undone";
      readonly orderId: string;
      readonly reason: string;
      readonly heard: readonly StatusMessage[];
    }
  /** No end was heard in time; the order may still come to one. `reason` says where to look. */
  | {
      readonly kind: "timedOut";
      readonly orderId: string;
      readonly reason: string;
      /** False if it is not known whether Service Bus has taken the order. */
      readonly sent: boolean;
      readonly heard: readonly StatusMessage[];
    }
  /** Not sent: it has no usable id, or is too large for a message. */
  | { readonly kind: "rejected"; readonly orderId: string | null; readonly reason: string };

/** What the app said of the end. */
export function endFrom(end: EndMessage, heard: readonly StatusMessage[]): OrderEnd {
  const { orderId, detail: reason = "the app gave no reason" } = end;
  switch (end.status) {
    case "Completed":
      return { kind: "completed", orderId, heard };
    case "Failed":
      return { kind: "failed", orderId, reason, heard };
    case "Undone":
      return { kind: "undone", orderId, reason, heard };
    default:
      return end.status satisfies never;
  }
}

/** Where to look when no end was heard in time. */
export function timedOut(
  orderId: string,
  from: From,
  sent: boolean,
  timeoutMs: number,
  heard: readonly StatusMessage[],
): OrderEnd {
  const within = `within ${timeoutMs / 1000} s`;
  const last = heard.at(-1)?.status;
  const silence =
    from === "start"
      ? `the app is behind or down; or it can't read the order and keeps it in its quarantine queue, every fault named, under the message id ${orderId}; or an order of this id was submitted before, and its messages go where that one asked for them`
      : "either nothing happened to it, or it was submitted from another session";
  const reason = !sent
    ? `Service Bus did not answer ${within}: whether it has order ${orderId} is not known. Submitting it again is safe.`
    : last
      ? `Order ${orderId} came to no end ${within}; the last word of it was ${last}. Follow it to wait on.`
      : `Nothing was heard of order ${orderId} ${within}: ${silence}.`;
  return { kind: "timedOut", orderId, reason, sent, heard };
}
