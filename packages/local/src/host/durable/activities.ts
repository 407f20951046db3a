// Runs activities through the app, a bounded number at a time, in the order in which they were scheduled.
import { randomUUID } from "node:crypto";
import type { FunctionApp, TypedData } from "../contract.ts";
import type { DurableSettings } from "../host-json-durable.ts";
import { Register } from "../register.ts";
import { activityFailure } from "./activity-failure.ts";
import { activityInput } from "./activity-input.ts";
import { payloadFault } from "./scheduler-limits.ts";
import type { Work, WorkOutcome } from "./work.ts";

interface Job {
  readonly number: number;
  readonly work: Work;
  readonly done: (outcome: WorkOutcome) => void;
}

export class Activities {
  started = 0;
  #running = 0;
  #held = false;
  readonly #app: FunctionApp;
  readonly #limit: number;
  readonly #settings: DurableSettings;
  /** By their numbers, in the order of these. */
  readonly #waiting = new Register<number, Job>();
  #lastNumber = 0;

  constructor(app: FunctionApp, limit: number, settings: DurableSettings = {}) {
    this.#app = app;
    this.#limit = limit;
    this.#settings = settings;
  }

  get running(): number {
    return this.#running;
  }

  get waiting(): number {
    return this.#waiting.size;
  }

  run(work: Work, done: (outcome: WorkOutcome) => void): void {
    this.#lastNumber += 1;
    this.#waiting.set(this.#lastNumber, { number: this.#lastNumber, work, done });
    this.#startWaiting();
  }

  /** Starts nothing more; what runs may end. */
  hold(): void {
    this.#held = true;
  }

  #startWaiting(): void {
    for (const job of this.#waiting.values()) {
      if (this.#held || this.#running >= this.#limit) return;
      this.#waiting.delete(job.number);
      this.#running += 1;
      this.started += 1;
      void this.#outcome(job.work).then((outcome) => {
        this.#running -= 1;
        job.done(outcome);
        this.#startWaiting();
      });
    }
  }

  async #outcome({ name, input, instanceId }: Work): Promise<WorkOutcome> {
    const target = this.#app.functions.get(name);
    if (target?.trigger.type !== "activityTrigger") {
      return { kind: "failed", reason: unknownFunction(this.#app, "activity", name), details: "" };
    }
    try {
      const { returnValue } = await this.#app.invoke(name, {
        invocationId: randomUUID(),
        inputs: { [target.triggerName]: activityInput(input) },
        activity: { input, instanceId },
      });
      const result = resultText(returnValue);
      const tooLarge = payloadFault(this.#settings, "Its result", result);
      if (tooLarge !== undefined) throw new Error(tooLarge);
      return { kind: "done", result };
    } catch (cause) {
      return { kind: "failed", ...activityFailure(name, cause) };
    }
  }
}

/** Says that the app has no such function, and what it has. */
export function unknownFunction(app: FunctionApp, kind: "activity" | "orchestration", name: string): string {
  const type = `${kind}Trigger`;
  const registered = [...app.functions.values()]
    .filter(({ trigger }) => trigger.type === type)
    .map((each) => each.name);
  const what = { activity: "activity", orchestration: "orchestrator" }[kind];
  const list = registered.length > 0 ? registered.sort().join(", ") : "none";
  return `The app runs no ${what} '${name}': it may be misspelt, switched off or of another kind. Registered as ${what}: ${list}.`;
}

/** What the function returned, as the JSON text that goes into the history. */
function resultText(value: TypedData | undefined): string {
  if (!value || "empty" in value) return "null";
  // Of a function or a symbol the library makes no JSON.
  if ("json" in value) return value.json ?? "null";
  if ("string" in value) return JSON.stringify(value.string);
  if ("int" in value) return JSON.stringify(value.int);
  if ("double" in value) return JSON.stringify(value.double);
  if ("bytes" in value) return JSON.stringify(Buffer.from(value.bytes).toString("base64"));
  return JSON.stringify(value);
}
