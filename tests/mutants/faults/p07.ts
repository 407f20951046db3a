// P7: requests and replies over queues.
import { faultsOf } from "../fault.ts";

const QUEUE = "operations:queue-agents.test.ts";
const LATER = "operations:queue-agents-later.test.ts";
const MESSENGER = "core:messaging/service-bus-messenger.test.ts";
const BUS = "core:messaging/service-bus-messenger.ts";
const TAKE_REPLY = "core:scheduler/steps/take-reply.ts";

export const P7 = faultsOf("P7", [
  [
    "A later request has the id of the first: the queue drops it.",
    "core:messaging/agent-messages.ts",
    "...(round === undefined ? [] : [round])]",
    "]",
    LATER,
  ],
  [
    "A request goes to its queue after its start-by.",
    "core:scheduler/steps/ask-agent.ts",
    "if (leftMs <= 0) {",
    "if (leftMs <= -1e12) {",
    QUEUE,
  ],
  ["A request never expires.", BUS, "timeToLive: leftMs,", "", MESSENGER],
  [
    "A reply is taken from a sender that did not receive the request.",
    TAKE_REPLY,
    "if (!lacksNonce && !isSame(run.nonce, ticket.nonce))",
    "if (!mayLackNonce && run.nonce === undefined)",
    QUEUE,
  ],
  [
    "A reply is taken from another team's queue.",
    TAKE_REPLY,
    'if (!isOwn(task)) return late("it came by a queue of somebody who was not asked");',
    "",
    "operations:agent-teams.test.ts",
  ],
  [
    "A team's agent replies to the app's own queue.",
    BUS,
    "replyTo: repliesQueueOf(teamOf(agent, queues.agentTeams), queues.agentReplies),",
    "replyTo: queues.agentReplies,",
    MESSENGER,
  ],
  [
    "A request that is too large for its queue is asked again and again.",
    "core:scheduler/steps/ask-agent.ts",
    'if ((await context.messenger.ask(agent, asked, leftMs)) === "asked") return undefined;',
    "await context.messenger.ask(agent, asked, leftMs);\n  return undefined;",
    QUEUE,
  ],
  [
    "A reply that can't be read is dropped.",
    TAKE_REPLY,
    "await context.messenger.quarantine({",
    "await Promise.resolve({",
    QUEUE,
  ],
  [
    "An answer to an earlier request changes the record.",
    "core:scheduler/steps/ask-later.ts",
    "if ((run.again?.round ?? 1) !== round) return undefined;",
    "",
    LATER,
  ],
  [
    "An agent that asks for a later request gets more time.",
    "core:scheduler/steps/ask-later.ts",
    "completeBy: isFirst ? (own < latest ? own : latest) : completeBy,",
    "completeBy: own,",
    LATER,
  ],
  [
    "A later request tells its agent nothing of the first.",
    "core:scheduler/steps/ask-later.ts",
    "...(!awaited && { mayHaveHappened: true }),",
    "",
    LATER,
  ],
  [
    "A reply is turned away because of a stale read.",
    "core:scheduler/steps/take-reply.ts",
    "(await ports.store.latest(jobId))?.record",
    "(await ports.store.state(jobId))?.record",
    "operations:stale-reads.test.ts",
  ],
]);
