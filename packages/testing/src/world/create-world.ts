// A world for tests (P20): an app's business on its real agents, operations and orchestrator, with all servers in memory and a clock that skips time.

import type { StepResult } from "@scheduler-agent-supervisor/core/agents";
import type { Business } from "@scheduler-agent-supervisor/core/app";
import { attemptId, isThrown, Outage, type StateRecord, type StepState } from "@scheduler-agent-supervisor/core/domain";
import type { Messenger, Rejection, StatusMessage } from "@scheduler-agent-supervisor/core/messaging";
import {
  type Context,
  type Ports,
  SCHEDULER,
  scheduler,
  startClaimed,
  takeCancellation,
} from "@scheduler-agent-supervisor/core/scheduling";
import { recordOf, type SupervisionEntry } from "@scheduler-agent-supervisor/core/store";
import type { Attributes, EventName } from "@scheduler-agent-supervisor/core/telemetry";
import { type EngineOptions, MemoryEngine, type WorldEngine } from "../memory/memory-engine.ts";
import { createMemoryJobStore, type MemoryJobStore } from "../memory/memory-job-store.ts";
import { createMemoryPauses } from "../memory/memory-pauses.ts";
import type { HistoryEvent } from "../replay/orchestration-history.ts";
import { type Handler, milliseconds, type ScriptedService } from "../services/scripted-service.ts";
import { Outages } from "./outages.ts";
import { type InFlight, Processes, SUPERVISOR } from "./processes.ts";
import { type DueWork, VirtualTime } from "./virtual-time.ts";
import { createActivities, createReceivers, type RemoteAgent, takeReportAt } from "./world-activities.ts";
import { type RunLimits, WorldLoop } from "./world-loop.ts";
import { createWorldMessenger, type Outgoing } from "./world-messenger.ts";
import { createOperator, type Operator } from "./world-operator.ts";
import { createWorldAgents, createWorldPorts, type PortsOptions } from "./world-ports.ts";
import { ServiceNetwork, type Simulated } from "./world-services.ts";
import { submitJob, WorldSubmissions } from "./world-submissions.ts";
import { WorldSupervisor } from "./world-supervisor.ts";

/** Options of `createWorld`. Only the business is required. */
export interface WorldOptions {
  readonly business: Business;
  /** The answers of an agent's service without a script. Absent: `{ id, status }`, the same each time for the same key. */
  readonly services?: { readonly [agent: string]: Handler };
  /** Services that answer where neither `services` nor a script does, as those of the local stack: `inMemoryServices` of `local/remotes`. */
  readonly simulated?: Simulated;
  /** Agents that this deployment does not have. */
  readonly without?: readonly string[];
  /** The replies of agents that are not in the app. */
  readonly remoteAgents?: { readonly [agent: string]: RemoteAgent };
  /** When it begins, ISO 8601. */
  readonly startAt?: string;
  /** The seed of random values, such as waits between tries. Runs with the same seed are equal. */
  readonly seed?: number;
  readonly timing?: Partial<Ports["timing"]>;
  /** How often the supervisor sweeps, ISO 8601. */
  readonly sweepEvery?: string;
  /** An error that the app's own code throws counts as a failure of its step, as in the app. Absent: it ends the run, because it is a bug. */
  readonly countsBugs?: boolean;
}

/** Options of `run`. */
export interface RunOptions {
  /** Runs for this time, ISO 8601; until nothing is left to do if absent. */
  readonly for?: string;
  /** Stops when this returns true. */
  readonly until?: () => boolean | Promise<boolean>;
  /** @throws after this many events, because the run probably does not end. 20,000 if absent. */
  readonly most?: number;
}

/** The result of a submission. */
export type Submitted =
  | { readonly kind: "recorded"; readonly record: StateRecord }
  | { readonly kind: "rejected"; readonly faults: readonly string[] };

/** An app that runs in memory, with a clock that skips all waiting. It runs only during `submit`, `cancel`, `operator` and `run`. */
export interface World {
  /** The world's time, ISO 8601. */
  readonly now: string;
  /** The service of an agent. @throws if there is no such agent, or it has no service */
  service(agent: string): ScriptedService;
  /** Sends content as a client does, and waits until it is recorded or rejected. */
  submit(content: unknown): Promise<Submitted>;
  /** Cancels the job with that content as its requester; the answer is in `rejections`. */
  cancel(content: object, reason?: string): Promise<void>;
  readonly operator: Operator;
  /** Runs until nothing is left to do, and skips all waiting. It does not wait for a person. */
  run(options?: RunOptions): Promise<void>;
  /** The state record. @throws if there is none, with the faults of the submission */
  record(id: string): StateRecord;
  /** The steps' states, by name. */
  steps(id: string): { readonly [step: string]: StepState };
  /** What the completed steps recorded, by name. */
  results(id: string): { readonly [step: string]: StepResult };
  /** The status messages to the client, the first message first. */
  statuses(id: string): readonly StatusMessage[];
  /** The answers to rejected submissions and to cancellations. */
  readonly rejections: readonly Rejection[];
  /** The events of the app's telemetry. */
  readonly events: readonly { readonly name: EventName; readonly attributes: Attributes }[];
  /** The decisions of supervisors and operators. */
  auditLog(): Promise<readonly SupervisionEntry[]>;
  /** The orchestration history of an attempt: see replay.ts. */
  history(id: string, attempt?: number): readonly HistoryEvent[];
}

const START = "2026-01-01T12:00:00.000Z";
const MOST_EVENTS = 20_000;
const DAY_MS = 86_400_000;

/**
 * Creates a world: the app's own agents and workflows, with services that the test scripts.
 * @throws where the app's workflows have faults, or the options name an agent that the app has not
 */
export function createWorld(options: WorldOptions): World {
  return createWorldOn((engine) => new MemoryEngine(engine), options);
}

type EngineFrom = (options: EngineOptions) => WorldEngine;

/** The same on another engine than the one in memory. */
export function createWorldOn(engineFrom: EngineFrom, options: WorldOptions): World {
  return new TestWorld(options, engineFrom);
}

/** What has begun: a message or an activity was taken up, a process goes on with what it waited for, or the supervisor looks. */
export type Begun =
  | ({ readonly taken: "delivery" } & InFlight)
  | { readonly taken: "wait"; readonly process: string | undefined }
  | { readonly taken: "sweep" };

/** What stands before the store and the messenger of a world: it sees each call that arrives there. */
export interface Before {
  readonly store: (store: MemoryJobStore) => MemoryJobStore;
  readonly messenger: (messenger: Messenger) => Messenger;
}

/** A world that goes on by single events, and whose processes can be killed, and parts be away, between them. */
export interface SteppedWorld extends World {
  readonly processes: Processes;
  readonly time: VirtualTime;
  readonly outages: Outages;
  /** The supervisor looks now, whatever else is due. */
  sweep(): Promise<void>;
  /** Puts a submission into its queue. */
  send(content: unknown): void;
  /** The next event, and all that follows from it at once; undefined if nothing is left to do. */
  step(): Promise<Begun | undefined>;
  /** Kills a process: submission, scheduler, supervisor, or an agent by its name. */
  kill(process: string): void;
}

/** The same, by single events. */
export function createSteppedWorld(options: WorldOptions, before?: Before): SteppedWorld {
  return new TestWorld(options, (engine) => new MemoryEngine(engine), before);
}

class TestWorld implements SteppedWorld {
  readonly processes: Processes;
  readonly rejections: Outgoing["rejections"] = [];
  readonly events: { readonly name: EventName; readonly attributes: Attributes }[] = [];
  readonly operator: Operator;
  readonly #outgoing: Outgoing = { statuses: [], rejections: this.rejections, quarantined: [] };
  readonly #submitted = new Map<string, unknown>();
  readonly time: VirtualTime;
  readonly outages: Outages;
  readonly #store = createMemoryJobStore();
  readonly #services: ServiceNetwork;
  readonly #engine: WorldEngine;
  /** The engine as the app reaches it. */
  readonly #client: WorldEngine;
  readonly #loop: WorldLoop;
  readonly #portsOptions: PortsOptions;
  readonly #submissions: WorldSubmissions;
  #context: Context;
  #begun: Begun | undefined;
  readonly #startMs: number;
  readonly #supervisor: WorldSupervisor;

  constructor(options: WorldOptions, engineFrom: EngineFrom, before?: Before) {
    const { business, remoteAgents = {}, startAt = START, seed = 1, sweepEvery = "PT30S" } = options;
    this.#startMs = Date.parse(startAt);
    const time = new VirtualTime(this.#startMs, seed);
    this.time = time;
    const outages = new Outages(time);
    this.outages = outages;
    const begin = (work: () => Promise<void>, process?: string) => this.#loop.begin(work, process);
    this.processes = new Processes(time, outages, begin);
    const { deliver } = this.processes;
    this.#supervisor = new WorldSupervisor({
      ...{ store: this.#store, time, outages, processes: this.processes, context: () => this.#context },
      ...{ startMs: this.#startMs, everyMs: milliseconds(sweepEvery) },
    });
    this.#submissions = new WorldSubmissions({
      ...{ business, time, processes: this.processes },
      context: () => this.#context,
      engine: () => this.#client,
    });
    this.#services = new ServiceNetwork(options, time, {
      begin,
      fail: (cause) => this.#loop.fail(cause),
      report: (url, body) => takeReportAt(url, body, this.#client, this.#context),
    });
    this.#loop = new WorldLoop({
      time,
      network: this.#services,
      sweepAt: () => this.#supervisor.nextAt(),
      sweep: () => this.#supervisor.sweep(),
      onBegun: (work) => {
        this.#begun = this.#begunBy(work);
      },
    });
    const receivers = createReceivers(
      () => this.#client,
      () => this.#context,
      remoteAgents,
      this.#services,
    );
    const messenger = createWorldMessenger(
      this.#outgoing,
      () => receivers,
      time,
      deliver,
      (queue, key) => this.#submissions.receiverOf(queue, key),
    );
    const { endpoints, routing } = this.#services;
    const { pauses, presence } = createMemoryPauses(
      () => time.shown,
      (store) => outages.over("store", store),
    );
    this.#portsOptions = {
      ...{ business, endpoints, routing, time, pauses, presence, outages },
      store: outages.over("store", before?.store(this.#store) ?? this.#store),
      messenger: outages.over("bus", before?.messenger(messenger) ?? messenger),
      ...{ timing: options.timing, send: this.#submissions.sendOwn },
    };
    const ports = createWorldPorts(this.#portsOptions);
    const telemetry = {
      event: (name: EventName, attributes: Attributes) => {
        this.events.push({ name, attributes });
        if (name === "CodeFailed" && !options.countsBugs) this.#loop.fail(new Error(String(attributes["message"])));
      },
    };
    this.#context = { ...ports, telemetry };
    const activity = createActivities(
      () => this.#client,
      () => this.#context,
    );
    this.#engine = engineFrom({ orchestrators: { [SCHEDULER]: scheduler }, activity, time, begin, deliver });
    this.#client = outages.over("engine", this.#engine);
    this.operator = createOperator(this.#context, pauses, this.#client, (action) => this.#settle(action));
  }

  get now(): string {
    return new Date(this.time.now).toISOString();
  }

  service(agent: string): ScriptedService {
    return this.#services.of(agent);
  }

  async submit(content: unknown): Promise<Submitted> {
    const rejected = this.#outgoing.quarantined.length;
    const claim = await this.#settle(() => submitJob(this.#submissions.messageOf(content), this.#context));
    const faults = this.#outgoing.quarantined[rejected]?.faults;
    if (faults) return { kind: "rejected", faults };
    const jobId = this.#submissions.idOf(content);
    this.#submitted.set(jobId, content);
    if (claim?.kind === "claimed") await this.#settle(() => startClaimed(this.#client, claim, this.#context));
    return { kind: "recorded", record: this.record(jobId) };
  }

  send(content: unknown): void {
    this.#submissions.send(content);
  }

  async step(): Promise<Begun | undefined> {
    this.#begun = undefined;
    await this.#loop.run({ isDone: () => this.#begun !== undefined, ...this.#limits(MOST_EVENTS) });
    return this.#begun;
  }

  sweep(): Promise<void> {
    return this.#settle(() => this.#supervisor.sweep(), SUPERVISOR);
  }

  kill(process: string): void {
    this.processes.kill(process);
    if (process === SCHEDULER) this.#engine.forget?.();
    // What an agent knows of its endpoints is gone with it.
    const fresh = createWorldAgents(this.#portsOptions).get(process);
    if (fresh) this.#context = { ...this.#context, agents: new Map(this.#context.agents).set(process, fresh) };
  }

  #begunBy(work: DueWork | "sweep" | undefined): Begun {
    const taken = this.processes.takeLast();
    if (taken) return { taken: "delivery", ...taken };
    return work === "sweep" ? { taken: "sweep" } : { taken: "wait", process: work?.owner };
  }

  async cancel(content: object, reason = "the requester wants it no more"): Promise<void> {
    const message = this.#submissions.cancellationOf(content, reason);
    await this.#settle(() => takeCancellation(message, this.#context));
  }

  async run({ for: duration, until, most = MOST_EVENTS }: RunOptions = {}): Promise<void> {
    await this.#loop.run({
      ...(until && { isDone: until }),
      ...(duration !== undefined && { until: this.time.now + milliseconds(duration) }),
      ...this.#limits(most),
    });
  }

  record(id: string): StateRecord {
    const stored = this.#store.stored(id);
    if (stored) return recordOf(stored);
    const faults = this.#outgoing.quarantined.flatMap((one) => one.faults);
    throw new Error(`There is no record ${id}.${faults.length > 0 ? ` Rejected: ${faults.join("; ")}` : ""}`);
  }

  steps(id: string): { readonly [step: string]: StepState } {
    return mapped(this.record(id).steps, ({ state }) => state);
  }

  results(id: string): { readonly [step: string]: StepResult } {
    return mapped(this.record(id).steps, ({ state, result }) => (state === "Completed" && result) || undefined);
  }

  statuses(id: string): readonly StatusMessage[] {
    return this.#outgoing.statuses.filter(({ jobId }) => jobId === id);
  }

  async auditLog(): Promise<readonly SupervisionEntry[]> {
    const found: SupervisionEntry[] = [];
    for (let day = this.#startMs; day < this.time.now + DAY_MS; day += DAY_MS) {
      for await (const entry of this.#context.supervision.entries(new Date(day).toISOString().slice(0, 10)))
        found.push(entry);
    }
    return found;
  }

  history(id: string, attempt = 1): readonly HistoryEvent[] {
    return this.#engine.historyOf(attemptId(id, attempt));
  }

  /** What came of an action, in the world's time: nothing else waits for it. */
  async #settle<Result>(action: () => Promise<Result>, process?: string): Promise<Result> {
    let settled: { readonly result: Result } | { readonly fault: Outage } | undefined;
    this.#loop.begin(async () => {
      try {
        settled = { result: await action() };
      } catch (cause) {
        // Whoever asked is told so.
        if (!isThrown(Outage, cause)) throw cause;
        settled = { fault: cause };
      }
    }, process);
    await this.#loop.run({ isDone: () => settled !== undefined, ...this.#limits(MOST_EVENTS) });
    if (!settled) throw new Error("what was asked of the world waits for something that never comes");
    if ("fault" in settled) throw settled.fault;
    return settled.result;
  }

  #limits(most: number): Pick<RunLimits, "most" | "describe"> {
    const describe = () => {
      const records = [...this.#submitted.keys()].map((id) => {
        const { processState, attempt } = this.record(id);
        return `${id} is ${processState} in attempt ${attempt}`;
      });
      return `It is ${this.now}: ${records.join(", ")}.`;
    };
    return { most, describe };
  }
}

function mapped<One, Other>(
  all: { readonly [name: string]: One },
  map: (one: One) => Other | undefined,
): { readonly [name: string]: Other } {
  const entries = Object.entries(all).flatMap(([name, one]): [string, Other][] => {
    const other = map(one);
    return other === undefined ? [] : [[name, other]];
  });
  return Object.fromEntries(entries);
}
