// The sessions of one queue: a lane for each, who holds it and until when, and its state.
import { Lane } from "./lane.ts";
import type { Surroundings } from "./queue.ts";

interface Session {
  readonly id: string;
  readonly lane: Lane;
  lockedUntil: number;
}

export class Sessions {
  readonly #sessions = new Map<string, Session>();

  constructor(_around: Surroundings, _queue: number, _pump: (lane: Lane) => void) {}

  restore(): void {}

  lane(id: string): Lane {
    let session = this.#sessions.get(id);
    if (!session) {
      session = { id, lane: new Lane(), lockedUntil: 0 };
      this.#sessions.set(id, session);
    }
    return session.lane;
  }

  lockedUntil(id: string | undefined): number | undefined {
    return this.#sessions.get(id ?? "")?.lockedUntil;
  }

  tick(_now: number, _release: (sessionId: string) => void): void {}
}
