// The jobs that an app's own steps submit (P35): the port for their agents.
import { type ChildEnd, childEndOf } from "../domain/record/child-end.ts";
import type { StepResult } from "../domain/record/state-record.ts";
import type { Context } from "../scheduler/ports.ts";
import type { ChildId } from "./child-id.ts";
import { standingFor } from "./standing.ts";
import { type ChildSubmitted, submitChild, type WantedChild } from "./submit-child.ts";
import { type ChildTakenBack, takeBackChild } from "./take-back-child.ts";

/** A child job that was submitted. */
export type ChildSeen =
  | Exclude<ChildEnd, { kind: "processed" }>
  | { readonly kind: "processed"; readonly outputs: StepResult }
  /** Its documents are removed. */
  | { readonly kind: "gone" };

export interface ChildJobs {
  /** Submits it unless it is there, and says how it stands. */
  submit(wanted: WantedChild): Promise<Exclude<ChildSubmitted, { kind: "child" }> | ChildSeen>;
  /** Reads how it stands. */
  look(id: ChildId): Promise<ChildSeen>;
  /** Does what it needs next to be cancelled or compensated. */
  takeBack(wanted: WantedChild, wasSubmitted: boolean): Promise<ChildTakenBack>;
}

/** @param context the ports, of which the agents themselves are a part */
export function createChildJobs(context: () => Context): ChildJobs {
  const seen = (record: Parameters<typeof standingFor>[0]): ChildSeen => {
    const end = childEndOf(record);
    if (end.kind !== "processed") return end;
    const { outputs = {} } = standingFor(record, context().workflows.find(record.workflow));
    return { kind: "processed", outputs };
  };
  return {
    async submit(wanted) {
      const submitted = await submitChild(wanted, context());
      return submitted.kind === "child" ? seen(submitted.record) : submitted;
    },
    async look({ jobId }) {
      const { store } = context();
      // "There is none" is a final answer.
      const read = (await store.state(jobId)) ?? (await store.latest(jobId));
      return read ? seen(read.record) : { kind: "gone" };
    },
    takeBack: (wanted, wasSubmitted) => takeBackChild(wanted, wasSubmitted, context()),
  };
}
