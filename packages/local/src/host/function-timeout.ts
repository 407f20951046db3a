// Looks for functions that run for longer than `functionTimeout`.
import type { RunningInvocations } from "./running.ts";

const CHECK_MS = 1000;

/** Tells of each such invocation once. */
export function watchTimeouts(
  running: RunningInvocations,
  limitMs: number,
  tell: (functionName: string) => void,
): NodeJS.Timeout {
  const told = new Set<string>();
  const check = () => {
    for (const { functionName, invocationId } of running.longerThan(limitMs)) {
      if (told.has(invocationId)) continue;
      told.add(invocationId);
      tell(functionName);
    }
  };
  return setInterval(check, Math.min(CHECK_MS, limitMs / 4)).unref();
}
