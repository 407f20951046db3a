// An operator's hand in a world: the actions of the operator's API, checked as it checks them.
import type { StepResult } from "@scheduler-agent-supervisor/core/agents";
import { parseOperatorRequest, type StepReport } from "@scheduler-agent-supervisor/core/messaging";
import {
  type Context,
  changePause,
  type Operated,
  operateJob,
  type Pauses,
  type Reported,
  reportEnd,
  reportStep,
} from "@scheduler-agent-supervisor/core/scheduling";
import type { WorldEngine } from "../memory/memory-engine.ts";

interface Because {
  readonly reason?: string;
}

/** Each returns the API's answer: `done`, or why not. */
export interface Operator {
  /** @param how `job`: the content as edited */
  resubmit(
    id: string,
    how?: Because & {
      readonly job?: unknown;
      readonly compensatedManually?: boolean;
      readonly direction?: "forward";
    },
  ): Promise<Operated>;
  compensate(id: string, because?: Because): Promise<Operated>;
  cancel(id: string, because?: Because): Promise<Operated>;
  /** @param how `by`: an ISO 8601 duration. `only`: the job's deadline alone */
  extend(id: string, how: Because & { readonly by: string; readonly only?: "deadline" }): Promise<Operated>;
  markResolved(id: string, because?: Because): Promise<Operated>;
  /** Records whether a step was done whose outcome is unknown. */
  recordOutcome(id: string, step: string, found: Found): Promise<Operated>;
  /** New work of the agent waits. */
  pause(agent: string, because?: Because): Promise<void>;
  resume(agent: string, because?: Because): Promise<void>;
  /** Reports a step that is done later, instead of the service. */
  report(id: string, step: string, report: StepReport): Promise<Reported>;
}

/** What a person found out of a step. */
type Found = Because & {
  readonly outcome: "done" | "notDone";
  readonly direction?: "forward" | "compensate";
  readonly result?: StepResult;
};

const CALLER = { by: "operator", ifMatch: "any" } as const;
const REASON = "a test wants it";

/** @param settle waits until an action has returned, in the world's time */
export function createOperator(
  context: Context,
  pauses: Pauses,
  engine: WorldEngine,
  settle: <Result>(action: () => Promise<Result>) => Promise<Result>,
): Operator {
  const operate =
    (action: Parameters<typeof parseOperatorRequest>[0]) =>
    (id: string, how: object = {}) => {
      const parsed = parseOperatorRequest(action, id, JSON.stringify({ reason: REASON, ...how }), context.rules);
      if (parsed.kind === "invalid") return Promise.resolve(parsed);
      return settle(() => operateJob(id, parsed.request, CALLER, context));
    };
  const changed =
    (change: "pause" | "resume") =>
    (name: string, { reason = REASON }: Because = {}) =>
      settle(async () => {
        await changePause({ kind: "agent", name, change, reason }, CALLER.by, pauses, context);
      });
  return {
    pause: changed("pause"),
    resume: changed("resume"),
    resubmit: operate("resubmit"),
    compensate: operate("compensate"),
    cancel: operate("cancel"),
    extend: operate("extend"),
    markResolved: operate("markResolved"),
    recordOutcome: (id, step, found) => {
      const request = { kind: "recordOutcome", reason: REASON, step, ...found } as const;
      return settle(() => operateJob(id, request, CALLER, context));
    },
    report: (id, step, report) =>
      settle(async () => {
        const reported = await reportStep(id, step, report, CALLER, context);
        if (reported.kind === "reported") await reportEnd(engine, id, reported.received);
        return reported;
      }),
  };
}
