// Reads Durable's own log lines off the host's console: when each activity was scheduled, taken up and done.

export interface ActivityRun {
  readonly orchestration: string;
  readonly name: string;
  /** Milliseconds since 1970, as are all instants here, by when the line was read. */
  readonly scheduledAt: number;
  startedAt?: number;
  doneAt?: number;
}

/** How long things took that many orders did, in ms. */
export interface Distribution {
  readonly count: number;
  readonly least: number;
  readonly p50: number;
  readonly p90: number;
  readonly most: number;
}

export interface ActivityFigures {
  readonly name: string;
  /** From being scheduled by its orchestration to being taken up. */
  readonly waitMs: Distribution;
  readonly runMs: Distribution;
  /** Since the first line about these orders. */
  readonly startedMs: Distribution;
}

export interface Moment {
  readonly atMs: number;
  readonly waiting: number;
  readonly running: number;
  readonly firstStepsDone: number;
  readonly secondStepsStarted: number;
  readonly done: number;
}

/** The console has two lines an entry: level, category and event, then the message. */
const HEAD = /^(?:info|warn|fail|crit|dbug|trce): (\S+)\[(\d+)\]$/;
/** Event ids of DurableTask.Core's log (LoggingExtensions, StructuredEvent ids): an activity scheduled, started, done or failed. */
const CORE = "DurableTask.Core";
const SCHEDULED = "46";
const STARTED = "60";
const ENDED: ReadonlySet<string> = new Set(["61", "62"]);
const ACTIVITY = /^(\S+): .*\[(\w+)#(\d+)\]/;

export class EngineLog {
  readonly #runs = new Map<string, ActivityRun>();
  #event: string | undefined;

  take(line: string, at: number): void {
    const head = HEAD.exec(line);
    if (head) {
      this.#event = head[1] === CORE ? head[2] : undefined;
      return;
    }
    if (this.#event === undefined) return;
    const [, orchestration, name, id] = ACTIVITY.exec(line.trim()) ?? [];
    if (orchestration && name && id) this.#note(this.#event, { orchestration, name, scheduledAt: at }, id, at);
    this.#event = undefined;
  }

  /** The activities of orchestrations whose id begins so. */
  runs(prefix: string): ActivityRun[] {
    return [...this.#runs.values()].filter(({ orchestration }) => orchestration.startsWith(prefix));
  }

  #note(event: string, scheduled: ActivityRun, id: string, at: number): void {
    const key = `${scheduled.orchestration}#${id}`;
    if (event === SCHEDULED) {
      this.#runs.set(key, scheduled);
      return;
    }
    const run = this.#runs.get(key);
    if (!run) return;
    if (event === STARTED) run.startedAt ??= at;
    if (ENDED.has(event)) run.doneAt ??= at;
  }
}

/** By activity, in the order in which they first began. */
export function figuresOf(runs: readonly ActivityRun[]): ActivityFigures[] {
  const zero = beginOf(runs);
  return [...Map.groupBy(runs, ({ name }) => name)].map(([name, own]) => ({
    name,
    waitMs: distributionOf(own.flatMap(({ scheduledAt, startedAt }) => (startedAt ? startedAt - scheduledAt : []))),
    runMs: distributionOf(own.flatMap(({ startedAt, doneAt }) => (startedAt && doneAt ? doneAt - startedAt : []))),
    startedMs: distributionOf(own.flatMap(({ startedAt }) => (startedAt ? startedAt - zero : []))),
  }));
}

/** How the activities stood at about `count` moments, whole seconds apart, until all were done. */
export function momentsOf(runs: readonly ActivityRun[], count: number, first: string, second: string): Moment[] {
  const zero = beginOf(runs);
  const last = Math.max(...runs.map(({ doneAt = 0 }) => doneAt)) - zero;
  const stepMs = Math.max(1, Math.ceil(last / 1000 / count)) * 1000;
  const moments: Moment[] = [];
  for (let atMs = stepMs; atMs - stepMs < last; atMs += stepMs) {
    const by = (instant: number | undefined) => instant !== undefined && instant - zero <= atMs;
    const those = (holds: (run: ActivityRun) => boolean) => runs.filter(holds).length;
    moments.push({
      atMs,
      waiting: those(({ scheduledAt, startedAt }) => by(scheduledAt) && !by(startedAt)),
      running: those(({ startedAt, doneAt }) => by(startedAt) && !by(doneAt)),
      firstStepsDone: those(({ name, doneAt }) => name === first && by(doneAt)),
      secondStepsStarted: those(({ name, startedAt }) => name === second && by(startedAt)),
      done: those(({ doneAt }) => by(doneAt)),
    });
  }
  return moments;
}

export function distributionOf(values: readonly number[]): Distribution {
  const sorted = values.toSorted((one, other) => one - other);
  const at = (share: number) => sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN;
  return { count: sorted.length, least: at(0), p50: at(0.5), p90: at(0.9), most: at(1) };
}

function beginOf(runs: readonly ActivityRun[]): number {
  return Math.min(...runs.map(({ scheduledAt }) => scheduledAt));
}
