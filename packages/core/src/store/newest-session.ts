// For a read that can't be stale, whoever wrote last.
import type { Container } from "@azure/cosmos";
import { CONFLICT, NOT_FOUND, PRECONDITION_FAILED, type Session, sessionOf, statusOf } from "./cosmos-answers.ts";

/** The document does not exist, or does not satisfy the condition. */
export const REJECTIONS: ReadonlySet<number | undefined> = new Set([NOT_FOUND, CONFLICT, PRECONDITION_FAILED]);

/** Every document has its time of change, and none was changed before 1970. */
const NEVER_MADE = {
  condition: "from c where c._ts < 0",
  operations: [{ op: "set", path: "/neverMade", value: true }],
} as const;

/**
 * The session of the newest state of an item's partition. A replica that takes writes answers a write that is never made, and it says in a rejection
 * too what its newest state is: a read with that session is not older. The document need not exist.
 * @throws what the client throws if the store is unavailable
 */
export async function newestSession(item: Pick<ReturnType<Container["item"]>, "patch">): Promise<Session> {
  try {
    await item.patch({ ...NEVER_MADE, operations: [...NEVER_MADE.operations] });
  } catch (cause) {
    if (REJECTIONS.has(statusOf(cause))) return sessionOf(cause);
    throw cause;
  }
  throw new TypeError("the store made a write whose condition never holds");
}
