// Retries an agent's call while time is left (P6, P8): with backoff and jitter, never past complete-by.
import { ExponentialBackoff, handleWhenResult, retry } from "cockatiel";
import type { Agent, AgentReply, AgentRequest } from "./agent.ts";

const FIRST_DELAY_MS = 100;
const LONGEST_DELAY_MS = 5000;

export type BoundedReply =
  | Exclude<AgentReply, { kind: "unavailable" }>
  | { readonly kind: "expired"; readonly tries: number };

/** Calls until the agent is done or refuses, or until `completeBy`; then the call under way is aborted and dropped. */
export async function callWithin(
  agent: Agent,
  request: Omit<AgentRequest, "signal">,
  completeBy: string,
  now: () => number,
): Promise<BoundedReply> {
  const leftMs = Date.parse(completeBy) - now();
  if (leftMs <= 0) return { kind: "expired", tries: 0 };
  let tries = 0;
  const late = new AbortController();
  const expired = new Promise<BoundedReply>((resolve) => {
    late.signal.addEventListener("abort", () => resolve({ kind: "expired", tries }), { once: true });
  });
  const timer = setTimeout(() => late.abort(new Error("complete-by has passed")), leftMs);
  try {
    const answered = untilAnswered.execute(async ({ signal }) => {
      tries += 1;
      const reply = await agent.call({ ...request, signal });
      if (reply.kind === "unavailable" && reply.retryAfterMs) await pause(reply.retryAfterMs, signal);
      return reply;
    }, late.signal);
    const reply = await Promise.race([answered, expired]);
    return reply.kind === "unavailable" ? { kind: "expired", tries } : reply;
  } finally {
    clearTimeout(timer);
  }
}

const untilAnswered = retry(
  handleWhenResult((reply) => (reply as AgentReply).kind === "unavailable"),
  {
    maxAttempts: Number.POSITIVE_INFINITY,
    backoff: new ExponentialBackoff({ initialDelay: FIRST_DELAY_MS, maxDelay: LONGEST_DELAY_MS }),
  },
);

function pause(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const done = () => {
      clearTimeout(timer);
      signal.removeEventListener("abort", done);
      resolve();
    };
    const timer = setTimeout(done, ms);
    signal.addEventListener("abort", done);
  });
}
