// The model checker on an app's own workflow (P20): every state that one run of it can reach, with so much going wrong, or as many as the bounds allow.
import type { Business } from "@scheduler-agent-supervisor/core/app";
import type {
  FailureBudget,
  RecoveryPolicy,
  Workflow,
  WorkflowRules,
  WorkflowStep,
} from "@scheduler-agent-supervisor/core/domain";
import { milliseconds } from "../services/scripted-service.ts";
import { explore as exploreModel } from "./explorer.ts";
import { Model } from "./model.ts";
import { type Bounds, CONTENT, NOTHING_GOES_WRONG, REQUESTS, type Setting } from "./setting.ts";

/** The faults during an exploration, and its limits. */
export interface ExploreOptions {
  /** How often each fault may happen in one run. Faults that are not named never happen. One rejection by a service if absent. */
  readonly goesWrong?: Partial<Bounds>;
  /** The values of the workflow's conditions, by name. Others are true. */
  readonly conditions?: { readonly [name: string]: boolean };
  /** The operator's possible actions; `goesWrong.actions` limits their number. */
  readonly operator?: readonly (keyof typeof REQUESTS)[];
  /** A service may accept a request that it has just rejected permanently, for example a service without idempotency keys. */
  readonly mayAcceptWhatItRejected?: boolean;
  /** The maximum number of states, which limits the memory: about 1.5 KB each. 200,000 if absent. */
  readonly states?: number;
  /** The maximum duration, ISO 8601. One minute if absent. */
  readonly within?: string;
}

/** The result of an exploration. */
export interface Exploration {
  /** Every state was checked: no sequence of the given faults violates an invariant. */
  readonly complete: boolean;
  readonly states: number;
  /** The end states that were reached, such as `Processed` and `Compensated`. */
  readonly ends: readonly string[];
  /** The violated invariant, and the shortest sequence of moves to it; undefined if none was found. */
  readonly violation: { readonly fault: string; readonly way: readonly string[] } | undefined;
  /** A summary as text. */
  readonly summary: string;
}

const MOST_STATES = 200_000;
const WITHIN = "PT1M";

/**
 * Explores the newest version of a workflow. The structure is the app's: steps, predecessors, compensations, conditions, fallbacks, policies, queues. The times,
 * thresholds and services are the model's: two tries, one wait, and services that follow the contract of an agent. A step for each item
 * of a list is one step here, `mostFailures` is ignored, and
 * the first wait that expires is the last where `onAwaitExpired` gives waits their own count.
 * @throws where the app has no such workflow, or no such condition
 */
export async function explore(business: Business, name: string, options: ExploreOptions = {}): Promise<Exploration> {
  const { states: most = MOST_STATES, within = WITHIN } = options;
  const endsAt = Date.now() + milliseconds(within);
  const model = new Model(settingOf(business, name, options));
  const { states, complete, ends, finding } = await exploreModel(model, {
    states: most,
    isOver: () => Date.now() > endsAt,
  });
  const violation = finding && { fault: finding.fault, way: finding.trace };
  const report = { complete: complete && !violation, states, ends, violation };
  return { ...report, summary: inWords(report) };
}

function settingOf(business: Business, name: string, options: ExploreOptions): Setting {
  const workflow = business.loadWorkflows().newest(name);
  if (!workflow) throw new Error(`The app has no workflow ${name}: it has ${business.workflowNames.join(", ")}.`);
  const { goesWrong = { rejections: 1 }, conditions = {}, operator = [], mayAcceptWhatItRejected = false } = options;
  return {
    name,
    workflow: modelled(workflow),
    rules: rulesOf(workflow, conditions),
    hosts: ["east"],
    bounds: { ...NOTHING_GOES_WRONG, ...goesWrong },
    requests: operator.map((request) => REQUESTS[request]),
    isFickle: mayAcceptWhatItRejected,
  };
}

/** As long as a tick of the model's clock, or two: it tells times apart by whether they are over, and by nothing else. */
const TIMES = { startWithin: "PT30S", completeWithin: "PT30S", awaitWithin: "PT60S", wait: "PT30S" } as const;
/** The second failure is the last: a third would be as the second. */
const THRESHOLD = 2;

function modelled(workflow: Workflow): Workflow {
  return {
    ...workflow,
    name: CONTENT.workflow,
    policy: modelledPolicy(workflow.policy),
    steps: workflow.steps.map(modelledStep),
  };
}

function modelledPolicy<Policy extends Partial<RecoveryPolicy>>(policy: Policy): Omit<Policy, "mostFailures"> {
  const { compensation, awaitThreshold } = policy;
  // The model's normal form forgets which failures were waits that expired: so the first one is the last.
  const once = awaitThreshold !== undefined && { awaitThreshold: 1 };
  return { ...modelledBudget(policy), ...once, ...(compensation && { compensation: modelledBudget(compensation) }) };
}

function modelledBudget<Budget extends Partial<FailureBudget>>(budget: Budget): Omit<Budget, "mostFailures"> {
  // The model's normal form forgets the failures of all steps together.
  const { mostFailures: _, ...known } = budget;
  const { failureThreshold, waits } = known;
  return {
    ...known,
    ...(failureThreshold !== undefined && { failureThreshold: Math.min(failureThreshold, THRESHOLD) }),
    ...(waits && { waits: waits.slice(0, 1).map(() => TIMES.wait) }),
  };
}

function modelledStep({ forEach: _, ...step }: WorkflowStep): WorkflowStep {
  const { compensation, awaitWithin, policy } = step;
  return {
    ...step,
    agent: "service",
    ...{ startWithin: TIMES.startWithin, completeWithin: TIMES.completeWithin },
    ...(awaitWithin !== undefined && { awaitWithin: TIMES.awaitWithin }),
    ...(policy && { policy: modelledPolicy(policy) }),
    compensation:
      typeof compensation === "string" ? compensation : { ...compensation, completeWithin: TIMES.completeWithin },
  };
}

function rulesOf({ steps }: Workflow, conditions: { readonly [name: string]: boolean }): WorkflowRules {
  const names = [...new Set(steps.flatMap(({ when }) => when ?? []))];
  const strange = Object.keys(conditions).filter((name) => !names.includes(name));
  if (strange.length > 0) throw new Error(`The workflow has no condition ${strange.join(" or ")}.`);
  return { conditions: Object.fromEntries(names.map((name) => [name, () => conditions[name] ?? true])), lists: {} };
}

function inWords({ states, complete, ends, violation }: Omit<Exploration, "summary">): string {
  const count = states.toLocaleString("en");
  if (violation) {
    const way = violation.way.map((move, index) => `${String(index + 1).padStart(4)}  ${move}`);
    return [`Found in ${count} states: ${violation.fault}. The way there:`, ...way].join("\n");
  }
  const seen = `It ends ${ends.join(", ") || "nowhere that was seen"}.`;
  return complete
    ? `Explored ${count} states, to the end: nothing was found. ${seen}`
    : `Stopped at the bound after ${count} states: nothing was found so far. ${seen}`;
}
