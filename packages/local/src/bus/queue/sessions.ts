// The sessions of one queue: a lane for each, who holds it and until when, who waits for one, and the state kept with it.
import { Lane } from "./lane.ts";
import type { Store } from "./store.ts";

/** Whoever holds a session or waits for one. */
export interface SessionClaimant {
  accept(session: HeldSession): void;
  /** The session's lock ran out. */
  lost(): void;
}

export interface HeldSession {
  readonly id: string;
  readonly lane: Lane;
  readonly lockedUntil: number;
}

interface Session {
  readonly id: string;
  readonly lane: Lane;
  lockedUntil: number;
  holder: SessionClaimant | undefined;
  state: Buffer | undefined;
}

interface SessionRules {
  now(): number;
  lockDurationMs(): number;
  /** Gives back what the holder had not settled. */
  onReleased(sessionId: string): void;
}

export class Sessions {
  readonly #sessions = new Map<string, Session>();
  readonly #waiting = new Set<SessionClaimant>();
  readonly #store: Store;
  readonly #queue: number;
  readonly #rules: SessionRules;

  constructor(store: Store, queue: number, rules: SessionRules) {
    this.#store = store;
    this.#queue = queue;
    this.#rules = rules;
  }

  restore(): void {
    for (const { session, state } of this.#store.sessionStates(this.#queue)) this.#find(session).state = state;
  }

  lane(id: string): Lane {
    return this.#find(id).lane;
  }

  lockedUntil(id: string): number | undefined {
    return this.#sessions.get(id)?.lockedUntil;
  }

  /** `undefined` if somebody else holds it. */
  claim(id: string, claimant: SessionClaimant): HeldSession | undefined {
    const session = this.#find(id);
    return session.holder ? undefined : this.#grant(session, claimant);
  }

  /** A session with messages that nobody holds. If there is none, `undefined`, and the claimant waits for one. */
  claimNext(claimant: SessionClaimant): HeldSession | undefined {
    for (const session of this.#sessions.values()) {
      if (!session.holder && session.lane.hasWaiting()) return this.#grant(session, claimant);
    }
    this.#waiting.add(claimant);
    return undefined;
  }

  /** Ends what the claimant holds or waits for. */
  leave(claimant: SessionClaimant): void {
    this.#waiting.delete(claimant);
    for (const session of this.#sessions.values()) if (session.holder === claimant) this.#release(session);
  }

  /** Gives sessions with messages to those who wait for any. */
  offer(): void {
    for (const claimant of this.#waiting) {
      this.#waiting.delete(claimant);
      const session = this.claimNext(claimant);
      if (!session) return;
      claimant.accept(session);
    }
  }

  /** The new end of the lock, or `undefined` if the session is not held. */
  renew(id: string): number | undefined {
    const session = this.#sessions.get(id);
    if (!session?.holder) return undefined;
    session.lockedUntil = this.#rules.now() + this.#rules.lockDurationMs();
    return session.lockedUntil;
  }

  isHeld(id: string): boolean {
    return this.#sessions.get(id)?.holder !== undefined;
  }

  state(id: string): Buffer | undefined {
    return this.#sessions.get(id)?.state;
  }

  /** `undefined` clears it. */
  async setState(id: string, state: Buffer | undefined): Promise<void> {
    await this.#store.commit(() => {
      if (state) this.#store.putSessionState(this.#queue, id, state);
      else this.#store.removeSessionState(this.#queue, id);
    });
    this.#find(id).state = state;
  }

  /** Those with messages or a state. */
  ids(): string[] {
    return [...this.#sessions.values()].filter(({ lane, state }) => state || lane.hasWaiting()).map(({ id }) => id);
  }

  tick(now: number): void {
    for (const session of this.#sessions.values()) {
      const { holder } = session;
      if (!holder || session.lockedUntil > now) continue;
      this.#release(session);
      holder.lost();
    }
  }

  #find(id: string): Session {
    let session = this.#sessions.get(id);
    if (!session) {
      session = { id, lane: new Lane(), lockedUntil: 0, holder: undefined, state: undefined };
      this.#sessions.set(id, session);
    }
    return session;
  }

  #grant(session: Session, claimant: SessionClaimant): HeldSession {
    session.holder = claimant;
    session.lockedUntil = this.#rules.now() + this.#rules.lockDurationMs();
    return session;
  }

  #release(session: Session): void {
    session.holder = undefined;
    this.#rules.onReleased(session.id);
    if (!session.state && !session.lane.hasWaiting()) this.#sessions.delete(session.id);
    this.offer();
  }
}
