// Checks the service of an agent (P34), or its worker: whether it has one effect, rejects a late request, and finds what was done. By the agent's own
// code. An agent without a service is asked whether it is pure.

import type {
  AnyAgent,
  Authenticators,
  CompensationTarget,
  Endpoint,
  LocalAgent,
  RemoteAgent,
  ServiceAgent,
} from "@scheduler-agent-supervisor/core/agents";
import { type Business, type CheckedOperation, verdictFaults } from "@scheduler-agent-supervisor/core/app";
import { type ReadResults, secretValuesOf, sourceOf } from "@scheduler-agent-supervisor/core/domain";
import { allSecrets } from "@scheduler-agent-supervisor/core/messaging";
import type { WorkflowStep } from "@scheduler-agent-supervisor/core/workflows";
import { checkAnswers } from "./check-answers.ts";
import { type CheckCase, type CheckedJob, checkOperation, NotChecked } from "./check-operation.ts";
import { type CountEffects, effectsAt } from "./effects.ts";
import { inWords, openCaller, type ServiceCaller } from "./service-caller.ts";
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
import { type AskByQueue, openWorkerCaller } from "./worker-caller.ts";

/** Options of `checkService`. */
export interface ServiceCheckOptions {
  readonly business: Business;
  /** The agent's name. */
  readonly agent: string;
  /** All that a workflow uses, if absent. */
  readonly operations?: readonly string[];
  /** Where each agent's service is asked: of this agent, and of those whose steps it reads. Of an agent elsewhere: where effects are listed. */
  readonly endpoints: { readonly [agent: string]: Endpoint | undefined };
  /** For an agent elsewhere: sends a request to its queue, and hands on the replies. */
  readonly askByQueue?: AskByQueue;
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
/** RFC 2606: no such host can be. */
const NOWHERE = "http://nowhere.invalid/";

/**
 * Asks the service, or the worker, for each operation of the agent: again under the same key, at once, late, after its compensation, and compensated
 * before; and by `find`. It has real effects there, and compensates those that it can. A rule, or another agent without a service, is asked twice
 * and late for the same.
 * @throws one error that names every fault of the options
 */
export async function checkService(options: ServiceCheckOptions): Promise<CheckedOperationReport[]> {
  const { business } = options;
  const agent = business.agents.find(({ name }) => name === options.agent);
  const { accepted, faults: contentFaults } = acceptedContents(business, options.contents);
  const faults = [...optionFaults(options, agent), ...(accepted.size === 0 ? noContent(contentFaults) : [])];
  if (faults.length > 0 || !agent) throw new Error(`The check can't begin:\n  ${faults.join("\n  ")}`);
  const { reportTo = `${options.endpoints[options.agent]?.url ?? NOWHERE}${NO_REPORTS}` } = options;
  const checked: CheckedOperationReport[] = [];
  for (const operation of options.operations ?? Object.keys(agent.results)) {
    const use = useOf(business, agent.name, operation, accepted);
    const check = () => checkUse({ ...options, reportTo }, agent, operation, use);
    checked.push(await reportOf(agent, operation, check));
  }
  return checked;
}

async function reportOf(
  agent: AnyAgent,
  operation: string,
  check: () => Promise<CheckCase[]>,
): Promise<CheckedOperationReport> {
  try {
    const cases = await check();
    const verdicts = Object.fromEntries(cases.map(({ check: name, verdict }) => [name, verdict]));
    return { operation, cases, verdicts, faults: verdictFaults(agent, operation, verdicts) };
  } catch (cause) {
    if (!(cause instanceof NotChecked)) throw cause;
    return { operation, cases: [], verdicts: {}, notChecked: cause.message, faults: [] };
  }
}

type Options = ServiceCheckOptions & { readonly reportTo: string };

async function checkUse(
  options: Options,
  agent: AnyAgent,
  operation: string,
  use: Use | undefined,
): Promise<CheckCase[]> {
  if (!use) throw new NotChecked("no workflow that there is content for has a step with it: --content FILE");
  if (agent.kind === "local") return checkLocal(options, agent, operation, use);
  return checkElsewhere(options, agent, operation, use);
}

async function checkLocal(options: Options, agent: LocalAgent, operation: string, use: Use): Promise<CheckCase[]> {
  const { business, reportTo, results: given = {}, lateAfterMs = LATE_AFTER_MS } = options;
  const job = newJob(business, use);
  const { results } = await readsFor(agent, use, job, given, preparing(options, use));
  const made = { business, use, job, results, reportTo };
  const nothing = { result: null, idempotencyKey: requestOf(made).idempotencyKey };
  const request = requestOf({ ...made, ...(use.isCompensation && { compensates: nothing }) });
  return checkAnswers(agent, operation, request, lateAfterMs);
}

type AgentElsewhere = ServiceAgent | RemoteAgent;
const policiesOf = (agent: AgentElsewhere) => (agent.kind === "service" ? (agent.policies ?? {}) : {});
const readingOf = (agent: AgentElsewhere) => (agent.kind === "service" ? agent : { reads: {} });

async function checkElsewhere(
  options: Options,
  agent: AgentElsewhere,
  operation: string,
  use: Use,
): Promise<CheckCase[]> {
  const { business, reportTo, results: given = {}, lateAfterMs = LATE_AFTER_MS } = options;
  const count = counting(options, agent);
  const begin = async (): Promise<CheckedJob> => {
    const job = newJob(business, use);
    const caller = callerOf(options, agent, use, job);
    const { results: read, missing } = await readsFor(readingOf(agent), use, job, given, preparing(options, use));
    // An agent elsewhere receives the results of all steps before it.
    const results = agent.kind === "remote" ? given : read;
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
      const find = policiesOf(agent)[operation]?.find && (() => caller.find(operation, request));
      return { request, ask: () => caller.call(operation, request), effects, ...(find && { find }) };
    }
    const { compensation: reversal } = use.step;
    const find = policiesOf(agent)[operation]?.find && (() => caller.find(operation, forward));
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

function counting({ endpoints, authenticators, effects }: Options, { name }: AgentElsewhere): CountEffects {
  const endpoint = endpoints[name];
  return endpoint ? effectsAt(endpoint, authenticators, effects) : async () => undefined;
}

/** @throws NotChecked where it can't be asked */
function callerOf(options: Options, agent: AgentElsewhere, { step }: Use, job: CheckJob): ServiceCaller {
  const { business, authenticators, endpoints, askByQueue } = options;
  if (agent.kind === "remote") {
    if (!askByQueue) throw new NotChecked("its worker is asked by a queue, and there is no Service Bus");
    return openWorkerCaller(agent.name, step, job.id, askByQueue);
  }
  const endpoint = endpoints[agent.name];
  if (!endpoint) throw new NotChecked(`the service of ${agent.name} has no address`);
  const secrets = secretValuesOf(job.content, allSecrets(business.contracts));
  return openCaller(agent, endpoint, authenticators, secrets);
}

/** A step whose result the agent reads is done at its own service, with what that one's agent reads. */
function preparing(options: Options, use: Use): Prepare {
  const { business, endpoints, results: given = {}, reportTo } = options;
  const prepare = async (step: WorkflowStep, job: CheckJob) => {
    const agent = business.agents.find(({ name }) => name === step.agent);
    if (!agent || agent.kind === "local") return { missing: `its agent ${step.agent} calls no service` };
    if (agent.kind === "service" && !endpoints[agent.name])
      return { missing: `the service of ${agent.name} has no address` };
    const own = { ...use, step };
    const { results } = await readsFor(readingOf(agent), own, job, given, prepare);
    const request = requestOf({ business, use: own, job, results, reportTo });
    const done = await callerOf(options, agent, own, job).call(step.operation, request);
    if (done.kind !== "done") return { missing: `${agent.name}.${step.operation} came to: ${inWords(done)}` };
    return step.forEach === undefined ? done.result : [done.result];
  };
  return prepare;
}

function optionFaults(
  { business, agent: name, operations = [], endpoints }: ServiceCheckOptions,
  agent: AnyAgent | undefined,
) {
  const names = business.agents.map((known) => known.name).join(", ");
  if (!agent) return [`no agent is called ${name}: there are ${names}`];
  const known = Object.keys(agent.results);
  return [
    ...(agent.kind !== "service" || endpoints[name]
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
