// What the engine relies on inside durable-functions: its shapes, and the check that they are there.
import { createRequire } from "node:module";

const LIBRARY_VERSION = "3.5.0";

export const TaskState = { running: 0, failed: 1, completed: 2 } as const;

/** `false` until tracked; then the library's number, or the event's name for external events. */
type LibraryTaskId = number | string | false;

export interface RetryOptions {
  readonly firstRetryIntervalInMilliseconds: number;
  readonly maxNumberOfAttempts: number;
  readonly backoffCoefficient?: number;
  readonly maxRetryIntervalInMilliseconds?: number;
  readonly retryTimeoutInMilliseconds?: number;
}

/** An action with the members of all its kinds; `actionType` says which are set. */
export interface LibraryAction {
  readonly actionType: number;
  readonly functionName?: string;
  readonly instanceId?: string;
  readonly input?: unknown;
  readonly retryOptions?: RetryOptions;
  readonly fireAt?: Date;
  readonly isCanceled?: boolean;
  readonly externalEventName?: string;
  readonly compoundActions?: readonly LibraryAction[];
}

export interface LibraryTask {
  readonly id: LibraryTaskId;
  readonly state: number;
  /** The text `noOp` for the stand-ins with which a retried task takes further ids. */
  readonly action: LibraryAction | "noOp";
  readonly parent?: LibraryTask;
  /** Compound tasks only. */
  readonly children?: readonly LibraryTask[];
  /** Retried tasks only. */
  readonly innerTask?: LibraryTask;
  readonly retryOptions?: RetryOptions;
}

export interface LibraryExecutor {
  readonly actions: readonly LibraryAction[];
  readonly sequenceNumber: number;
  readonly willContinueAsNew: boolean;
  readonly orchestratorReturned: boolean;
  readonly output: unknown;
  readonly exception: unknown;
  readonly deferredTasks: Readonly<Record<string, readonly unknown[]>>;
  trackOpenTask(task: LibraryTask): void;
  recordFireAndForgetAction(action: LibraryAction, increment?: number): void;
  processEvent(event: object): void;
  isDoneExecuting(): boolean;
}

export interface LibraryContext {
  readonly taskOrchestratorExecutor: LibraryExecutor;
  readonly currentUtcDateTime: Date;
  readonly customStatus: unknown;
}

const EXECUTOR_METHODS = ["trackOpenTask", "recordFireAndForgetAction", "processEvent", "isDoneExecuting"] as const;
const EXECUTOR_MEMBERS = [
  "actions",
  "sequenceNumber",
  "willContinueAsNew",
  "orchestratorReturned",
  "output",
  "exception",
  "deferredTasks",
] as const;

/** The value that the library hangs on the context as `df`, if it is what the engine knows. Throws otherwise. */
export function libraryContext(value: unknown): LibraryContext {
  const missing = missingMembers(value);
  if (missing.length > 0) throw strangeLibrary(missing);
  return value as LibraryContext;
}

/**
 * Runs a one-line orchestrator on the durable-functions that resolves from here, and throws unless ids, actions and the
 * feeding of events behave as the engine needs. Costs a millisecond; once a process.
 */
export function checkLibrary(): void {
  const require = createRequire(import.meta.url);
  const { Orchestrator } = require("durable-functions/lib/src/orchestrations/Orchestrator.js") as {
    Orchestrator?: new (body: unknown) => { handle(trigger: object, context: object): Promise<unknown> };
  };
  if (!Orchestrator) throw strangeLibrary(["Orchestrator"]);
  let seen: LibraryContext | undefined;
  const context = {
    get df() {
      return seen;
    },
    set df(value) {
      seen = libraryContext(value);
    },
  };
  const orchestrator = new Orchestrator(function* (running: {
    df: { callActivity(name: string): unknown };
  }): Generator {
    return yield running.df.callActivity("check");
  });
  const history = [
    { EventType: 12, EventId: -1, IsPlayed: false, Timestamp: new Date(0) },
    { EventType: 0, EventId: -1, IsPlayed: false, Timestamp: new Date(0), Name: "check" },
  ];
  const trigger = { history, input: null, instanceId: "check", isReplaying: false, upperSchemaVersion: 1 };
  orchestrator.handle({ ...trigger, upperSchemaVersionNew: 2 }, context).catch(() => undefined);
  if (!seen) throw strangeLibrary(["the assignment of context.df"]);
  const executor = (seen as LibraryContext).taskOrchestratorExecutor;
  if (executor.sequenceNumber !== 1 || executor.actions[0]?.functionName !== "check") {
    throw strangeLibrary(["the numbering of tasks"]);
  }
  executor.processEvent({ EventType: 5, TaskScheduledId: 0, Result: "7", IsPlayed: false });
  if (!executor.orchestratorReturned || executor.output !== 7) throw strangeLibrary(["the feeding of single events"]);
}

function missingMembers(value: unknown): string[] {
  const executor = isObject(value) ? value["taskOrchestratorExecutor"] : undefined;
  if (!isObject(executor)) return ["context.df.taskOrchestratorExecutor"];
  return [
    ...EXECUTOR_METHODS.filter((name) => typeof executor[name] !== "function"),
    ...EXECUTOR_MEMBERS.filter((name) => !(name in executor)),
  ];
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null;
}

function strangeLibrary(missing: readonly string[]): Error {
  return new Error(
    `The durable engine knows the inside of durable-functions ${LIBRARY_VERSION} and does not find it here: ${missing.join(", ")}. ` +
      `Pin "durable-functions": "${LIBRARY_VERSION}" exactly.`,
  );
}
