// An action on all messages of a cause, by a client of the API: one first, then more, until all are done or too many come back.

import { COMES_BACK_WITHIN_MS, comeBack, messageWaves, stopsAfter } from "./message-waves.ts";

/** What came of one message. */
interface MessageResult {
  readonly sequenceNumber: string;
  readonly outcome: "resent" | "discarded" | "skipped";
  readonly reason: string | null;
}

interface Cause {
  readonly id: string;
  readonly numbers: readonly string[];
}

export type MessageAction = "resend" | "discard";

export interface MessagesDone {
  readonly action: MessageAction;
  /** `back`: too many came back with the same cause. `stopped`: by the operator, or by a fault. */
  readonly state: "running" | "done" | "back" | "stopped";
  readonly total: number;
  readonly handled: number;
  /** How many came back with the same cause. */
  readonly back: number;
  readonly skipped: readonly MessageResult[];
}

export interface MessageWavePorts {
  causes(): Promise<{ readonly causes: readonly Cause[] }>;
  wave(numbers: readonly string[]): Promise<{ readonly results: readonly MessageResult[] }>;
  wait(ms: number): Promise<void>;
  isStopped(): boolean;
  /** After each wave and at the end. */
  said(done: MessagesDone): void;
}

/**
 * Each message is handled by itself (handle-dead-letter.ts): after a crash or a lost answer what is done is done, and the rest is still there. What comes
 * back is a message of the cause that was not there before.
 */
export async function runMessageWaves(
  { id, numbers }: Cause,
  action: MessageAction,
  ports: MessageWavePorts,
): Promise<MessagesDone> {
  let done: MessagesDone = { action, state: "running", total: numbers.length, handled: 0, back: 0, skipped: [] };
  const say = (changes: Partial<MessagesDone>): MessagesDone => {
    done = { ...done, ...changes };
    ports.said(done);
    return done;
  };
  say({});
  for (const { from, to } of messageWaves(numbers.length)) {
    if (ports.isStopped()) return say({ state: "stopped" });
    const { results } = await ports.wave(numbers.slice(from, to));
    const skipped = results.filter(({ outcome }) => outcome === "skipped");
    say({ handled: to, skipped: [...done.skipped, ...skipped] });
    if (action === "discard") continue;
    await ports.wait(COMES_BACK_WITHIN_MS);
    const there = (await ports.causes()).causes.find((cause) => cause.id === id)?.numbers ?? [];
    const back = comeBack(numbers, there);
    const isTooMany = stopsAfter(back - done.back, to - from - skipped.length);
    say({ back });
    if (isTooMany) return say({ state: "back" });
  }
  return say({ state: "done" });
}
