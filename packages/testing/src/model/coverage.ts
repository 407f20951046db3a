// What an exploration has seen so far: how jobs ended, how each step did, and which faults happened. What is missing was not reached.
import {
  type ProcessState,
  type StateRecord,
  type StepRecord,
  stepOfRun,
} from "@scheduler-agent-supervisor/core/domain";
import type { Workflow } from "@scheduler-agent-supervisor/core/workflows";
import type { Model } from "./model.ts";
import type { Bounds, Setting } from "./setting.ts";
import { BOUNDS, RECORD, type State } from "./state.ts";
import { isEnded } from "./watch.ts";

/** What no state shows: of a complete exploration it can't happen, of one that was stopped it may. */
export interface Unseen {
  /** How a job may end, but did not. */
  readonly ends: readonly string[];
  /** Steps that were never completed. */
  readonly steps: readonly string[];
  /** Steps that have a compensation, which was never completed. */
  readonly compensations: readonly string[];
  /** Faults that were allowed and never happened, such as `deaths`, `rejection of sign`, `time-out of sign`. */
  readonly faults: readonly string[];
}

type Event = "completed" | "rejected" | "timedOut" | "compensated";

export class Coverage {
  readonly #model: Model;
  readonly #known = [new Set<number>(), new Set<number>()] as const;
  readonly #ends = new Set<ProcessState>();
  /** As `rejected sign`. */
  readonly #events = new Set<string>();
  readonly #spent = new Set<string>();

  constructor(model: Model) {
    this.#model = model;
  }

  add(state: State): void {
    const [records, bounds] = this.#known;
    const { values } = this.#model.pieces;
    const [record, left] = [state[RECORD] as number, state[BOUNDS] as number];
    if (record !== 0 && !records.has(record)) {
      records.add(record);
      this.#addRecord(values.get<StateRecord>(record));
    }
    if (bounds.has(left)) return;
    bounds.add(left);
    const most = this.#model.setting.bounds;
    for (const [what, count] of Object.entries(values.get<Bounds>(left))) {
      if (count < (most[what as keyof Bounds] ?? 0)) this.#spent.add(what);
    }
  }

  #addRecord(record: StateRecord): void {
    if (isEnded(record)) this.#ends.add(record.processState);
    for (const [run, step] of Object.entries(record.steps)) {
      for (const event of eventsOf(step)) this.#events.add(`${event} ${stepOfRun(run)}`);
    }
  }

  unseen(): Unseen {
    const { setting } = this.#model;
    const { workflow, bounds } = setting;
    const lacking = (event: Event, steps: Workflow["steps"] = workflow.steps) =>
      steps.flatMap(({ name }) => (this.#events.has(`${event} ${name}`) ? [] : [name]));
    const never = Object.keys(bounds).filter((what) => bounds[what as keyof Bounds] && !this.#spent.has(what));
    return {
      ends: endsOf(setting).filter((end) => !this.#ends.has(end)),
      steps: lacking("completed"),
      compensations: lacking(
        "compensated",
        workflow.steps.filter(({ compensation }) => typeof compensation === "object"),
      ),
      faults: [
        ...never,
        ...(bounds.rejections > 0 ? lacking("rejected").map((step) => `rejection of ${step}`) : []),
        ...(bounds.timeouts === 0 ? [] : lacking("timedOut")).map((step) => `time-out of ${step}`),
      ],
    };
  }
}

/** Only a person cancels a job of the model. */
function endsOf({ requests }: Setting): readonly ProcessState[] {
  const isCancelled = requests.some(({ kind }) => kind === "cancel");
  return ["Processed", "Compensated", "Error", ...(isCancelled ? (["Cancelled"] as const) : [])];
}

function eventsOf(step: StepRecord): Event[] {
  const { state, skipped, retryCount, failureCount = 0, compensation } = step;
  return [
    ...(state === "Completed" || state === "Compensated" ? (["completed"] as const) : []),
    ...(state === "Failed" || skipped?.cause === "rejected" ? (["rejected"] as const) : []),
    ...(retryCount + failureCount > 0 || skipped?.cause === "expired" ? (["timedOut"] as const) : []),
    ...(compensation?.state === "Completed" ? (["compensated"] as const) : []),
  ];
}

/** As text; empty where nothing is missing. */
export function unseenInWords({ ends, steps, compensations, faults }: Unseen): string {
  const parts = [
    ends.length > 0 && `the ends ${ends.join(", ")}`,
    steps.length > 0 && `the steps ${steps.join(", ")}`,
    compensations.length > 0 && `the compensations of ${compensations.join(", ")}`,
    faults.length > 0 && `these faults: ${faults.join(", ")}`,
  ];
  return parts.filter((part) => part !== false).join("; ");
}
