// The jobs that a workflow's steps submit: each of their workflows is explored alone first, and its parent's step then ends in the ways that were seen.
import type { Business } from "@scheduler-agent-supervisor/core/app";
import type { StateRecord, Workflow } from "@scheduler-agent-supervisor/core/domain";
import type { Model } from "./model.ts";
import type { Bounds, ChildEnds } from "./setting.ts";
import { BOUNDS, RECORD, type State } from "./state.ts";
import { ended } from "./watch.ts";

/** The steps that submit jobs, with the workflow of these. */
export function submittingSteps({ steps }: Workflow, { knownAgents }: Business): [step: string, workflow: string][] {
  return steps.flatMap(({ name, agent }): [string, string][] => {
    const workflow = knownAgents.get(agent)?.submits;
    return workflow === undefined ? [] : [[name, workflow]];
  });
}

/** What has not been explored to the end may end in each way. */
export const ANY_END: ChildEnds = { processed: true, takenBack: true, error: true, mayStay: true };

/** How the jobs of an exploration end: by themselves, or once their parent has asked for their cancellation. */
export class ChildEndsSeen {
  readonly #known = new Map<number, Set<number>>();
  #ends: ChildEnds = { processed: false, takenBack: false, error: false, mayStay: false };

  get ends(): ChildEnds {
    return this.#ends;
  }

  add(state: State, { pieces, setting }: Model): void {
    const [at, left] = [state[RECORD] as number, state[BOUNDS] as number];
    const seen = this.#known.get(at) ?? new Set();
    this.#known.set(at, seen);
    if (at === 0 || seen.has(left)) return;
    seen.add(left);
    const record = pieces.values.get<StateRecord>(at);
    if (!ended(record)) return;
    const isAsked = pieces.values.get<Bounds>(left).actions < setting.bounds.actions;
    this.#ends = this.#with(record, isAsked);
  }

  #with({ processState, direction }: StateRecord, isAsked: boolean): ChildEnds {
    const isError = processState === "Error";
    return {
      processed: this.#ends.processed || (!isAsked && processState === "Processed"),
      takenBack: this.#ends.takenBack || (!isAsked && processState === "Compensated"),
      error: this.#ends.error || (!isAsked && isError),
      mayStay: this.#ends.mayStay || (isError && direction === "compensate"),
    };
  }
}

export function endsInWords({ processed, takenBack, error, mayStay }: ChildEnds): string {
  const ends = [processed && "Processed", takenBack && "Compensated", error && "Error"].filter((end) => end !== false);
  return `${ends.join(", ") || "nowhere"}${mayStay ? "; its compensation may end in Error" : ""}`;
}
