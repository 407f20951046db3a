// The supervisor's way through what is overdue: the longest overdue first, each record once, at the store's own pace.
import type { Versioned } from "../store/order-store.ts";
import { isThrottled, type Pace } from "../supervision/pace.ts";
import { instant, type Ports } from "./ports.ts";

export interface Walk {
  /** Milliseconds since 1970: what is due before it is overdue. */
  readonly before: number;
  readonly pace: Pace;
  /** Asked before each record. */
  readonly mayGoOn: () => Promise<boolean>;
  readonly visit: (due: Versioned) => Promise<void>;
}

/** True when all was seen; false when time or the lead ran out before. */
export async function walkOverdue({ store }: Ports, { before, pace, mayGoOn, visit }: Walk): Promise<boolean> {
  const seen = new Set<string>();
  for (;;) {
    try {
      for await (const due of store.due(instant(before))) {
        if (!(await mayGoOn())) return false;
        if (seen.has(due.record.orderId)) continue;
        seen.add(due.record.orderId);
        await visit(due);
      }
      return true;
    } catch (cause) {
      if (!isThrottled(cause)) throw cause;
      // The search has to begin anew; what was seen is passed over.
      if (!(await pace.slowDown())) return false;
    }
  }
}
