// What runs in a world: the activities of the scheduler and of the agents, and the receivers of messages and reports. Each does what its function does.
import {
  isThrown,
  type Look,
  Outage,
  outputOf,
  type PollTask,
  type StepEnd,
  type StepTask,
} from "@scheduler-agent-supervisor/core/domain";
import type { AgentReplyMessage, AgentRequestMessage, Unreadable } from "@scheduler-agent-supervisor/core/messaging";
import {
  answerRequest,
  askAgent,
  COMPLETIONS_PATH,
  type Context,
  claimJob,
  parseReport,
  pollService,
  publishEndOf,
  readProgress,
  reportEnd,
  runStep,
  runSteps,
  startClaimed,
  takeReply,
  takeReport,
} from "@scheduler-agent-supervisor/core/scheduling";
import type { WorldEngine } from "../memory/memory-engine.ts";
import type { Receivers } from "./world-messenger.ts";
import { APP_URL } from "./world-ports.ts";
import type { ServiceNetwork } from "./world-services.ts";

/** An agent that is not in the app: what it replies to a request, apart from the ticket; undefined for one that never replies. */
export type RemoteAgent = (request: AgentRequestMessage) => Without<AgentReplyMessage, "ticket"> | undefined;
type Without<Message, Name extends PropertyKey> = Message extends unknown ? Omit<Message, Name> : never;

const AGENT = /^(.+)Agent$/;

interface Subject {
  readonly jobId: string;
  readonly attempt: number;
}

export function createActivities(engine: () => WorldEngine, context: () => Context) {
  const reported = async (end: StepEnd, task: StepTask) => {
    await reportEnd(engine(), task.jobId, end);
    return outputOf(task, end);
  };
  /** Between two steps of one activity the world may stop, and its process may be killed. */
  const runStepOf = async (task: StepTask, isFirst: boolean) => {
    if (!isFirst) await new Promise<void>((resolve) => setTimeout(resolve, 0));
    return runStep(task, context());
  };
  return async (name: string, input: unknown): Promise<unknown> => {
    switch (name) {
      case "publishEnd":
        return publishEndOf(input as Subject, context());
      case "findProgress": {
        const look = input as Look;
        return reportEnd(engine(), look.jobId, {
          outcome: await readProgress(look, context()),
          receiver: look.attempt,
        });
      }
      case "pollStep": {
        const poll = input as PollTask;
        return reportEnd(engine(), poll.jobId, await pollService(poll, context()));
      }
      case "askAgent": {
        const end = await askAgent(input as StepTask, context());
        return end && reported(end, input as StepTask);
      }
      default: {
        if (!AGENT.test(name)) throw new Error(`there is no activity ${name}`);
        const first = input as StepTask;
        const end = await runSteps(first, (task) => runStepOf(task, task === first), context().now);
        return reported(end, first);
      }
    }
  };
}

export function createReceivers(
  engine: () => WorldEngine,
  context: () => Context,
  remoteAgents: { readonly [agent: string]: RemoteAgent },
  workers: Pick<ServiceNetwork, "hasWorker" | "work">,
): Receivers {
  return {
    async startAttempt(startAttempt) {
      const claim = await claimJob(startAttempt, context());
      if (claim.kind === "claimed") await startClaimed(engine(), claim, context());
    },
    async request(agent, request) {
      if (workers.hasWorker(agent) && remoteAgents[agent] === undefined) {
        const replies = await workers.work(agent, request);
        for (const reply of replies)
          await context().messenger.answer("agent-replies", reply as unknown as AgentReplyMessage);
        return;
      }
      if (context().agents.has(agent)) return answerRequest(agent, request, "agent-replies", context());
      const remote = remoteAgents[agent];
      if (!remote)
        throw new Error(
          `The agent ${agent} is not in the app: say by remoteAgents what it replies, or simulate its service with a queue.`,
        );
      const reply = remote(request);
      const { ticket } = request;
      if (reply) await context().messenger.answer("agent-replies", { ...reply, ticket } as AgentReplyMessage);
    },
    async reply(reply, enqueuedAt) {
      const received = await takeReply(reply, context(), {
        message: { enqueuedAt } as NonNullable<Unreadable["received"]>,
      });
      if (received) await reportEnd(engine(), received.ticket.jobId, received);
    },
  };
}

/** What whoever reports gets for an answer: taken, told to report again, or told that nobody waits. */
export async function takeReportAt(
  url: string,
  body: object,
  engine: WorldEngine,
  context: Context,
): Promise<"taken" | "again" | "nobody waits"> {
  const parsed = parseReport(url.slice(`${APP_URL}/${COMPLETIONS_PATH}/`.length), JSON.stringify(body));
  if (parsed.kind === "unknown") return "nobody waits";
  if (parsed.kind === "invalid") throw atFault(parsed.faults);
  try {
    const taken = await takeReport(parsed.report, context);
    if (taken.kind === "misfit") throw atFault(taken.faults);
    if (taken.kind === "late" || taken.kind === "unknown") return "nobody waits";
    if (taken.kind === "not yet") return "again";
    if (taken.kind === "recorded") await reportEnd(engine, parsed.report.address.jobId, taken.received);
    return "taken";
  } catch (cause) {
    if (isThrown(Outage, cause)) return "again";
    throw cause;
  }
}

function atFault(faults: readonly string[]): Error {
  return new Error(`A service's report is at fault: ${faults.join("; ")}`);
}
