// The app without its servers: the operations over the store in memory, scripted agents and a recorder of what was sent.

import { randomUUID } from "node:crypto";
import {
  createMemoryAuditLog,
  createMemoryJobStore,
  createMemoryLease,
  createMemoryPresence,
  recordJob,
  submitJob,
} from "@scheduler-agent-supervisor/testing/memory";
import type { AgentRequest, BoundedReply, JobView, LastError, Pending, RoutedAgent } from "../src/agents/agent.ts";
import type { ReplyAddress } from "../src/domain/content/job.ts";
import type { AgentFacts, Workflow } from "../src/domain/definition/workflow.ts";
import type { JobStatus, StateRecord, StepResult } from "../src/domain/record/state-record.ts";
import { startAttemptOf } from "../src/domain/recovery/recovery.ts";
import {
  type Attempt,
  advance,
  type ClaimOutcome,
  firstObstacle,
  runKey,
  type StartAttempt,
  type StepOutcome,
  type StepTask,
  tasksToBegin,
} from "../src/domain/steps/attempt.ts";
import { NO_RULES, type WorkflowRules } from "../src/domain/workflows/workflow-rules.ts";
import { loadWorkflows } from "../src/domain/workflows/workflows.ts";
import type { AgentReplyMessage, AgentRequestMessage, Ticket } from "../src/messaging/agent-messages.ts";
import type { Contracts } from "../src/messaging/contract.ts";
import type {
  Messenger,
  PostponeOptions,
  Published,
  ReceivedMessage,
  Rejection,
  StatusMessage,
  Unreadable,
} from "../src/messaging/messenger.ts";
import { claimJob } from "../src/scheduler/claim-job.ts";
import { type Ports, USUAL_TIMING } from "../src/scheduler/ports.ts";
import { answerRequest } from "../src/scheduler/steps/answer-request.ts";
import { askAgent } from "../src/scheduler/steps/ask-agent.ts";
import { completionUrl } from "../src/scheduler/steps/completion.ts";
import { runStep } from "../src/scheduler/steps/run-step.ts";
import { takeReply } from "../src/scheduler/steps/take-reply.ts";
import type { JobStore } from "../src/store/job-store.ts";
import { createAbsences } from "../src/supervisor/absences.ts";
import type { Attributes, EventName } from "../src/telemetry/event-names.ts";
import type { Telemetry } from "../src/telemetry/events.ts";
import { contracts as usualContracts } from "./goods.ts";
import { CHAIN, GRAPH, RETURNS, sampleJob } from "./jobs.ts";

const OPERATIONS = new Map<string, readonly string[]>([
  ["inventory", ["reserve", "release", "restock", "withdraw"]],
  ["payment", ["authorize", "void", "capture", "refund", "refundReturn"]],
  ["fraud", ["check"]],
  ["shipping", ["arrange", "cancel", "pickUp", "cancelPickUp"]],
]);

type Answer =
  /** With a result of its own if absent. */
  | { readonly kind: "done"; readonly result?: StepResult }
  | { readonly kind: "accepted"; readonly reference?: string }
  | Pending
  | { readonly kind: "rejected"; readonly message: string; readonly outcomeUnknown?: boolean }
  | { readonly kind: "expired"; readonly lastError?: LastError };
type Call = AgentRequest<JobView> & { readonly agent: string; readonly operation: string };

interface Asked {
  readonly agent: string;
  readonly request: AgentRequestMessage;
  readonly leftMs: number;
}

/** What the sample's shop sends its job under. */
export const ENVELOPE = { messageId: "m-1", correlationId: "request-1", replyTo: "replies-shop" };

export interface World extends Omit<Ports, "timing"> {
  timing: { -readonly [name in keyof Ports["timing"]]: number };
  /** Milliseconds since 1970; tests move it. */
  clock: number;
  readonly telemetry: Telemetry;
  readonly events: { name: EventName; attributes: Attributes }[];
  readonly statuses: StatusMessage[];
  /** What was said of submissions that were not taken, and where. */
  readonly rejections: (Rejection & ReplyAddress)[];
  readonly startAttempts: StartAttempt[];
  readonly quarantined: Unreadable[];
  readonly postponed: ReceivedMessage[];
  /** When each of them is to come again; undefined at once. */
  readonly postponedTo: PostponeOptions[];
  /** What was asked over the agents' queues, and what came back. */
  readonly requests: (Asked & { readonly at?: string | undefined })[];
  readonly replies: AgentReplyMessage[];
  readonly calls: Call[];
  /** What an operation answers; done unless set. */
  readonly answers: Map<string, (call: Call) => Promise<Answer> | Answer>;
  /** What `publish` does instead of recording. */
  publishFault: Error | Published | undefined;
  /** No agent's queue takes a request any more. */
  tooLarge: boolean;
  /** A status that can't be sent. */
  failing: JobStatus | undefined;
  eventNames(): EventName[];
  /** The sample job under the sample's envelope, unless stated otherwise. */
  submit(body?: unknown, envelope?: Record<string, unknown>): Promise<ClaimOutcome | undefined>;
  /** The sample job, recorded and not claimed: what asks for its first attempt. */
  submitted(): Promise<StartAttempt>;
  /** Claims the job for the attempt. */
  claim(startAttempt: StartAttempt): Promise<Attempt>;
  /** Claims the job: the first step that the attempt has to run. */
  firstTask(startAttempt: StartAttempt): Promise<StepTask>;
  stateOf(jobId?: string): Promise<StateRecord | undefined>;
  /** Runs an attempt as the orchestrator does; undefined when the claim was rejected. */
  runAttempt(startAttempt: StartAttempt): Promise<StepOutcome["kind"] | ClaimOutcome["kind"]>;
}

/** What a test's workflows and contracts are, where they are not those of jobs.ts and goods.ts. */
export interface Business {
  readonly workflows: readonly Workflow[];
  readonly rules?: WorkflowRules;
  readonly contracts?: Contracts;
}

export function createWorld(
  startMs: number,
  store: JobStore = createMemoryJobStore(),
  { workflows: known, rules = NO_RULES, contracts = usualContracts }: Business = { workflows: [CHAIN, GRAPH, RETURNS] },
): World {
  const events: World["events"] = [];
  const statuses: StatusMessage[] = [];
  const rejections: World["rejections"] = [];
  const startAttempts: StartAttempt[] = [];
  const quarantined: Unreadable[] = [];
  const postponed: ReceivedMessage[] = [];
  const postponedTo: World["postponedTo"] = [];
  const calls: World["calls"] = [];
  const answers: World["answers"] = new Map();
  const facts = [...OPERATIONS].map(([name, operations]): [string, AgentFacts] => [
    name,
    { operations, transports: ["activity", "queue"] },
  ]);
  const workflows = loadWorkflows(new Map(facts), known, rules);
  const requests: World["requests"] = [];
  const replies: World["replies"] = [];

  const messenger: Messenger = {
    async publish(reply, messages) {
      if (world.publishFault instanceof Error) throw world.publishFault;
      if (messages.some(({ status }) => status === world.failing)) throw new Error("bus down");
      if (world.publishFault) return world.publishFault;
      if (reply.replyTo === null) return "nobody-asked";
      statuses.push(...messages);
      return "sent";
    },
    async reject(reply, rejection) {
      if (world.publishFault instanceof Error) throw world.publishFault;
      if (reply.replyTo === null) return "nobody-asked";
      if (world.publishFault) return world.publishFault;
      rejections.push({ ...reply, ...rejection });
      return "sent";
    },
    async startAttempt(startAttempt) {
      startAttempts.push(startAttempt);
    },
    async ask(agent, request, leftMs, { at } = {}) {
      if (world.tooLarge) return "too-large";
      requests.push({ agent, request, leftMs, ...(at && { at }) });
      return "asked";
    },
    async answer(_replyTo, reply) {
      replies.push(reply);
    },
    async quarantine(unreadable) {
      quarantined.push(unreadable);
    },
    async postpone(message, options) {
      postponed.push(message);
      postponedTo.push(options);
    },
  };

  const agents = [...OPERATIONS].map(
    ([name, operationNames]): RoutedAgent => ({
      name,
      operationNames,
      async call(operation, request, { takeUp, stillAtWork }) {
        if ((await takeUp()) === undefined) return { kind: "notTakenUp" };
        const call = { ...request, agent: name, operation };
        calls.push(call);
        const answer = bounded(await (answers.get(operation)?.(call) ?? { kind: "done" }), name, calls.length);
        if (answer.kind === "expired") await stillAtWork();
        return answer;
      },
    }),
  );

  async function doStep(task: StepTask): Promise<StepOutcome> {
    if (task.transport === "activity") return (await runStep(task, world)).outcome;
    await askAgent(task, world);
    const isOwn = ({ ticket }: { ticket: Ticket }) => ticket.step === task.step && ticket.lockedBy === task.lockedBy;
    const asked = requests.findLast(({ request }) => isOwn(request));
    if (!asked) return { kind: "expired" };
    await answerRequest(asked.agent, asked.request, "agent-replies", world);
    const reply = replies.findLast(isOwn);
    const received = reply && (await takeReply(reply, world));
    return received?.outcome ?? { kind: "expired" };
  }

  const world: World = {
    clock: startMs,
    publishFault: undefined,
    tooLarge: false,
    failing: undefined,
    now: () => world.clock,
    pause: async (ms) => {
      world.clock += ms;
    },
    leadership: createMemoryLease(15_000, () => world.clock).heldBy("supervisor"),
    supervision: createMemoryAuditLog(),
    store,
    messenger,
    agents: new Map(agents.map((agent) => [agent.name, agent])),
    jobFor: (_agent, job) => job,
    checkResult: (_agent, _operation, result) => ({ kind: "fits", result }),
    workflows,
    isNewerWorkflow: async (name) => name === "brought-by-a-newer-app",
    rules: {
      workflows: workflows.names,
      contracts,
      listFaults: workflows.listFaults,
    },
    taskHub: "hub",
    completionUrl: (ticket) => completionUrl("http://localhost:7071", ticket),
    nonce: randomUUID,
    admission: { admit: async () => undefined },
    presence: createMemoryPresence(() => world.clock),
    absences: createAbsences(() => world.clock),
    timing: {
      ...USUAL_TIMING,
      clockSkewMs: 1000,
      sweepWithinMs: 5000,
      orchestrationsKeptForMs: 60_000,
    },
    telemetry: { event: (name, attributes) => void events.push({ name, attributes }) },
    events,
    statuses,
    rejections,
    startAttempts,
    quarantined,
    postponed,
    postponedTo,
    requests,
    replies,
    calls,
    answers,
    eventNames: () => events.map(({ name }) => name),
    submit: (body = sampleJob(), envelope = ENVELOPE) => submitJob({ body, envelope, traceparent: null }, world),
    async submitted() {
      const message = { body: sampleJob(), envelope: ENVELOPE, traceparent: null };
      const record = await recordJob(message, world);
      if (!record) throw new Error("nothing to start");
      return startAttemptOf(record);
    },
    async claim(startAttempt) {
      const claim = await claimJob(startAttempt, world);
      if (claim.kind !== "claimed") throw new Error("the claim was rejected");
      return claim.attempt;
    },
    async firstTask(startAttempt) {
      const [task] = tasksToBegin(await world.claim(startAttempt), new Set());
      if (!task) throw new Error("no task");
      return task;
    },
    stateOf: async (jobId = "job-1") => (await world.store.state(jobId))?.record,
    async runAttempt(startAttempt) {
      const claim = await claimJob(startAttempt, world);
      if (claim.kind !== "claimed") return claim.kind;
      return (await runTasks(claim.attempt, doStep)).kind;
    },
  };
  return world;
}

/** Begins what can be begun, as the orchestrator does, until nothing is left or something is in the way. `ran`: what it did, in order. */
export async function runTasks(
  claimed: Attempt,
  run: (task: StepTask) => Promise<StepOutcome>,
): Promise<{
  readonly kind: Exclude<StepOutcome["kind"], "completed"> | "concluded";
  readonly ran: readonly StepTask[];
}> {
  let attempt = claimed;
  const begun = new Set<string>();
  const ran: StepTask[] = [];
  for (let tasks = tasksToBegin(attempt, begun); tasks.length > 0; tasks = tasksToBegin(attempt, begun)) {
    for (const task of tasks) begun.add(runKey(task));
    ran.push(...tasks);
    const outcomes = await Promise.all(tasks.map(run));
    const obstacle = firstObstacle(outcomes);
    if (obstacle) return { kind: obstacle.kind, ran };
    for (const outcome of outcomes) if (outcome.kind === "completed") attempt = advance(attempt, outcome);
  }
  return { kind: "concluded", ran };
}

function bounded(answer: Answer, agent: string, call: number): BoundedReply {
  const route = { endpoint: `http://${agent}/`, because: "only one" };
  switch (answer.kind) {
    case "done":
      return { ...route, kind: "done", result: answer.result ?? { id: `${agent}-${call}` } };
    case "accepted":
    case "pending":
    case "rejected":
      return { ...route, ...answer };
    case "expired":
      return { ...answer, tries: 1 };
    default:
      return answer satisfies never;
  }
}
