// Timer triggers: one run at a time, one run caught up after a pause of the host.

import { describeFault } from "../invocation.ts";
import { invokeWithRetry } from "../retry.ts";
import { parseSchedule, type Schedule } from "../schedule/schedule.ts";
import type { TimerStatus, TimerStatuses } from "../schedule/timer-status.ts";
import { hostLine, type Listener, type ListenerContext } from "./listener.ts";
import type { ListenerLock } from "./listener-lock.ts";

/** Longer waits are taken in pieces: setTimeout overflows, and clocks are set. */
const LONGEST_WAIT_MS = 60 * 60_000;
/** As in the real host, more frequent timers aren't monitored unless they ask for it: a missed run is soon followed by another. */
const MONITORED_FROM_MS = 60_000;

/**
 * Throws when the schedule is not one.
 * @param lock without it the timer runs as soon as its host does
 */
export function timerListener(
  context: ListenerContext,
  statuses: TimerStatuses,
  timeZone: string | undefined,
  lock?: ListenerLock,
): Listener {
  return new TimerListener(context, statuses, timeZone, lock);
}

class TimerListener implements Listener {
  readonly functionName: string;
  readonly #context: ListenerContext;
  readonly #say: ReturnType<typeof hostLine>;
  readonly #statuses: TimerStatuses;
  readonly #schedule: Schedule;
  readonly #monitored: boolean;
  readonly #stopped = new AbortController();
  readonly #lock: ListenerLock | undefined;
  #status: TimerStatus | undefined;
  #timer: NodeJS.Timeout | undefined;
  /** The run under way: whoever comes next waits for it. */
  #run: Promise<void> = Promise.resolve();
  #recorded: Promise<void> = Promise.resolve();

  constructor(
    context: ListenerContext,
    statuses: TimerStatuses,
    timeZone: string | undefined,
    lock: ListenerLock | undefined,
  ) {
    this.#lock = lock;
    const { schedule, useMonitor } = context.registered.trigger;
    this.#schedule = parseSchedule(String(schedule ?? ""), timeZone);
    this.functionName = context.registered.name;
    this.#context = context;
    this.#say = hostLine(context);
    this.#statuses = statuses;
    this.#monitored = typeof useMonitor === "boolean" ? useMonitor : intervalMs(this.#schedule) >= MONITORED_FROM_MS;
  }

  start(): void {
    const wait = (ms: number) =>
      this.#say("information", `its lock is another host's, or was a killed host's: the next try is in ${ms / 1000} s`);
    if (this.#lock) void this.#lock.acquire(() => this.#listen(), wait);
    else this.#listen();
  }

  #listen(): void {
    const now = new Date();
    this.#status = this.#monitored ? this.#statuses.read(this.functionName) : undefined;
    const missed = this.#status && this.#schedule.next(this.#status.last ?? this.#status.updatedAt);
    const isPastDue = missed !== undefined && missed < now;
    if (isPastDue || this.#context.registered.trigger["runOnStartup"] === true) {
      if (isPastDue) this.#say("information", `is past due since ${missed.toISOString()}: runs now`);
      this.#begin(now, isPastDue);
      return;
    }
    const next = this.#schedule.next(now);
    if (!this.#status && next) void this.#keep({ last: undefined, next, updatedAt: now });
    this.#waitFor(next);
  }

  async stop(): Promise<void> {
    this.#stopped.abort();
    clearTimeout(this.#timer);
  }

  async ended(): Promise<void> {
    await this.#run;
    await this.#recorded;
    await this.#lock?.release();
  }

  /** A timer has no messages. */
  async handBack(): Promise<void> {}

  async runByHand(): Promise<void> {
    await this.#once(false);
  }

  #waitFor(due: Date | undefined): void {
    if (!due || this.#stopped.signal.aborted) return;
    const waitMs = due.getTime() - Date.now();
    this.#timer = setTimeout(
      () => (Date.now() >= due.getTime() ? this.#begin(due, false) : this.#waitFor(due)),
      Math.max(0, Math.min(waitMs, LONGEST_WAIT_MS)),
    );
  }

  #begin(occurrence: Date, isPastDue: boolean): void {
    this.#recorded = this.#runThenWait(occurrence, isPastDue);
  }

  async #runThenWait(occurrence: Date, isPastDue: boolean): Promise<void> {
    await this.#once(isPastDue);
    const now = new Date();
    const following = this.#schedule.next(occurrence);
    // A run that outlasts the next occurrences is followed by one at once, not by one for each.
    const next = following && following < now ? now : following;
    if (next) await this.#keep({ last: occurrence, next, updatedAt: now });
    this.#waitFor(next);
  }

  async #keep(status: TimerStatus): Promise<void> {
    this.#status = status;
    if (!this.#monitored) return;
    try {
      await this.#statuses.write(this.functionName, status);
    } catch (cause) {
      this.#say("error", `its last run cannot be recorded: ${describeFault(cause)}`);
    }
  }

  #once(isPastDue: boolean): Promise<void> {
    this.#run = this.#run.then(() => this.#invoke(isPastDue));
    return this.#run;
  }

  async #invoke(isPastDue: boolean): Promise<void> {
    if (this.#stopped.signal.aborted) return;
    const { app, registered } = this.#context;
    const status = this.#monitored ? shownStatus(this.#status, this.#schedule) : null;
    const info = { Schedule: { AdjustForDST: true }, ScheduleStatus: status, IsPastDue: isPastDue };
    const data = { json: JSON.stringify(info) };
    try {
      await invokeWithRetry(app, registered, { inputs: { [registered.triggerName]: data } }, this.#stopped.signal);
    } catch (cause) {
      this.#say("error", `failed: ${describeFault(cause)}`);
    }
  }
}

function intervalMs(schedule: Schedule): number {
  const first = schedule.next(new Date());
  const second = first && schedule.next(first);
  return first && second ? second.getTime() - first.getTime() : Number.POSITIVE_INFINITY;
}

/** .NET's zero date, which stands for "never". */
const NEVER = "0001-01-01T00:00:00";

function shownStatus(status: TimerStatus | undefined, schedule: Schedule): object {
  return {
    Last: status?.last?.toISOString() ?? NEVER,
    LastUpdated: status?.updatedAt.toISOString() ?? NEVER,
    Next: (status?.next ?? schedule.next(new Date()))?.toISOString() ?? NEVER,
  };
}
