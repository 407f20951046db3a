// The suites of kills and chaos run on replicas that lag behind, as Azure's do under Session consistency.
import type { TestStack } from "./test-stack.ts";

/** Longer than most steps take: what one process wrote, another does not see in time. */
export const STALE_READS_MS = 300;

/** How many reads the store answered from before a write that it had acknowledged. */
export async function countStaleReads({ stack }: TestStack): Promise<number> {
  const answer = await fetch(new URL("/$counts", stack.addresses.cosmos?.endpoint));
  return ((await answer.json()) as { staleReads: number }).staleReads;
}
