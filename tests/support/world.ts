// The app without its servers: the operations over the store in memory, scripted agents and a recorder of what was sent.
import type { Agent, AgentReply, AgentRequest } from "../../shared/agents/agent.ts";
import type { ClaimOutcome, StepOutcome, Wake } from "../../shared/domain/attempt.ts";
import { advance, nextTask } from "../../shared/domain/attempt.ts";
import type { Messenger, StatusMessage, Told, Unreadable } from "../../shared/messaging/messenger.ts";
import { claimOrder } from "../../shared/operations/claim-order.ts";
import type { Ports } from "../../shared/operations/ports.ts";
import { runStep } from "../../shared/operations/run-step.ts";
import { createMemoryOrderStore } from "../../shared/store/memory-order-store.ts";
import type { Attributes, EventName, Telemetry } from "../../shared/telemetry/events.ts";
import { loadWorkflows } from "../../shared/workflows/workflows.ts";

const AGENT_NAMES = ["inventory", "payment", "shipping"];

export interface World extends Ports {
  /** Milliseconds since 1970; tests move it. */
  clock: number;
  readonly telemetry: Telemetry;
  readonly events: { name: EventName; attributes: Attributes }[];
  readonly statuses: StatusMessage[];
  readonly wakes: Wake[];
  readonly quarantined: Unreadable[];
  readonly calls: { agent: string; request: AgentRequest }[];
  /** What an agent answers; done unless set. */
  readonly answers: Map<string, (request: AgentRequest) => Promise<AgentReply> | AgentReply>;
  /** What `tell` does instead of recording. */
  tellFault: Error | Told | undefined;
  eventNames(): EventName[];
  /** Runs an attempt as the orchestrator does; undefined when the claim was refused. */
  runAttempt(wake: Wake): Promise<StepOutcome["kind"] | "taken" | "processed">;
}

export function createWorld(startMs: number): World {
  const events: World["events"] = [];
  const statuses: StatusMessage[] = [];
  const wakes: Wake[] = [];
  const quarantined: Unreadable[] = [];
  const calls: World["calls"] = [];
  const answers: World["answers"] = new Map();
  const workflows = loadWorkflows(AGENT_NAMES);

  const messenger: Messenger = {
    async tell(reply, message) {
      if (world.tellFault instanceof Error) throw world.tellFault;
      if (world.tellFault) return world.tellFault;
      if (reply.replyTo === null) return "nobody-asked";
      statuses.push(message);
      return "sent";
    },
    async wake(wake) {
      wakes.push(wake);
    },
    async quarantine(unreadable) {
      quarantined.push(unreadable);
    },
  };

  const agents = AGENT_NAMES.map(
    (name): Agent => ({
      name,
      async call(request) {
        calls.push({ agent: name, request });
        const answer = answers.get(name);
        return answer ? answer(request) : { kind: "done", result: { id: `${name}-1` }, endpoint: `http://${name}` };
      },
    }),
  );

  const world: World = {
    clock: startMs,
    tellFault: undefined,
    now: () => world.clock,
    store: createMemoryOrderStore(),
    messenger,
    agents: new Map(agents.map((agent) => [agent.name, agent])),
    workflows,
    rules: { workflows: workflows.names, replyQueuePattern: /^replies-[a-z]+$/ },
    timing: { claimWithinMs: 60_000, clockSkewMs: 1000, sweepWithinMs: 5000 },
    telemetry: { event: (name, attributes) => void events.push({ name, attributes }) },
    events,
    statuses,
    wakes,
    quarantined,
    calls,
    answers,
    eventNames: () => events.map(({ name }) => name),
    async runAttempt(wake) {
      const claim: ClaimOutcome = await claimOrder(wake, world, world.telemetry);
      if (claim.kind === "taken") return claim.kind;
      let attempt = claim.attempt;
      for (let task = nextTask(attempt); task; task = nextTask(attempt)) {
        const outcome = await runStep(task, world, world.telemetry);
        if (outcome.kind !== "completed") return outcome.kind;
        attempt = advance(attempt, task.step, outcome);
      }
      return "processed";
    },
  };
  return world;
}
