// The health of one endpoint (P18): a circuit breaker whose state routing can read before a call.
import {
  CircuitState,
  ConsecutiveBreaker,
  CountBreaker,
  ExponentialBackoff,
  halfJitterGenerator,
  type IBackoff,
  type IBreaker,
} from "cockatiel";
import type { Health } from "./routing.ts";

export interface BreakerOptions {
  /** This number of failures in a row opens the circuit. */
  readonly failures: number;
  /** A larger share than this (above 0, below 1) of the last `windowCalls` also opens it, once there were `windowMinimum`. */
  readonly errorRate: number;
  readonly windowCalls: number;
  readonly windowMinimum: number;
  /** The maximum time that it stays open before the probe: the first time, and the longest of the increasing times. */
  readonly openMs: number;
  readonly longestOpenMs: number;
  /** A wrong Retry-After must not exclude an endpoint for days. */
  readonly longestRestMs: number;
}

export const BREAKER: BreakerOptions = {
  failures: 5,
  errorRate: 0.5,
  windowCalls: 100,
  windowMinimum: 20,
  openMs: 1000,
  longestOpenMs: 5000,
  longestRestMs: 300_000,
};

/** `unclear`: the app ended it before it showed a result. */
export type CallOutcome = "answered" | "failed" | "unclear";

type OnChange = (state: Health, why: string) => void;

/**
 * cockatiel's own policy decides only while it runs a call, by the process's clock, and puts other calls in a queue for the probe. A router needs
 * the state before. So its rules and pauses are used here, and the three states are implemented here.
 */
export class CircuitBreaker {
  readonly #options: BreakerOptions;
  readonly #onChange: OnChange;
  readonly #rules: readonly IBreaker[];
  readonly #pauses: ExponentialBackoff<number>;
  #state: "closed" | "open" | "probing" = "closed";
  #pause: IBackoff<unknown> | undefined;
  #probeAt = 0;
  #restsUntil = 0;
  /** Calls that began in an earlier period show nothing about this one. */
  #period = 0;

  constructor(options: BreakerOptions, onChange: OnChange) {
    const { failures, errorRate, windowCalls, windowMinimum, openMs, longestOpenMs } = options;
    this.#options = options;
    this.#onChange = onChange;
    this.#rules = [
      new ConsecutiveBreaker(failures),
      new CountBreaker({ threshold: errorRate, size: windowCalls, minimumNumberOfCalls: windowMinimum }),
    ];
    // Jitter, so that the instances of the app do not probe at the same time.
    this.#pauses = new ExponentialBackoff({
      generator: halfJitterGenerator,
      initialDelay: openMs,
      maxDelay: longestOpenMs,
    });
  }

  get period(): number {
    return this.#period;
  }

  at(now: number): Health {
    if (this.#state === "probing") return "probing";
    const isResting = now < this.#restsUntil;
    if (this.#state === "open") return isResting || now < this.#probeAt ? "broken" : "probeDue";
    return isResting ? "resting" : "healthy";
  }

  /** When it becomes usable by time alone; undefined if it needs more than time, or nothing. */
  usableAt(now: number): number | undefined {
    const state = this.at(now);
    if (state === "broken") return Math.max(this.#probeAt, this.#restsUntil);
    return state === "resting" ? this.#restsUntil : undefined;
  }

  /** A call is about to begin; returns the period that it belongs to. */
  begin(now: number): number {
    if (this.at(now) === "probeDue") {
      this.#enter("probing");
      this.#onChange("probing", "one call after an outage");
    }
    return this.#period;
  }

  /** The result of a call of `period`, and the pause that the service requested. */
  report(outcome: CallOutcome, period: number, now: number, why: string, restMs = 0): void {
    // A service's requested pause starts now, whenever the call began.
    if (restMs > 0) this.#restsUntil = Math.max(this.#restsUntil, now + Math.min(restMs, this.#options.longestRestMs));
    if (period !== this.#period) return;
    if (this.#state === "probing") this.#concludeProbe(outcome, now, why);
    else if (outcome === "answered") for (const rule of this.#rules) rule.success(CircuitState.Closed);
    else if (outcome === "failed" && this.#isTripped()) this.#open(now, why);
    else if (restMs > 0) this.#onChange("resting", why);
  }

  #isTripped(): boolean {
    // Every rule must receive the failure, whatever the others decide.
    return this.#rules.map((rule) => rule.failure(CircuitState.Closed)).includes(true);
  }

  #concludeProbe(outcome: CallOutcome, now: number, why: string): void {
    switch (outcome) {
      case "failed":
        this.#open(now, why);
        break;
      case "unclear":
        // The probe showed no result: the next call is the probe.
        this.#enter("open");
        this.#onChange("probeDue", why);
        break;
      case "answered":
        this.#enter("closed");
        this.#pause = undefined;
        for (const rule of this.#rules) rule.success(CircuitState.HalfOpen);
        this.#onChange("healthy", "the probe was answered");
        break;
      default:
        outcome satisfies never;
    }
  }

  #open(now: number, why: string): void {
    this.#enter("open");
    this.#pause = this.#pause ? this.#pause.next(undefined) : this.#pauses.next();
    this.#probeAt = now + this.#pause.duration;
    this.#onChange("broken", why);
  }

  #enter(state: "closed" | "open" | "probing"): void {
    this.#state = state;
    this.#period += 1;
  }
}

/** One job alone, however often it asks, shows nothing about the endpoint. */
const SEVERAL = 3;

/**
 * Answers that may be about their request or about the endpoint (P31), such as 404: the endpoint's once several jobs in a row have got the same one.
 */
export class OddAnswers {
  #answer = "";
  readonly #keys = new Set<string>();

  /**
   * @param answer without any text of the service
   * @param key the request's idempotency key, which is the same for each of its tries
   */
  outcomeOf(answer: string, key: string): "failed" | "answered" {
    if (answer !== this.#answer) this.clear();
    this.#answer = answer;
    if (this.#keys.size < SEVERAL) this.#keys.add(key);
    return this.#keys.size < SEVERAL ? "answered" : "failed";
  }

  /** Another answer came in between. */
  clear(): void {
    this.#keys.clear();
  }
}
