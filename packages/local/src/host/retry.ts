// Runs an invocation under the function's own retry policy, for the triggers that follow one (not Service Bus: there the delivery count rules).
import { randomUUID } from "node:crypto";
import { setTimeout as pause } from "node:timers/promises";
import type { FunctionApp, Invocation, InvocationResult, RegisteredFunction, RetryPolicy } from "./contract.ts";

/** Invokes until it succeeds, the policy is used up or `signal` aborts; rejects with the last fault. */
export async function invokeWithRetry(
  app: FunctionApp,
  { name, retry }: RegisteredFunction,
  invocation: Omit<Invocation, "invocationId" | "retry">,
  signal: AbortSignal,
): Promise<InvocationResult> {
  const maxRetryCount = retry?.maxRetryCount ?? 0;
  for (let retryCount = 0; ; retryCount += 1) {
    try {
      const count = retry ? { retry: { retryCount, maxRetryCount } } : {};
      return await app.invoke(name, { ...invocation, ...count, invocationId: randomUUID() });
    } catch (cause) {
      const usedUp = maxRetryCount >= 0 && retryCount >= maxRetryCount;
      if (!retry || usedUp || signal.aborted) throw cause;
      await pause(retryDelayMs(retry, retryCount), undefined, { signal }).catch(() => {
        throw cause;
      });
    }
  }
}

/** The pause before retry number `retryCount` + 1. */
export function retryDelayMs(retry: RetryPolicy, retryCount: number): number {
  if (retry.retryStrategy !== "exponentialBackoff") return (retry.delayInterval?.seconds ?? 0) * 1000;
  const leastMs = (retry.minimumInterval?.seconds ?? 0) * 1000;
  const mostMs = (retry.maximumInterval?.seconds ?? 60) * 1000;
  return Math.min(mostMs, leastMs * 2 ** Math.min(retryCount, 30));
}
