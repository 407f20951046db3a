// The engine of a world on which the scheduler's orchestration runs by the base of durable-functions 4: @microsoft/durabletask-js and its own executor.

// Each module for itself: the package's own entry loads its client and worker, and gRPC, which this repository leaves out.
import * as pb from "@microsoft/durabletask-js/dist/proto/orchestrator_service_pb.js";
import type { OrchestrationContext } from "@microsoft/durabletask-js/dist/task/context/orchestration-context.js";
import { whenAll, whenAny } from "@microsoft/durabletask-js/dist/task/index.js";
import type { Task } from "@microsoft/durabletask-js/dist/task/task.js";
import * as events from "@microsoft/durabletask-js/dist/utils/pb-helper.util.js";
import { OrchestrationExecutor } from "@microsoft/durabletask-js/dist/worker/orchestration-executor.js";
import { Registry } from "@microsoft/durabletask-js/dist/worker/registry.js";
import type { EngineOptions, HistoryEvent, WorldEngine } from "@scheduler-agent-supervisor/testing/memory";

type Orchestrator = EngineOptions["orchestrators"][string];
type Status = pb.OrchestrationStatus;

const { ORCHESTRATION_STATUS_CONTINUED_AS_NEW: CONTINUED, ORCHESTRATION_STATUS_COMPLETED: COMPLETED } =
  pb.OrchestrationStatus;
const KINDS = pb.OrchestratorAction.OrchestratoractiontypeCase;
const nothing = () => undefined;
const QUIET = { error: nothing, warn: nothing, info: nothing, debug: nothing };

interface Instance {
  readonly id: string;
  readonly name: string;
  history: pb.HistoryEvent[];
  inbox: pb.HistoryEvent[];
  generation: number;
  hasTurn: boolean;
  hasEnded: boolean;
}

/** Each turn replays the whole history, as a worker without a cache does. */
export class DurableTaskEngine implements WorldEngine {
  readonly #options: EngineOptions;
  readonly #registry = new Registry();
  readonly #instances = new Map<string, Instance>();
  continued = 0;

  constructor(options: EngineOptions) {
    this.#options = options;
    for (const [name, orchestrator] of Object.entries(options.orchestrators))
      this.#registry.addNamedOrchestrator(name, adapted(orchestrator));
  }

  historyOf(): readonly HistoryEvent[] {
    throw new Error("its history is in another form");
  }

  async startNew(name: string, { instanceId: id, input }: { instanceId: string; input: unknown }): Promise<string> {
    if (this.#instances.get(id)?.hasEnded === false) throw new Error(`an instance ${id} is under way`);
    const begun = { history: [], inbox: [], generation: 0, hasTurn: false, hasEnded: false };
    const instance: Instance = { id, name, ...begun };
    this.#instances.set(id, instance);
    this.#take(instance, events.newExecutionStartedEvent(name, id, json(input)));
    return id;
  }

  async getStatus(instanceId: string): Promise<{ readonly runtimeStatus: string }> {
    return { runtimeStatus: this.#known(instanceId).hasEnded ? "Completed" : "Running" };
  }

  async raiseEvent(instanceId: string, name: string, data: unknown): Promise<void> {
    this.#take(this.#known(instanceId), events.newEventRaisedEvent(name, json(data)));
  }

  #known(id: string): Instance {
    const instance = this.#instances.get(id);
    if (!instance) throw new Error(`No instance with ID '${id}' found.`);
    return instance;
  }

  #take(instance: Instance, event: pb.HistoryEvent): void {
    if (instance.hasEnded) return;
    instance.inbox.push(event);
    if (instance.hasTurn) return;
    instance.hasTurn = true;
    const { time, begin } = this.#options;
    time.at(time.now, () => begin(() => this.#turn(instance)));
  }

  async #turn(instance: Instance): Promise<void> {
    const { id, history, inbox } = instance;
    const { time } = this.#options;
    instance.hasTurn = false;
    instance.inbox = [];
    const news = [events.newOrchestratorStartedEvent(new Date(time.now)), ...inbox];
    const executor = new OrchestrationExecutor(this.#registry, QUIET);
    const { actions } = await executor.execute(id, history, news);
    history.push(...news);
    for (const action of actions) this.#apply(instance, action);
  }

  #apply(instance: Instance, action: pb.OrchestratorAction): void {
    const { time, begin, activity } = this.#options;
    const { history, generation } = instance;
    const id = action.getId();
    const isCurrent = () => instance.generation === generation;
    switch (action.getOrchestratoractiontypeCase()) {
      case KINDS.SCHEDULETASK: {
        const task = action.getScheduletask();
        const name = task?.getName() ?? "";
        const input = task?.getInput()?.getValue();
        history.push(events.newTaskScheduledEvent(id, name, input));
        const run = async () => {
          const result = await activity(name, JSON.parse(input ?? "null"));
          if (isCurrent()) this.#take(instance, events.newTaskCompletedEvent(id, json(result)));
        };
        time.at(time.now, () => begin(run));
        return;
      }
      case KINDS.CREATETIMER: {
        const fireAt = action.getCreatetimer()?.getFireat()?.toDate() ?? new Date(time.now);
        history.push(events.newTimerCreatedEvent(id, fireAt));
        // A cancelled one fires too: the library ignores it.
        time.at(fireAt.getTime(), () => isCurrent() && this.#take(instance, events.newTimerFiredEvent(id, fireAt)));
        return;
      }
      case KINDS.COMPLETEORCHESTRATION: {
        const end = action.getCompleteorchestration();
        this.#end(instance, end?.getOrchestrationstatus(), end?.getResult()?.getValue());
        if (instance.hasEnded && end?.getOrchestrationstatus() !== COMPLETED)
          throw new Error(`The orchestration ${instance.id} failed: ${end?.getFailuredetails()?.getErrormessage()}`);
        return;
      }
      default:
        throw new Error(`action ${action.getOrchestratoractiontypeCase()} is not known here`);
    }
  }

  #end(instance: Instance, status: Status | undefined, result: string | undefined): void {
    if (status !== CONTINUED) {
      instance.hasEnded = true;
      return;
    }
    this.continued += 1;
    instance.generation += 1;
    instance.history = [];
    const later = instance.inbox;
    instance.inbox = [];
    for (const event of [events.newExecutionStartedEvent(instance.name, instance.id, result), ...later])
      this.#take(instance, event);
  }
}

/** The context of durable-functions, over that of the other library. */
function adapted(orchestrator: Orchestrator) {
  return async function* (
    context: OrchestrationContext,
    input: unknown,
  ): AsyncGenerator<Task<unknown>, unknown, unknown> {
    const df = {
      getInput: () => input,
      get currentUtcDateTime() {
        return context.currentUtcDateTime;
      },
      callActivity: (name: string, given: unknown) => context.callActivity(name, given),
      // An activity that fails ends a world's run, so that none is retried.
      callActivityWithRetry: (name: string, _: unknown, given: unknown) => context.callActivity(name, given),
      createTimer: (at: Date) => context.createTimer(at),
      waitForExternalEvent: (name: string) => context.waitForExternalEvent(name),
      Task: { any: whenAny, all: whenAll },
      // As durable-functions 3 does on Azure Storage: events that nobody waited for are lost.
      continueAsNew: (next: unknown) => context.continueAsNew(next, false),
    };
    return yield* orchestrator({ df });
  };
}

const json = (value: unknown) => JSON.stringify(value ?? null);
