// Checks the service of an agent (P34): whether it has one effect, rejects a late request, and finds what was done. By the agent's own code.

import type { ServiceAgent } from "@scheduler-agent-supervisor/core/agents";
import type { Business, CheckedOperation } from "@scheduler-agent-supervisor/core/app";
import { type Authenticators, type Endpoint, policyFaults } from "@scheduler-agent-supervisor/core/composition";
import {
  type CompensationTarget,
  type ReadResults,
  secretValuesOf,
  sourceOf,
  type WorkflowStep,
} from "@scheduler-agent-supervisor/core/domain";
import { allSecrets } from "@scheduler-agent-supervisor/core/messaging";
import { type CheckCase, type CheckedJob, checkOperation, NotChecked } from "./check-operation.ts";
import { effectsAt } from "./effects.ts";
import { inWords, openCaller } from "./service-caller.ts";
import {
  acceptedContents,
  type CheckJob,
  newJob,
  type Prepare,
  readsFor,
  requestOf,
  type Use,
  useOf,
} from "./step-request.ts";

/** Options of `checkService`. */
export interface ServiceCheckOptions {
  readonly business: Business;
  /** The agent's name. */
  readonly agent: string;
  /** All that a workflow uses, if absent. */
  readonly operations?: readonly string[];
  /** Where each agent's service is asked: of this agent, and of those whose steps it reads. */
  readonly endpoints: { readonly [agent: string]: Endpoint | undefined };
  /** For endpoints that need a credential. */
  readonly authenticators?: Authenticators;
  /** Content for jobs, of each workflow the first that its contract accepts. Each job of the check gets an id of its own. */
  readonly contents: readonly object[];
  /** The results of steps that are not to be done by their own agents, by the step's name. */
  readonly results?: ReadResults;
  /** A query below the endpoint that lists the effects, with `{key}` and `{id}`. Absent: `$effects`, if the service has it. */
  readonly effects?: string;
  /** Where a service is to report what it does later: no job waits for it. Absent: an address of the service itself, which it does not have. */
  readonly reportTo?: string;
  /** The time until a late request, in milliseconds. A second if absent. */
  readonly lateAfterMs?: number;
}

/** What was seen of one operation. */
export interface CheckedOperationReport {
  readonly operation: string;
  readonly cases: readonly CheckCase[];
  readonly verdicts: CheckedOperation;
  /** Why nothing could be seen; absent if it was checked. */
  readonly notChecked?: string;
  /** What the agent's policy lacks, as text with the way out. */
  readonly faults: readonly string[];
}

const LATE_AFTER_MS = 1000;
/** The answer to a report there is final: a 404. */
const NO_REPORTS = "no-reports-of-a-check";

/**
 * Asks the service for each operation of the agent: again under the same key, at once, late, after its compensation, and compensated before; and by `find`.
 * It has real effects at the service, and compensates those that it can.
 * @throws one error that names every fault of the options
 */
export async function checkService(options: ServiceCheckOptions): Promise<CheckedOperationReport[]> {
  const { business } = options;
  const agent = business.serviceAgents.find(({ name }) => name === options.agent);
  const { accepted, faults: contentFaults } = acceptedContents(business, options.contents);
  const faults = [...optionFaults(options, agent), ...(accepted.size === 0 ? noContent(contentFaults) : [])];
  const endpoint = options.endpoints[options.agent];
  if (faults.length > 0 || !agent || !endpoint) throw new Error(`The check can't begin:\n  ${faults.join("\n  ")}`);
  const { reportTo = `${endpoint.url}${NO_REPORTS}` } = options;
  const checked: CheckedOperationReport[] = [];
  for (const operation of options.operations ?? Object.keys(agent.operations)) {
    const use = useOf(business, agent.name, operation, accepted);
    const check = () => checkUse({ ...options, reportTo }, { agent, endpoint, operation, use });
    checked.push(await reportOf(agent, operation, check));
  }
  return checked;
}

async function reportOf(
  agent: ServiceAgent,
  operation: string,
  check: () => Promise<CheckCase[]>,
): Promise<CheckedOperationReport> {
  try {
    const cases = await check();
    const verdicts = Object.fromEntries(cases.map(({ check: name, verdict }) => [name, verdict]));
    const policy = agent.policies?.[operation] ?? {};
    return { operation, cases, verdicts, faults: policyFaults(agent.name, operation, verdicts, policy) };
  } catch (cause) {
    if (!(cause instanceof NotChecked)) throw cause;
    return { operation, cases: [], verdicts: {}, notChecked: cause.message, faults: [] };
  }
}

interface Checked {
  readonly agent: ServiceAgent;
  readonly endpoint: Endpoint;
  readonly operation: string;
  readonly use: Use | undefined;
}

type Options = ServiceCheckOptions & { readonly reportTo: string };

async function checkUse(options: Options, { agent, endpoint, operation, use }: Checked): Promise<CheckCase[]> {
  if (!use) throw new NotChecked("no workflow that there is content for has a step with it: --content FILE");
  const { business, authenticators, reportTo, results: given = {}, lateAfterMs = LATE_AFTER_MS } = options;
  const count = effectsAt(endpoint, authenticators, options.effects);
  const begin = async (): Promise<CheckedJob> => {
    const job = newJob(business, use);
    const caller = callerOf(options, agent, endpoint, job);
    const { results, missing } = await readsFor(agent, use, job, given, preparing(options, use));
    const made = { business, use, job, results, reportTo };
    const forward = requestOf(made);
    if (sourceOf(use.step.forEach) && !forward.item)
      throw new NotChecked(`${use.step.forEach}, for whose items it is done, has none: ${missing.join("; ")}`);
    const compensation = (compensates: CompensationTarget) => requestOf({ ...made, compensates });
    const effects = () => count(job.id, forward.idempotencyKey);
    const explained = async (ask: ReturnType<typeof caller.call>) => {
      const seen = await ask;
      if (seen.kind !== "rejected" || missing.length === 0) return seen;
      return {
        ...seen,
        message: `${seen.message} (it reads ${missing.join("; ")}: give the results by --results FILE)`,
      };
    };
    if (use.isCompensation) {
      const done = await caller.call(use.step.operation, forward);
      if (done.kind !== "done" && done.kind !== "accepted")
        throw new NotChecked(`${use.step.operation}, which it compensates, came to: ${inWords(done)}`);
      const request = compensation({
        result: done.kind === "done" ? done.result : null,
        idempotencyKey: forward.idempotencyKey,
        ...(done.kind === "accepted" && { reference: done.reference }),
      });
      const find = agent.policies?.[operation]?.find && (() => caller.find(operation, request));
      return { request, ask: () => caller.call(operation, request), effects, ...(find && { find }) };
    }
    const { compensation: reversal } = use.step;
    const find = agent.policies?.[operation]?.find && (() => caller.find(operation, forward));
    return {
      request: forward,
      ask: () => explained(caller.call(operation, forward)),
      effects,
      ...(typeof reversal === "object" && {
        compensate: (target) => caller.call(reversal.operation, compensation(target)),
      }),
      ...(find && { find }),
    };
  };
  return checkOperation({ begin, lateAfterMs });
}

function callerOf({ business, authenticators }: Options, agent: ServiceAgent, endpoint: Endpoint, job: CheckJob) {
  return openCaller(agent, endpoint, authenticators, secretValuesOf(job.content, allSecrets(business.contracts)));
}

/** A step whose result the agent reads is done at its own service, with what that one's agent reads. */
function preparing(options: Options, use: Use): Prepare {
  const { business, endpoints, results: given = {}, reportTo } = options;
  const prepare = async (step: WorkflowStep, job: CheckJob) => {
    const agent = business.serviceAgents.find(({ name }) => name === step.agent);
    if (!agent) return { missing: `its agent ${step.agent} calls no service` };
    const endpoint = endpoints[agent.name];
    if (!endpoint) return { missing: `the service of ${agent.name} has no address` };
    const own = { ...use, step };
    const { results } = await readsFor(agent, own, job, given, prepare);
    const request = requestOf({ business, use: own, job, results, reportTo });
    const done = await callerOf(options, agent, endpoint, job).call(step.operation, request);
    if (done.kind !== "done") return { missing: `${agent.name}.${step.operation} came to: ${inWords(done)}` };
    return step.forEach === undefined ? done.result : [done.result];
  };
  return prepare;
}

function optionFaults(
  { business, agent: name, operations = [], endpoints }: ServiceCheckOptions,
  agent: ServiceAgent | undefined,
) {
  const names = business.serviceAgents.map((known) => known.name).join(", ");
  if (!agent) return [`no agent with a service is called ${name}: there are ${names}`];
  const known = Object.keys(agent.operations);
  return [
    ...(endpoints[name]
      ? []
      : [`the service of ${name} has no address: set ${agent.service.setting}, or --endpoint URL`]),
    ...operations
      .filter((operation) => !known.includes(operation))
      .map((operation) => `${name} has no operation ${operation}: it has ${known.join(", ")}`),
  ];
}

function noContent(faults: readonly string[]): string[] {
  const why = faults.length > 0 ? `: ${faults.join("; ")}` : "";
  return [`there is no content that a contract accepts${why}. Give some: --content FILE`];
}
