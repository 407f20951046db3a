// The endpoints of one agent (P19): chooses the endpoint of each call, and keeps the waiting calls in lanes while capacity is short.

import type { Priority } from "../domain/content/job.ts";
import { noCallsBecause } from "../domain/thrown.ts";
import { startTimer, type Timer } from "../domain/timer.ts";
import type { Endpoint, LastError } from "./agent.ts";
import { bounded } from "./bounds.ts";
import { type BreakerOptions, type CallOutcome, CircuitBreaker, OddAnswers } from "./circuit-breaker.ts";
import { chooseEndpoint, type EndpointChoice, type EndpointView, type Health, nextLane } from "./routing.ts";

export interface PoolOptions {
  readonly breaker: BreakerOptions;
  /** The number of calls that may wait in each lane. */
  readonly waitingRoom: number;
  /** An endpoint that takes longer gets calls only if no other has room, except one call in each such interval. */
  readonly slowAfterMs: number;
  readonly slowRecheckMs: number;
  /** Milliseconds since 1970. */
  readonly now: () => number;
  readonly onHealth: (endpoint: string, state: Health, why: string) => void;
}

/** A place at an endpoint, taken for one call; the caller returns it with `release`. */
export interface Lease {
  readonly url: string;
  readonly because: string;
  readonly startedAt: number;
}

/** An endpoint as this process sees it. */
export interface EndpointHealth {
  readonly endpoint: string;
  readonly health: Health;
  /** Calls in progress from this process, and their limit. */
  readonly inFlight: number;
  readonly capacity: number;
  readonly isSlow: boolean;
  /** Why it is not healthy. */
  readonly lastError: string | null;
}

/** The facts about a failed call besides its failure. */
interface Failure {
  readonly error?: LastError | undefined;
  /** For `odd`: the idempotency key of the request. */
  readonly key?: string;
  /** The pause that the service requested. */
  readonly restMs?: number | undefined;
}

interface Slot extends EndpointView {
  inFlight: number;
  served: number;
  health: Health;
  /** Undefined while it answers in time. Otherwise other endpoints go first until this instant, and then one call tests whether it is still slow. */
  slowUntil: number | undefined;
  lastError: LastError | undefined;
  readonly circuit: CircuitBreaker;
  readonly odd: OddAnswers;
}

interface OwnLease extends Lease {
  readonly slot: Slot;
  readonly period: number;
}

interface Waiter {
  readonly failed: string | undefined;
  readonly admit: (lease: Lease) => void;
  /** For a call that waits only for capacity: called when every endpoint is down, after the call has left its lane. */
  readonly allDown: (() => void) | undefined;
}

export class EndpointPool {
  readonly #options: PoolOptions;
  readonly #slots: readonly Slot[];
  readonly #lanes: { readonly [lane in Priority]: Set<Waiter> } = { high: new Set(), normal: new Set() };
  #passedOver = 0;
  #releaseWaiting: Timer | undefined;

  constructor(endpoints: readonly Endpoint[], options: PoolOptions) {
    this.#options = options;
    this.#slots = endpoints.map(({ url, capacity }) => ({
      url,
      capacity,
      inFlight: 0,
      served: 0,
      health: "healthy",
      slowUntil: undefined,
      lastError: undefined,
      circuit: new CircuitBreaker(options.breaker, (state, why) => options.onHealth(url, state, why)),
      odd: new OddAnswers(),
    }));
  }

  /** A place at once; undefined if there is none, or other calls wait for one. `failed`: see `chooseEndpoint`. */
  take(priority: Priority, failed?: string): Lease | undefined {
    if (this.#lanes.high.size > 0 || this.#lanes.normal.size > 0) return undefined;
    return this.#choose(priority, failed, this.#options.now());
  }

  /** Waits in the lane, and returns a function to leave it; undefined if the lane is full. */
  wait(
    priority: Priority,
    failed: string | undefined,
    admit: (lease: Lease) => void,
    allDown?: () => void,
  ): (() => void) | undefined {
    const { high, normal } = this.#lanes;
    const lane = this.#lanes[priority];
    if (lane.size >= this.#options.waitingRoom) return undefined;
    const waiter = { failed, admit, allDown };
    lane.add(waiter);
    this.#admitNext();
    return () => {
      lane.delete(waiter);
      if (high.size + normal.size === 0) this.#releaseWaiting?.end();
    };
  }

  /** Whether every endpoint is known to be broken: then a call does not wait for capacity, but for a service. */
  isDown(): boolean {
    const now = this.#options.now();
    const healths = this.#slots.map(({ circuit }) => circuit.at(now));
    return healths.every((health) => health !== "healthy" && health !== "resting");
  }

  /** Returns a place, with the call's result for the endpoint's health. `odd`: an answer that may be about its request or about the endpoint. */
  release(lease: Lease, result: CallOutcome | "odd", why: string, { restMs, error, key = "" }: Failure = {}): void {
    const { slot, period } = lease as OwnLease;
    const now = this.#options.now();
    slot.inFlight -= 1;
    const outcome = result === "odd" ? slot.odd.outcomeOf(why, key) : result;
    if (outcome !== "unclear" && result !== "odd") slot.odd.clear();
    slot.circuit.report(outcome, period, now, why, restMs);
    if (error && outcome === "failed") slot.lastError = error;
    // Not a fault: if there is no other endpoint, a slow answer is better than none. So this opens no circuit.
    if (now - lease.startedAt >= this.#options.slowAfterMs) slot.slowUntil = now + this.#options.slowRecheckMs;
    else if (outcome === "answered") slot.slowUntil = undefined;
    this.#admitNext();
  }

  /** Why a call gets no place now, for the record: an endpoint that takes no calls, else one that is full. */
  obstacle(): LastError {
    const now = this.#options.now();
    const ill = this.#slots.find(({ circuit }) => circuit.at(now) !== "healthy");
    if (ill?.lastError) return { ...ill.lastError, message: bounded(noCallsBecause(ill.lastError.message)) };
    return { endpoint: this.#slots[0]?.url ?? "", message: "had no room for another call" };
  }

  /** The current health of each endpoint, for people. */
  health(): EndpointHealth[] {
    const now = this.#options.now();
    return this.#slots.map(({ url, capacity, inFlight, slowUntil = 0, circuit, lastError }) => {
      const health = circuit.at(now);
      const isWell = health === "healthy";
      const message = isWell ? null : (lastError?.message ?? null);
      return { endpoint: url, health, inFlight, capacity, isSlow: slowUntil > now, lastError: message };
    });
  }

  #choose(priority: Priority, failed: string | undefined, now: number): OwnLease | undefined {
    for (const slot of this.#slots) slot.health = slot.circuit.at(now);
    const choice = this.#amongQuick(priority, failed, now) ?? chooseEndpoint(this.#slots, priority, failed);
    if (!("endpoint" in choice)) return undefined;
    const slot = choice.endpoint;
    slot.inFlight += 1;
    slot.served += 1;
    if (slot.slowUntil !== undefined) slot.slowUntil = now + this.#options.slowRecheckMs;
    const period = slot.circuit.begin(now);
    return { url: slot.url, because: choice.because, startedAt: now, slot, period };
  }

  /** Undefined if none is slow, or none of the others is available for this call. */
  #amongQuick(priority: Priority, failed: string | undefined, now: number): EndpointChoice<Slot> | undefined {
    const quick = this.#slots.filter(({ slowUntil = 0 }) => slowUntil <= now);
    if (quick.length === this.#slots.length) return undefined;
    const choice = chooseEndpoint(quick, priority, failed);
    if (!("endpoint" in choice) || choice.endpoint.url === failed) return undefined;
    const isProbe = choice.endpoint.health === "probeDue";
    return isProbe ? choice : { ...choice, because: "least loaded of those that are not slow" };
  }

  #admitNext(): void {
    const { high, normal } = this.#lanes;
    for (;;) {
      const turn = nextLane({ high: high.size, normal: normal.size }, this.#passedOver);
      if (!turn) {
        this.#releaseWaiting?.end();
        return;
      }
      const lane = this.#lanes[turn.lane];
      const [waiter] = lane;
      const now = this.#options.now();
      const lease = waiter && this.#choose(turn.lane, waiter.failed, now);
      if (!lease) {
        if (this.isDown()) this.#sendAway();
        // By the instant of the choice: an endpoint that has become usable since then would have no time left to wait for.
        this.#releaseWhenUsable(now);
        return;
      }
      this.#passedOver = turn.passedOver;
      lane.delete(waiter);
      waiter.admit(lease);
    }
  }

  #sendAway(): void {
    for (const lane of Object.values(this.#lanes)) {
      for (const waiter of lane) {
        if (!waiter.allDown) continue;
        lane.delete(waiter);
        waiter.allDown();
      }
    }
  }

  /** If only time must pass, no released place starts the next call. */
  #releaseWhenUsable(now: number): void {
    this.#releaseWaiting?.end();
    const instants = this.#slots.flatMap(({ circuit }) => circuit.usableAt(now) ?? []);
    if (instants.length === 0) return;
    this.#releaseWaiting = startTimer(Math.max(1, Math.min(...instants) - now), () => this.#admitNext());
  }
}
