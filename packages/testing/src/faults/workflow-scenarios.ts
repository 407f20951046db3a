// What befalls a job of a workflow: all goes well, or one of its steps meets a service that says no, loses an answer, or is down for a while.
import type { Workflow } from "@scheduler-agent-supervisor/core/workflows";
import type { ServiceFault } from "../services/service-faults.ts";
import type { Evidence, ServiceEffect } from "./evidence.ts";
import { type Alone, effectInWords, isForward } from "./judge.ts";
import type { Scenario } from "./lives.ts";

/** What a scenario can do. */
export interface Hand {
  readonly jobId: string;
  send(): Promise<void>;
  /** Switches a fault of a simulated service on: docs/reference/commands.md lists them. */
  fault(service: string, fault: ServiceFault): Promise<void>;
}

export interface WorkflowScenario extends Scenario<Hand> {
  readonly workflow: Workflow;
  /** Whether the host is killed at the points of this one. */
  readonly dies: boolean;
  /** The required end state, if it is known before. */
  readonly endsAs?: Alone | undefined;
}

export function allGoesWell(workflow: Workflow): WorkflowScenario {
  return { name: "all goes well", workflow, dies: true, drive: (hand) => hand.send() };
}

/** Calls that a service is down for: an agent's tries outlast them. */
const DOWN_FOR = 2;
/** What `reject` answers where nothing is said. */
const USUAL_REJECTION = 422;

/**
 * For each kind of effect that there was when all went well: by its step, or by its service where its key names no step.
 * @param found what there was then
 * @param well how the job ended then
 * @param rejectedWith the HTTP status that a step's agent takes for a rejection, by the step's name
 */
export function whereServicesFail(
  workflow: Workflow,
  found: Pick<Evidence, "effects">,
  well: Alone | undefined,
  rejectedWith: { readonly [step: string]: number } = {},
): WorkflowScenario[] {
  const named = new Map<string, ServiceEffect>();
  for (const effect of found.effects) {
    const step = workflow.steps.find(({ name }) => isForward(effect, name))?.name;
    const name = step ?? effectInWords(effect);
    named.set(name, named.get(name) ?? effect);
  }
  return [...named].flatMap(([name, effect]) => {
    const path = effect.action === "create" ? effect.path : `${effect.path}/*/${effect.action}`;
    const meets = (what: string, fault: ServiceFault): WorkflowScenario => ({
      ...{ name: `${name} ${what}`, workflow, dies: false, endsAs: well },
      async drive(hand) {
        await hand.fault(effect.service, { ...fault, path });
        await hand.send();
      },
    });
    const status = rejectedWith[name] ?? USUAL_REJECTION;
    const rejected = meets("is rejected", { kind: "reject", status, message: "rejected by a fault run" });
    return [
      { ...rejected, dies: true, endsAs: undefined },
      meets("loses its answer", { kind: "loseReply", calls: 1 }),
      meets("gets a gateway's answer after the work", { kind: "gateway", calls: 1 }),
      meets("finds its service down", { kind: "down", calls: DOWN_FOR }),
    ];
  });
}
