// What an operation asks of the world, one call at a time: each is a point at which it can be interleaved, or die.

import type { AgentRequest, BoundedReply, RoutedAgent } from "@scheduler-agent-supervisor/core/agents";
import {
  type GuardedWrite,
  type StartAttempt,
  type StateRecord,
  stepOfRun,
  type Versioned,
  type Workflows,
} from "@scheduler-agent-supervisor/core/domain";
import type {
  Address,
  AgentReplyMessage,
  AgentRequestMessage,
  Published,
  StatusMessage,
} from "@scheduler-agent-supervisor/core/messaging";
import type { Ports, Report } from "@scheduler-agent-supervisor/core/scheduling";
import type { Created, Written } from "@scheduler-agent-supervisor/core/store";
import { NO_RULES } from "@scheduler-agent-supervisor/core/workflows";
import { TICK_MS } from "./abstract-time.ts";
import { isPastDeadline } from "./normal-form.ts";
import { type OperationCall, REJECTED, stepOf } from "./service.ts";
import { CONTENT, CONTRACTS, HOSTS, type Host, type Setting, TIMING } from "./setting.ts";

/** The calls that have an effect or an answer that may differ; all others are answered at once. */
export type Call =
  | { readonly kind: "create"; readonly record: StateRecord }
  /** Newest: a read that is never stale. */
  | { readonly kind: "state"; readonly isNewest?: true }
  | { readonly kind: "change"; readonly write: GuardedWrite }
  | { readonly kind: "replace"; readonly etag: string; readonly record: StateRecord }
  | { readonly kind: "due"; readonly before: string }
  | { readonly kind: "publish"; readonly messages: readonly StatusMessage[] }
  | { readonly kind: "send"; readonly message: Sent }
  | OperationCall;

/** A message to one of the app's own queues. */
export type Sent =
  | { readonly queue: "scheduler"; readonly body: StartAttempt; readonly at: string | null }
  | { readonly queue: "requests"; readonly body: Asked; readonly leftMs: number }
  | { readonly queue: "replies"; readonly body: Replied | Reported };

/** An agent's request, and the host whose reply queue it names. */
export interface Asked {
  readonly request: AgentRequestMessage;
  readonly replyTo: string;
}

export interface Replied {
  readonly reply: AgentReplyMessage;
  readonly replyTo: string;
}

/** What the service has accepted and does later: for as long as it takes. */
export interface Accepted {
  readonly call: OperationCall;
  readonly address: Address;
  readonly replyTo: string;
}

/** A report, and the host that gave the address. */
export interface Reported {
  readonly report: Report;
  readonly replyTo: string;
}

/** What each call is answered with. */
export interface Answers {
  create: Created;
  state: Versioned | undefined;
  change: Written;
  replace: Written;
  due: Versioned | undefined;
  publish: Published;
  send: null;
  service: BoundedReply | { readonly kind: "takes long" | "absent" | "lost" };
}

/** The step that a reply or a report is of. */
export function aboutOf(said: Replied | Reported): Pick<Address, "step" | "direction"> {
  return "report" in said ? said.report.address : said.reply.ticket;
}

export const NONCE = "nonce";

export type Ask = <Kind extends Call["kind"]>(call: Extract<Call, { kind: Kind }>) => Promise<Answers[Kind]>;

function workflowsOf({ workflow, rules = NO_RULES, laterRules = rules }: Setting, isAgain: boolean): Workflows {
  return {
    newest: () => workflow,
    find: () => workflow,
    of: () => workflow,
    names: [workflow.name],
    haveDeadlines: workflow.deadline !== undefined,
    rules: isAgain ? laterRules : rules,
    listFaults: () => [],
  };
}

interface Runner {
  readonly host: Host;
  /** Of an activity: it was begun before. */
  readonly isAgain?: boolean;
}

/** The ports on which the real operations run: every call that matters goes through `ask`. */
export function portsOver(ask: Ask, now: () => number, { host, isAgain = false }: Runner, setting: Setting): Ports {
  const { mutant = {}, workflow } = setting;
  const operations = workflow.steps.flatMap(({ operation, compensation }) =>
    typeof compensation === "string" ? [operation] : [operation, compensation.operation],
  );
  const service: RoutedAgent = {
    name: "service",
    operationNames: operations,
    isNotRepeated: () => setting.withoutKeys !== undefined && !mutant.forgetsStart,
    async call(operation, request, { takeUp, stillAtWork }) {
      if (setting.idle?.includes(operation)) return { kind: "notTakenUp" };
      const taken = await takeUp();
      const completeBy =
        taken?.completeBy ?? (mutant.ignoresTakeUp ? new Date(now() + TICK_MS).toISOString() : undefined);
      if (completeBy === undefined) return { kind: "notTakenUp" };
      const call = serviceCall(operation, request, completeBy, setting);
      if (request.awaited) return pollWith(call, ask);
      const { withoutKeys } = setting;
      const until = taken?.triedUntil;
      const isAtWork = () => until !== undefined && Date.parse(until) > now();
      if (withoutKeys && (request.mayHaveHappened || until !== undefined)) {
        const found = await foundBefore(call, withoutKeys, isAtWork, ask);
        if (found) return found;
      }
      let answer = await ask<"service">(call);
      if (answer.kind === "takes long") {
        // One thing after the other: what happens meanwhile happens before or after.
        await stillAtWork();
        answer = await ask<"service">({ ...call, isSaid: true });
      }
      if (answer.kind !== "lost") return answer as BoundedReply;
      return (withoutKeys && (await foundBefore(call, withoutKeys, () => false, ask))) || OUT_OF_TIME;
    },
  };
  const send = async (message: Sent) => {
    await ask<"send">({ kind: "send", message });
  };
  const never = async () => {
    throw new Error("the model has no such call");
  };
  // A sweep's two searches are one read: its second one finds what its first one left.
  const search = async (before: string) => {
    const found = await ask<"due">({ kind: "due", before });
    return found ? [found] : [];
  };
  let left: Versioned[] | undefined;
  return {
    store: {
      create: (_, record) => ask<"create">({ kind: "create", record }),
      job: async () => CONTENT,
      state: () => ask<"state">({ kind: "state" }),
      latest: () => ask<"state">(mutant.forgetsNewest ? { kind: "state" } : { kind: "state", isNewest: true }),
      change: (_, write) => (mutant.splits ? changeInParts(mutant.splits(write), ask) : ask({ kind: "change", write })),
      replace: ({ etag }, record) =>
        ask<"replace">({ kind: "replace", etag, record: mutant.replaces ? mutant.replaces(record) : record }),
      revise: ({ etag }, record) => ask<"replace">({ kind: "replace", etag, record }),
      countInFlight: never,
      countByKey: never,
      inFlight: never,
      async *processed() {},
      async *due(before) {
        yield* left ?? (await search(before));
      },
      async *pastDeadline(before) {
        const found = await search(before);
        left = found.filter(({ record }) => !isPastDeadline(record));
        yield* found.filter(({ record }) => isPastDeadline(record));
      },
    },
    messenger: {
      publish: (_, messages) => ask<"publish">({ kind: "publish", messages }),
      startAttempt: (body, options) => send({ queue: "scheduler", body, at: options?.at ?? null }),
      ask: async (_, request, leftMs) => {
        await send({ queue: "requests", body: { request, replyTo: host }, leftMs });
        return "asked";
      },
      answer: (replyTo, reply) => send({ queue: "replies", body: { reply, replyTo } }),
      reject: never,
      quarantine: never,
      postpone: never,
    },
    agents: new Map([["service", service]]),
    jobFor: (_, job) => job,
    checkResult: (_agent, _operation, result) => ({ kind: "fits", result }),
    workflows: workflowsOf(setting, isAgain),
    isNewerWorkflow: never,
    // Read by the service of the model alone.
    completionUrl: ({ jobId, step, direction, nonce }) => JSON.stringify({ jobId, step, direction, nonce }),
    rules: { workflows: [workflow.name], contracts: CONTRACTS },
    timing: { ...TIMING, ...mutant.timing },
    // Where somebody works, the wait of one job is never known to be a failure.
    presence: {
      seen: () => undefined,
      began: () => undefined,
      engineLost: async () => undefined,
      engineLateMs: 0,
      engineBegan: 0,
      availability: async () => (setting.idle ? "absent" : "working"),
      isAway: never,
      pausesOf: async () => [],
    },
    absences: { seen: () => undefined, failed: () => undefined, followed: () => undefined, last: () => undefined },
    // Of one job there is never too much.
    admission: { admit: async () => undefined },
    taskHub: mutant.oneTaskHub ? (HOSTS[0] as Host) : host,
    leadership: {
      lead: async () => ({ kind: "leading", epoch: 1, leader: host }),
      stillLeads: async () => true,
      report: async () => undefined,
      release: async () => undefined,
    },
    supervision: {
      sweep: async () => undefined,
      decisions: async () => undefined,
      operatorAction: async () => undefined,
      lateReply: async () => undefined,
      entries: never as never,
    },
    // One that was not asked shows none.
    nonce: () => NONCE,
    now,
    pause: async () => undefined,
  };
}

async function pollWith(call: OperationCall, ask: Ask): Promise<BoundedReply> {
  const { reportTo: _, ...polled } = call;
  return (await ask<"service">({ ...polled, isPoll: true })) as BoundedReply;
}

const OUT_OF_TIME: BoundedReply = { kind: "expired", tries: 0 };

/** As agents/until-answered.ts has it, where a try may have taken effect; undefined if it has not. */
async function foundBefore(
  call: OperationCall,
  manner: "atMostOnce" | "find",
  isAtWork: () => boolean,
  ask: Ask,
): Promise<BoundedReply | undefined> {
  if (manner === "atMostOnce") return isAtWork() ? OUT_OF_TIME : { ...REJECTED, outcomeUnknown: true };
  const found = await ask<"service">({ ...call, isQuery: true });
  if (found.kind !== "absent") return found as BoundedReply;
  return isAtWork() ? OUT_OF_TIME : undefined;
}

function serviceCall(
  operation: string,
  { idempotencyKey, compensates, completion }: Pick<AgentRequest, "idempotencyKey" | "compensates" | "completion">,
  completeBy: string,
  { listed }: Setting,
): OperationCall {
  const lists = compensates === null ? listed?.[stepOfRun(stepOf(idempotencyKey))] : undefined;
  return {
    kind: "service",
    operation,
    key: idempotencyKey,
    compensates: compensates?.idempotencyKey ?? null,
    completeBy,
    isSaid: false,
    ...(lists && { lists }),
    ...(completion && { reportTo: JSON.parse(completion.url) as Address }),
  };
}

async function changeInParts(parts: readonly GuardedWrite[], ask: Ask): Promise<Written> {
  let written: Written = { kind: "rejected" };
  for (const write of parts) {
    written = await ask<"change">({ kind: "change", write });
    if (written.kind === "rejected") break;
  }
  return written;
}
