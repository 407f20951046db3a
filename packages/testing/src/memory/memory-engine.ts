// A durable engine in memory: its orchestrators are run by the library's own executor, and its timers by the world's clock.
import type { OrchestrationClient } from "@scheduler-agent-supervisor/core/internal/scheduler/scheduler-client";
import {
  began,
  completedTask,
  createdTimer,
  ended,
  firedTimer,
  type HistoryEvent,
  raised,
  scheduledTask,
  started,
} from "../replay/orchestration-history.ts";
import { type OpenTask, type Orchestrator, Replay } from "../replay/replayed.ts";
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
  hasTurn: boolean;
  hasEnded: boolean;
}

export interface EngineOptions {
  readonly orchestrators: { readonly [name: string]: Orchestrator };
  readonly activity: (name: string, input: unknown) => Promise<unknown>;
  readonly time: VirtualTime;
  /** Runs work of its own beside all else; what it throws ends the world's run. */
  readonly begin: (work: () => Promise<void>) => void;
}

/** The engine of a world. */
export interface WorldEngine extends OrchestrationClient {
  /** What is stored of an orchestration: see replay.ts. */
  historyOf(instanceId: string): readonly HistoryEvent[];
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
    const begun = { history: [], generation: 0, replay: undefined, inbox: [], timers: new Map() };
    const instance: Instance = { id, name, input: asJson(input), ...begun, hasTurn: false, hasEnded: false };
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
    this.#options.time.at(this.#options.time.now, () => this.#options.begin(() => this.#turn(instance)));
  }

  async #turn(instance: Instance): Promise<void> {
    const { id, name, input, history, inbox } = instance;
    const { orchestrators, time } = this.#options;
    instance.hasTurn = false;
    instance.inbox = [];
    history.push(began(time.now), ...inbox);
    const events = history.slice(-inbox.length - 1);
    if (instance.replay) instance.replay.feed(events);
    else instance.replay = new Replay(orchestrators[name] as Orchestrator, id, input, events);
    const { replay } = instance;
    for (const task of replay.takeTasks()) this.#schedule(instance, task);
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
    if ("fault" in end) throw new Error(`The orchestration ${id} failed.`, { cause: end.fault });
  }

  /** As on Azure, events that it received and nobody waited for are lost; those that come from now on are not. */
  #continue(instance: Instance, input: unknown): void {
    Object.assign(instance, { input: asJson(input), history: [], replay: undefined });
    instance.generation += 1;
    instance.timers.clear();
    const later = instance.inbox;
    instance.inbox = [];
    for (const event of [started(this.#options.time.now, instance.name, input), ...later]) this.#take(instance, event);
  }

  #schedule(instance: Instance, task: OpenTask): void {
    const { time, begin, activity } = this.#options;
    const { generation } = instance;
    switch (task.kind) {
      case "activity": {
        instance.history.push(scheduledTask(time.now, task.id, task.name, task.input));
        const run = async () => {
          const result = await activity(task.name, asJson(task.input));
          if (instance.generation === generation) this.#take(instance, completedTask(time.now, task.id, result));
        };
        time.at(time.now, () => begin(run));
        return;
      }
      case "timer": {
        const { id, fireAt } = task;
        instance.history.push(createdTimer(time.now, id, fireAt));
        if (task.isCancelled) return;
        const fire = () => this.#take(instance, firedTimer(time.now, id, fireAt));
        instance.timers.set(id, time.at(fireAt, fire));
        return;
      }
      case "retry":
        throw new Error("an activity that fails ends the world's run, so that none is retried");
      default:
        task satisfies never;
    }
  }
}

/** As what has gone through the engine's store. */
function asJson(value: unknown): unknown {
  return JSON.parse(JSON.stringify(value ?? null));
}
