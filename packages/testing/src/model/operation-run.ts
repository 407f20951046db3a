// Runs the real operations up to their next call: from the start, with the answers that were given so far.

import {
  type PollTask,
  runOf,
  type StartAttempt,
  type StateRecord,
  type StepTask,
  type Versioned,
} from "@scheduler-agent-supervisor/core/domain";
import type { Address, OperatorRequest } from "@scheduler-agent-supervisor/core/messaging";
import {
  answerRequest,
  askAgent,
  type Caller,
  claimJob,
  operateJob,
  type Ports,
  pollService,
  publishEndOf,
  runStep,
  runSteps,
  sweep,
  takeReply,
  takeReport,
} from "@scheduler-agent-supervisor/core/scheduling";
import { StoreUnavailable } from "@scheduler-agent-supervisor/core/store";
import { submitJob } from "../world/world-submissions.ts";
import { type Ask, type Asked, type Call, NONCE, portsOver, type Replied, type Reported } from "./calls.ts";
import type { Mutant } from "./mutant.ts";
import { OPERATOR } from "./normal-form.ts";
import type { ActivityName, HandlerName, OperationName } from "./operation-name.ts";
import { CONTENT, type Host, type Setting } from "./setting.ts";

const ACTIVITIES: ReadonlySet<string> = new Set<ActivityName>(["runStep", "askAgent", "pollStep", "publishEnd"]);

export function isActivity(name: OperationName): name is ActivityName {
  return ACTIVITIES.has(name);
}

export function isHandler(name: OperationName): name is HandlerName {
  return name === "submitJob" || name === "takeStartAttempt" || name === "answerRequest" || name === "takeReply";
}

/** What an operation has met so far: a reading of its clock, the answer to a call, or a call's failure. */
export type Entry = { readonly now: string } | { readonly answer: unknown } | { readonly fails: "store" | "bus" };

/** Where it stands: at a call that is not answered yet, or at its end. */
export type Stand =
  | Call
  | { readonly kind: "returned"; readonly value: unknown }
  | { readonly kind: "threw"; readonly cause: string };

export interface Run {
  readonly host: Host;
  readonly name: OperationName;
  readonly input: unknown;
  readonly isAgain?: boolean;
}

const quiet = { event: () => undefined };

function invoke(
  { name, input }: Run,
  plain: Ports,
  { mutant, goesOn }: Setting,
  onStep: (task: StepTask) => void,
): Promise<unknown> {
  const ports = mutant?.reads ? withReads(plain, (record) => mutant.reads?.(record, name) ?? record) : plain;
  const context = { ...ports, telemetry: quiet };
  switch (name) {
    case "submitJob": {
      const envelope = { messageId: "request", correlationId: "request", replyTo: "replies-shop" };
      return submitJob({ body: CONTENT, envelope, traceparent: null }, context);
    }
    case "takeStartAttempt":
      return claimJob(input as StartAttempt, context);
    case "runStep": {
      const task = input as StepTask;
      const keyed = { ...withKeys(ports, task, mutant?.keyOf), telemetry: quiet };
      const run = (each: StepTask) => {
        onStep(each);
        return runStep(each, keyed);
      };
      return goesOn ? runSteps(task, run, keyed.now) : run(task);
    }
    case "askAgent":
      return askAgent(input as StepTask, context);
    case "pollStep":
      return pollService(input as PollTask, context);
    case "publishEnd":
      return publishEndOf(input as StartAttempt, context);
    case "answerRequest": {
      const { request, replyTo } = input as Asked;
      return answerRequest("service", request, replyTo, context);
    }
    case "takeReply":
      if ("report" in (input as Replied | Reported)) return takenReport(input as Reported, ports, mutant);
      return takeReply((input as Replied).reply, {
        ...(mutant?.acceptsLateReplies ? withLateClock(ports, 1) : ports),
        telemetry: quiet,
      });
    case "sweep":
      return sweep(context).then(() => undefined);
    case "operateJob":
      return operateJob(CONTENT.jobId, input as OperatorRequest, CALLER, context).then(() => undefined);
    default:
      return name satisfies never;
  }
}

/** What came of a report; between two attempts it is to be reported again. */
async function takenReport({ report }: Reported, plain: Ports, mutant?: Mutant): Promise<unknown> {
  const ports = mutant?.acceptsLateReplies ? withLateClock(plain, 2) : plain;
  const address = mutant?.ignoresNonce ? { ...report.address, nonce: NONCE } : report.address;
  const taken = await takeReport({ ...report, address }, { ...ports, telemetry: quiet });
  if (taken.kind === "not yet") return NOT_YET;
  if (taken.kind === "unknown") return isKnown(address, await ports.store.latest(address.jobId)) ? NOT_YET : undefined;
  return taken.kind === "recorded" ? taken.received : undefined;
}

export const NOT_YET = "not yet";

/** The route asks for a report to an unknown address again until its read can't be stale (`DoubtedAddresses`). */
function isKnown({ step, direction, nonce }: Address, latest: Versioned | undefined): boolean {
  return runOf(latest?.record.steps[step], direction)?.nonce === nonce;
}

/** What it reads of the record is not what stands there. */
function withReads(ports: Ports, reads: (record: StateRecord) => StateRecord): Ports {
  const { store } = ports;
  const changed = (found: Versioned | undefined) => found && { ...found, record: reads(found.record) };
  return {
    ...ports,
    store: {
      ...store,
      state: async (jobId) => changed(await store.state(jobId)),
      latest: async (jobId) => changed(await store.latest(jobId)),
      async *due(before) {
        for await (const found of store.due(before)) yield { ...found, record: reads(found.record) };
      },
      async *pastDeadline(before) {
        for await (const found of store.pastDeadline(before)) yield { ...found, record: reads(found.record) };
      },
    },
  };
}

const CALLER: Caller = { by: OPERATOR, ifMatch: "any" };

/** Its first looks at the clock, which decide whether a reply is late, show a time long ago. */
function withLateClock(ports: Ports, most: number): Ports {
  let looks = 0;
  return {
    ...ports,
    now: () => {
      looks += 1;
      return looks <= most ? 0 : ports.now();
    },
  };
}

function withKeys(ports: Ports, { attempt }: StepTask, keyOf?: (key: string, attempt: number) => string): Ports {
  if (!keyOf) return ports;
  const agents = [...ports.agents.values()].map((agent) => ({
    ...agent,
    call: (...[operation, request, bounds]: Parameters<typeof agent.call>) =>
      agent.call(operation, { ...request, idempotencyKey: keyOf(request.idempotencyKey, attempt) }, bounds),
  }));
  return { ...ports, agents: new Map(agents.map((agent) => [agent.name, agent])) };
}

/**
 * Runs it over `log` to where it stands then. It is a pure function of what it is told, so that this is as good as having
 * kept it waiting there. Its clock is read at most once between two calls.
 * Answers also the task that it is at, of an activity that runs several.
 * @param now what its clock shows once the log is used up; absent where the log has to hold all readings
 */
export async function runTo(
  run: Run,
  log: readonly Entry[],
  now: string | undefined,
  setting: Setting,
): Promise<{ readonly log: readonly Entry[]; readonly stand: Stand; readonly task: StepTask | undefined }> {
  const met = [...log];
  let position = 0;
  let reading: number | undefined;
  let stand: Stand | undefined;
  let task: StepTask | undefined;
  let arrive: () => void = () => undefined;
  const arrived = new Promise<void>((resolve) => {
    arrive = resolve;
  });

  const ask: Ask = (call) => {
    if (stand) throw new Error(`${run.name} makes two calls at once, which the model can't interleave: ${call.kind}`);
    reading = undefined;
    const entry = met[position];
    if (!entry) {
      stand = call;
      arrive();
      return new Promise(() => undefined);
    }
    position += 1;
    if ("fails" in entry) return Promise.reject(failure(entry.fails));
    if ("answer" in entry) return Promise.resolve(entry.answer as never);
    throw new Error(`${run.name} did not read its clock again where it had before`);
  };
  const clock = () => {
    if (reading !== undefined) return reading;
    let entry = met[position];
    if (!entry) {
      if (now === undefined) throw new Error(`${run.name} reads its clock where it had not before`);
      entry = { now };
      met.push(entry);
    }
    if (!("now" in entry)) throw new Error(`${run.name} reads its clock where it had made a call before`);
    position += 1;
    reading = Date.parse(entry.now);
    return reading;
  };

  const onStep = (next: StepTask) => {
    task = next;
  };
  const end = invoke(run, portsOver(ask, clock, run, setting), setting, onStep).then(
    (value) => {
      stand ??= { kind: "returned", value };
    },
    (cause: unknown) => {
      stand ??= { kind: "threw", cause: String(cause) };
    },
  );
  await Promise.race([arrived, end]);
  if (!stand) throw new Error(`${run.name} stands nowhere`);
  return { log: met, stand, task };
}

function failure(what: "store" | "bus"): Error {
  return what === "store" ? new StoreUnavailable("answer", new Error("away")) : new Error("the bus is away");
}
