// How a call of the client ends: as the app said, or with what is known when nothing more is received.
import type { Outputs, StatusMessage } from "./order-messages.ts";
import type { EndMessage, From } from "./status-inbox.ts";

export type OrderEnd =
  | {
      readonly kind: "completed";
      readonly orderId: string;
      /** What the workflow lets its requester know of the steps' results, by name. */
      readonly outputs: Outputs;
      readonly received: readonly StatusMessage[];
    }
  /** Stopped before its end. An operator may fix the cause and have it go on: `follow` is notified of that. */
  | {
      readonly kind: "failed";
      readonly orderId: string;
      readonly reason: string;
      readonly received: readonly StatusMessage[];
    }
  /** What was done is compensated. */
  | {
      readonly kind: "compensated";
      readonly orderId: string;
      readonly reason: string;
      readonly received: readonly StatusMessage[];
    }
  /** At the wish of its requester or of an operator: nothing was done, or it is compensated. */
  | {
      readonly kind: "cancelled";
      readonly orderId: string;
      readonly reason: string;
      readonly received: readonly StatusMessage[];
    }
  /** No end was received in time; the order may still come to one. `reason` says where to look. */
  | {
      readonly kind: "timedOut";
      readonly orderId: string;
      readonly reason: string;
      /** False if it is not known whether Service Bus has taken the order. */
      readonly sent: boolean;
      readonly received: readonly StatusMessage[];
    }
  /** This submission was not taken. It says nothing of another order that may have been submitted under the same id. */
  | {
      readonly kind: "rejected";
      readonly orderId: string | null;
      readonly reason: string;
      /** What the app finds wrong with it, every fault up to 50; empty where it was not sent. */
      readonly faults: readonly string[];
      /** False where it has no usable id, or is too large for a message. */
      readonly sent: boolean;
    };

/** The app's answer to a submission that it keeps in its quarantine. */
export function rejected({ orderId, detail = "the app gave no reason", faults = [] }: StatusMessage): OrderEnd {
  const more = faults.length > 1 ? ` (and ${faults.length - 1} more)` : "";
  return { kind: "rejected", orderId, reason: `${detail}${more}`, faults, sent: true };
}

/** Service Bus was never asked to take it, or would not. */
export function notSent(orderId: string | null, reason: string): OrderEnd {
  return { kind: "rejected", orderId, reason, faults: [], sent: false };
}

/** What the app said of the end. */
export function endFrom(end: EndMessage, received: readonly StatusMessage[]): OrderEnd {
  const { orderId, detail: reason = "the app gave no reason" } = end;
  switch (end.status) {
    case "Completed":
      return { kind: "completed", orderId, outputs: end.outputs ?? {}, received };
    case "Failed":
      return { kind: "failed", orderId, reason, received };
    case "Compensated":
      return { kind: "compensated", orderId, reason, received };
    case "Cancelled":
      return { kind: "cancelled", orderId, reason, received };
    default:
      return end.status satisfies never;
  }
}

interface Waited {
  readonly orderId: string;
  readonly from: From;
  readonly sent: boolean;
  readonly timeoutMs: number;
  readonly received: readonly StatusMessage[];
  /** Something was received of other content under this id. */
  readonly isTaken: boolean;
}

/** Where to look when no end was received in time. */
export function timedOut({ orderId, from, sent, timeoutMs, received, isTaken }: Waited): OrderEnd {
  const within = `within ${timeoutMs / 1000} s`;
  const last = received.at(-1)?.status;
  const noEnd =
    from === "start"
      ? `the app is behind or down; or an order of this id was submitted before, and its messages go where that one asked for them`
      : "either nothing happened to it, or it was submitted from another session";
  const reason = !sent
    ? `Service Bus did not answer ${within}: whether it has order ${orderId} is not known. Submitting it again is safe.`
    : last
      ? `Order ${orderId} came to no end ${within}; the last word of it was ${last}. Follow it to wait on.`
      : isTaken
        ? `Nothing was received of this order ${within}: another one was submitted under the id ${orderId}.`
        : `Nothing was received of order ${orderId} ${within}: ${noEnd}.`;
  return { kind: "timedOut", orderId, reason, sent, received };
}
