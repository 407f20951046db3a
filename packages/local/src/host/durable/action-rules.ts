// What the Durable extension rejects of an orchestrator's actions. Of most of it a JavaScript orchestration learns nothing in Azure and never
// ends: OutOfProcOrchestrationShim, ProcessAsyncActionsV2, ignores what a call throws (durable-js#197, #629). Here the orchestration fails at once.
import type { FunctionApp } from "../contract.ts";
import type { DurableSettings } from "../host-json-durable.ts";
import { HOST_LIMITS } from "../limits.ts";
import { ActionType, taskRetryDelayMs } from "./actions.ts";
import { unknownFunction } from "./activities.ts";
import type { LibraryAction, RetryOptions } from "./library.ts";
import { payloadFault, schedulerIdFault } from "./scheduler-limits.ts";

/** The orchestration that asks for the actions. */
interface Asking {
  readonly app: FunctionApp;
  readonly id: string;
  readonly parentId: string | undefined;
}

export class RejectedAction extends Error {}

/** The last instant that .NET can name. */
const LAST_INSTANT = Date.parse("9999-12-31T23:59:59.999Z");
const FIRST_INSTANT = Date.parse("0001-01-01T00:00:00Z");
/** Of .NET's int, in which the extension reads them. */
const MOST_INT = 2 ** 31 - 1;

/** Of one run of an orchestrator. */
export class ActionRules {
  #actions = 0;
  readonly #asking: Asking;
  readonly #settings: DurableSettings;

  constructor(asking: Asking, settings: DurableSettings) {
    this.#asking = asking;
    this.#settings = settings;
  }

  /** Throws a `RejectedAction`. */
  check(action: LibraryAction): void {
    const fault = this.#fault(action) ?? this.#countFault();
    if (fault !== undefined) throw new RejectedAction(fault);
  }

  /** Throws a `RejectedAction` where the backend does not take the text. */
  checkPayload(what: string, text: string): string {
    const fault = payloadFault(this.#settings, what, text);
    if (fault !== undefined) throw new RejectedAction(fault);
    return text;
  }

  #fault(action: LibraryAction): string | undefined {
    const { functionName = "", fireAt, retryOptions } = action;
    switch (action.actionType) {
      case ActionType.callActivity:
        return this.#unknown("activity", functionName);
      case ActionType.callActivityWithRetry:
        return this.#unknown("activity", functionName) ?? this.#retryFault(retryOptions);
      case ActionType.callChild:
        return this.#childFault(action);
      case ActionType.callChildWithRetry:
        return this.#childFault(action) ?? this.#retryFault(retryOptions);
      case ActionType.createTimer:
        return timerFault(fireAt);
      default:
        return undefined;
    }
  }

  /** DurableOrchestrationContext, IncrementActionsOrThrowException: a call with its retries is one. */
  #countFault(): string | undefined {
    const most = this.#settings.maxActions ?? HOST_LIMITS.actions.value;
    if (this.#actions >= most) {
      return `An orchestration has ${most} actions at most until it ends or continues as new ("maxOrchestrationActions" in host.json).`;
    }
    this.#actions += 1;
    return undefined;
  }

  #unknown(kind: "activity" | "orchestration", name: string): string | undefined {
    const { app } = this.#asking;
    return app.functions.get(name)?.trigger.type === `${kind}Trigger` ? undefined : unknownFunction(app, kind, name);
  }

  #childFault({ functionName = "", instanceId }: LibraryAction): string | undefined {
    const { id, parentId } = this.#asking;
    const isTaken = [id, parentId].some((taken) => taken?.toLowerCase() === instanceId?.toLowerCase());
    if (instanceId && isTaken) {
      return `A sub-orchestration cannot have the id of its parent or of its parent's parent: ${instanceId}`;
    }
    // Then it is an entity's.
    if (instanceId?.startsWith("@"))
      return `An id that begins with @ is that of an entity, and no sub-orchestration can have it: ${instanceId}`;
    return this.#unknown("orchestration", functionName) ?? schedulerIdFault(this.#settings, instanceId ?? "");
  }

  #retryFault(options: RetryOptions | undefined): string | undefined {
    if (!options) return undefined;
    const {
      firstRetryIntervalInMilliseconds: first,
      maxNumberOfAttempts: attempts,
      maxRetryIntervalInMilliseconds: longest = first,
      retryTimeoutInMilliseconds: timeout = first,
    } = options;
    const isInt = (value: number) => Math.abs(value) <= MOST_INT;
    if (!(attempts >= 1 && [first, attempts, longest, timeout].every(isInt))) {
      return `A retry has at least one attempt, and numbers up to ${MOST_INT}: ${JSON.stringify(options)}`;
    }
    const most = HOST_LIMITS.retryPauseMs.value;
    const isAzureStorage = (this.#settings.storageType ?? "azureStorage").toLowerCase() === "azurestorage";
    if (!isAzureStorage || Math.max(first, longest) <= most) return undefined;
    return `A retry pauses ${most / 86_400_000} days at most in a task hub in Azure Storage: ${JSON.stringify(options)}`;
  }
}

/**
 * Why no pause follows a failed attempt that is not the last one: the extension creates no timer, and the library waits for it
 * (DurableTask.Core: RetryInterceptor).
 */
export function pauseFault(options: RetryOptions, attempt: number, sinceFirstMs: number): string | undefined {
  if (attempt >= options.maxNumberOfAttempts) return undefined;
  const { retryTimeoutInMilliseconds: timeout = Number.POSITIVE_INFINITY } = options;
  const isOver = sinceFirstMs >= timeout;
  if (!isOver && taskRetryDelayMs(options, attempt) !== 0) return undefined;
  const why = isOver ? `its retryTimeoutInMilliseconds of ${timeout} is over` : "its pause is 0";
  return `A retry ends after attempt ${attempt}, for ${why}: in Azure a JavaScript orchestration is not informed of it and never ends.`;
}

function timerFault(fireAt: Date | undefined): string | undefined {
  const at = fireAt?.getTime() ?? Number.NaN;
  if (Number.isNaN(at)) return "A timer was created with an invalid date.";
  if (at >= FIRST_INSTANT && at <= LAST_INSTANT) return undefined;
  return `A timer fires in the years 1 to 9999, which .NET can name: ${fireAt?.toISOString()}`;
}
