// A durable engine in memory: its orchestrators are run by the library's own executor, and its timers by the world's clock.
import { inWords, isThrown, Outage } from "@scheduler-agent-supervisor/core/domain";
import type { OrchestrationClient } from "@scheduler-agent-supervisor/core/scheduling";
import {
  began,
  completedTask,
  createdTimer,
  ended,
  failedTask,
  firedTimer,
  type HistoryEvent,
  raised,
  scheduledTask,
  started,
} from "../replay/orchestration-history.ts";
import { type OpenTask, type Orchestrator, Replay } from "../replay/replayed.ts";
import { type Deliver, SCHEDULER } from "../world/processes.ts";
import type { VirtualTime } from "../world/virtual-time.ts";

interface Instance {
  readonly id: string;
  readonly name: string;
  input: unknown;
  history: HistoryEvent[];
  /** Counts how often it continued as new: what it scheduled before answers nobody. */
  generation: number;
  /** Undefined before its first turn. */
  replay: Replay | undefined;
  /** What has come since the last turn. */
  inbox: HistoryEvent[];
  readonly timers: Map<number, () => void>;
  /** The tasks that it has scheduled, and those of them that are done: an engine takes a second result of one for nothing. */
  readonly scheduled: Set<number>;
  readonly done: Set<number>;
  /** The activity that failed last, because something was away. */
  failed: Failed | undefined;
  hasTurn: boolean;
  hasEnded: boolean;
}

/** How often it failed, and whether the pause before its next try has begun: the library says neither. */
interface Failed {
  readonly name: string;
  readonly input: unknown;
  readonly times: number;
  readonly isPaused: boolean;
}

/** As the scheduler asks the engine to try `publishEnd` again. */
const FIRST_PAUSE_MS = 5000;
const LONGEST_PAUSE_MS = 300_000;

export interface EngineOptions {
  readonly orchestrators: { readonly [name: string]: Orchestrator };
  readonly activity: (name: string, input: unknown) => Promise<unknown>;
  readonly time: VirtualTime;
  /** Runs work of its own beside all else; what it throws ends the world's run. */
  readonly begin: (work: () => Promise<void>) => void;
  /** Hands work to a process; it keeps what a process has in hand when it is killed. */
  readonly deliver: Deliver;
}

/** The engine of a world. */
export interface WorldEngine extends OrchestrationClient {
  /** What is stored of an orchestration: see replay.ts. */
  historyOf(instanceId: string): readonly HistoryEvent[];
  /** The scheduler's process is gone: a new one goes by the histories alone. */
  forget?(): void;
}

export class MemoryEngine implements WorldEngine {
  readonly #options: EngineOptions;
  readonly #instances = new Map<string, Instance>();

  constructor(options: EngineOptions) {
    this.#options = options;
  }

  historyOf(instanceId: string): readonly HistoryEvent[] {
    const instance = this.#instances.get(instanceId);
    if (!instance) throw new Error(`no orchestration ${instanceId} was started`);
    return structuredClone(instance.history);
  }

  async startNew(name: string, { instanceId: id, input }: { instanceId: string; input: unknown }): Promise<string> {
    if (!this.#options.orchestrators[name]) throw new Error(`there is no orchestrator ${name}`);
    if (this.#instances.get(id)?.hasEnded === false) throw new Error(`an instance ${id} is under way`);
    const begun = { history: [], generation: 0, replay: undefined, inbox: [], timers: new Map(), failed: undefined };
    const tasks = { scheduled: new Set<number>(), done: new Set<number>() };
    const instance: Instance = { id, name, input: asJson(input), ...begun, ...tasks, hasTurn: false, hasEnded: false };
    this.#instances.set(id, instance);
    this.#take(instance, started(this.#options.time.now, name, input));
    return id;
  }

  async getStatus(instanceId: string): Promise<{ readonly runtimeStatus: string }> {
    const instance = this.#known(instanceId);
    return { runtimeStatus: instance.hasEnded ? "Completed" : "Running" };
  }

  async raiseEvent(instanceId: string, name: string, data: unknown): Promise<void> {
    this.#take(this.#known(instanceId), raised(this.#options.time.now, name, data));
  }

  #known(id: string): Instance {
    const instance = this.#instances.get(id);
    // The library's words, by which the caller knows it.
    if (!instance) throw new Error(`No instance with ID '${id}' found.`);
    return instance;
  }

  #take(instance: Instance, event: HistoryEvent): void {
    if (instance.hasEnded) return;
    instance.inbox.push(event);
    if (instance.hasTurn) return;
    instance.hasTurn = true;
    const turn = { kind: "turn", to: SCHEDULER, jobId: jobOf(instance), what: `go on with ${instance.id}` } as const;
    this.#options.deliver(turn, () => this.#turn(instance), this.#options.time.now);
  }

  forget(): void {
    for (const instance of this.#instances.values()) instance.replay = undefined;
  }

  async #turn(instance: Instance): Promise<void> {
    const { id, name, input, history, inbox } = instance;
    const { orchestrators, time } = this.#options;
    instance.hasTurn = false;
    instance.inbox = [];
    history.push(began(time.now), ...inbox);
    const events = history.slice(-inbox.length - 1);
    if (instance.replay) instance.replay.feed(events);
    else instance.replay = new Replay(orchestrators[name] as Orchestrator, id, input, history);
    const { replay } = instance;
    for (const task of replay.takeTasks()) {
      if (!instance.scheduled.has(task.id)) this.#schedule(instance, task);
      instance.scheduled.add(task.id);
    }
    for (const timer of replay.cancelled) instance.timers.get(timer)?.();
    const { end } = replay;
    if (!end) return;
    for (const cancel of instance.timers.values()) cancel();
    if ("continuedWith" in end) {
      this.#continue(instance, end.continuedWith);
      return;
    }
    instance.hasEnded = true;
    history.push(ended(time.now, "output" in end ? end.output : null));
    // Something was away: the supervisor finds the record.
    if ("fault" in end && !instance.failed) throw new Error(`The orchestration ${id} failed.`, { cause: end.fault });
  }

  /** As on Azure, events that it received and nobody waited for are lost; those that come from now on are not. */
  #continue(instance: Instance, input: unknown): void {
    Object.assign(instance, { input: asJson(input), history: [], replay: undefined });
    instance.generation += 1;
    for (const kept of [instance.timers, instance.scheduled, instance.done]) kept.clear();
    const later = instance.inbox;
    instance.inbox = [];
    for (const event of [started(this.#options.time.now, instance.name, input), ...later]) this.#take(instance, event);
  }

  #schedule(instance: Instance, task: OpenTask): void {
    const { time, deliver } = this.#options;
    const { generation } = instance;
    switch (task.kind) {
      case "activity": {
        instance.history.push(scheduledTask(time.now, task.id, task.name, task.input));
        const run = async () => {
          const end = await this.#endOf(instance, task);
          if (instance.generation !== generation || instance.done.has(task.id)) return;
          instance.done.add(task.id);
          this.#take(instance, end);
        };
        const { name, input } = task;
        deliver(
          { kind: "activity", to: processOf(name), jobId: jobOf(instance), what: subjectOf(name, input) },
          run,
          time.now,
        );
        return;
      }
      case "timer": {
        const { id, fireAt } = task;
        instance.history.push(createdTimer(time.now, id, fireAt));
        if (task.isCancelled) return;
        const fire = () => this.#take(instance, firedTimer(time.now, id, fireAt));
        instance.timers.set(id, time.atAllEvents(fireAt, fire));
        return;
      }
      case "retry": {
        const { name = "", input, times = 0, isPaused } = instance.failed ?? {};
        if (instance.failed) instance.failed = { ...instance.failed, isPaused: !isPaused };
        const pauseMs = Math.min(FIRST_PAUSE_MS * 2 ** (times - 1), LONGEST_PAUSE_MS);
        const next = isPaused
          ? ({ kind: "activity", name, input } as const)
          : ({ kind: "timer", fireAt: time.now + pauseMs, isCancelled: false } as const);
        this.#schedule(instance, { id: task.id, ...next });
        return;
      }
      default:
        task satisfies never;
    }
  }

  async #endOf(instance: Instance, { id, name, input }: Extract<OpenTask, { kind: "activity" }>) {
    const { time, activity } = this.#options;
    try {
      const result = await activity(name, asJson(input));
      return completedTask(time.now, id, result);
    } catch (cause) {
      if (!isThrown(Outage, cause)) throw cause;
      const before = instance.failed?.name === name ? instance.failed.times : 0;
      instance.failed = { name, input, times: before + 1, isPaused: false };
      return failedTask(time.now, id, inWords(cause));
    }
  }
}

/** Of an orchestration's input: a job's attempt. */
function jobOf({ input }: Instance): string {
  return (input as { readonly jobId?: string } | null)?.jobId ?? "";
}

/** It sends a request to an agent's queue, and is the scheduler's own. */
const ASK = "askAgent";

/** The agent's, or the scheduler's own. */
function processOf(activity: string): string {
  return activity === ASK ? SCHEDULER : (/^(.+)Agent$/.exec(activity)?.[1] ?? SCHEDULER);
}

function subjectOf(activity: string, input: unknown): string {
  const { step } = (input ?? {}) as { readonly step?: string };
  return step === undefined ? activity : `${activity === ASK ? "ask for " : ""}${step}`;
}

/** As what has gone through the engine's store. */
function asJson(value: unknown): unknown {
  return JSON.parse(JSON.stringify(value ?? null));
}
