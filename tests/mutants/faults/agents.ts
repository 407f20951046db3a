// P6 to P8, P18, P19, P22, P33 and P34: how an agent asks its service, and what becomes of its answer.
import { faultsOf } from "../fault.ts";

const QUEUE = "operations:queue-agents.test.ts";
const LATER = "operations:queue-agents-later.test.ts";
const LONG_RUNNING = "operations:long-running.test.ts";
const NOT_REPEATED = "operations:not-repeated.test.ts";
const THROWN = "operations:thrown-code.test.ts";
const ROUTE_AGENT = "core:agents/route-agent.test.ts";
const POLICY = "core:agents/operation-policy.test.ts";
const ANSWERS = "core:agents/service-answers.test.ts";
const BOUNDS = "shared/agents/bounds.test.ts";
const TRIES = "core:agents/until-answered.ts untilAnswered";
const ASK = "core:scheduler/steps/ask-agent.ts sendRequest";
const TAKE_REPLY = "core:scheduler/steps/take-reply.ts";

export const OF_AGENTS = [
  ...faultsOf("P6", [
    [
      "Each request has an idempotency key of its own.",
      "core:scheduler/steps/step-request.ts requestFor",
      ["set member", "idempotencyKey 2", "crypto.randomUUID()"],
      "operations:long-running.test.ts -t P10 P11",
    ],
    [
      "A compensation goes under the key of its step.",
      "core:domain/record/idempotency-key.ts idempotencyKey",
      ["text", ":${direction}", ":forward"],
      "operations:compensation.test.ts",
    ],
    [
      "A step that begins anew goes under its old key.",
      "core:domain/record/idempotency-key.ts idempotencyKey",
      ["always", "generation"],
      "operations:operate-job.test.ts",
    ],
    [
      "Any status counts as a success.",
      "core:agents/http-service.ts callService",
      ["text", "isSuccess(response) &&", "true &&"],
      ANSWERS,
    ],
  ]),
  ...faultsOf("P7", [
    [
      "A later request has the id of the first: the queue drops it.",
      "core:messaging/agent-messages.ts requestId",
      ["drop element", "again"],
      LATER,
    ],
    ["A request goes to its queue after its start-by.", ASK, ["operator", "<=", "==="], QUEUE],
    [
      "A reply is taken from a sender that did not receive the request.",
      `${TAKE_REPLY} taskFrom`,
      ["never", "isSame"],
      QUEUE,
    ],
    ["A reply that can't be read is dropped.", `${TAKE_REPLY} takeReply`, ["drop call", "quarantine"], QUEUE],
    [
      "An answer to an earlier request changes the record.",
      "core:scheduler/steps/ask-later.ts newsOf",
      ["never", "round"],
      LATER,
    ],
  ]),
  ...faultsOf("P8", [
    ["A reply after complete-by is recorded.", `${TAKE_REPLY} taskFrom`, ["operator", ">", "< -"], QUEUE],
    ["A late reply is not counted.", "core:scheduler/write-audit-log.ts rejectLate", ["drop call", "event"], QUEUE],
    [
      "The answer of a run that was scheduled again is recorded.",
      "core:domain/steps/step-end.ts awaits",
      ["drop term", "attempt"],
      "operations:independent-steps.test.ts",
    ],
    [
      "An agent behind its queue speaks after complete-by.",
      "core:scheduler/steps/answer-request.ts say",
      ["never", "completeBy"],
      QUEUE,
    ],
    [
      "A try begins after complete-by on a machine that was suspended.",
      "core:agents/deadline.ts passed",
      ["drop term", "now"],
      "core:agents/within-bounds.test.ts",
    ],
  ]),
  ...faultsOf("P18", [
    [
      "A rejection of one job's request opens the breaker for all.",
      "core:agents/service-answers.ts subjectOf",
      ["text", '"request"', '"endpoint"'],
      ANSWERS,
    ],
    [
      "The breaker does not open for a part of the calls.",
      "core:agents/circuit-breaker.ts CircuitBreaker.constructor",
      ["drop element", "CountBreaker"],
      ROUTE_AGENT,
    ],
    [
      "What complete-by cuts off counts against the endpoint.",
      "core:agents/one-try.ts tryOnce",
      ["text", '"unclear", CUT_OFF', '"failed", CUT_OFF'],
      ROUTE_AGENT,
    ],
  ]),
  ...faultsOf("P19", [
    [
      "An endpoint gets one call more than its capacity.",
      "core:agents/routing.ts chooseEndpoint",
      ["operator", ">=", ">"],
      ROUTE_AGENT,
    ],
    [
      "A normal call starves while urgent ones wait.",
      "core:agents/routing.ts nextLane",
      ["always", "NORMAL_SHARE"],
      "core:agents/routing.test.ts",
    ],
  ]),
  ...faultsOf("P22", [
    [
      "A step that is done later has only the time of its call.",
      "core:scheduler/steps/accept-step.ts acceptStep",
      ["text", "durationMs(awaitWithin)", "durationMs(task.completeWithin)"],
      LONG_RUNNING,
    ],
    [
      "Any report is taken whose step and job are known.",
      `${TAKE_REPLY} addressed`,
      ["always", "isSame"],
      LONG_RUNNING,
    ],
    [
      "A report between two attempts is late for ever.",
      `${TAKE_REPLY} takeReport`,
      ["never", "isBetween"],
      LONG_RUNNING,
    ],
    [
      "A poll that nobody made is found by nobody.",
      "core:domain/record/due.ts missedAt",
      ["return", "undefined"],
      "operations:polled-steps.test.ts",
    ],
    [
      "An attempt that continues as new begins its steps again.",
      "core:domain/steps/attempt.ts continued",
      ["set member", "begun", "[]"],
      "operations:continued-attempt.test.ts",
    ],
  ]),
  ...faultsOf("P33", [
    [
      "What an agent's code throws is not recorded.",
      "core:scheduler/steps/unanswered.ts failStep",
      ["drop term", "recordFault"],
      THROWN,
    ],
    [
      "A step whose code threw before it was taken up is scheduled again for ever.",
      "core:scheduler/steps/unanswered.ts failStep",
      ["drop call", "record"],
      THROWN,
    ],
    [
      "An outage around an agent's call counts as its code's failure.",
      "core:scheduler/code-fault.ts codeFaultOf",
      ["never", "Outage"],
      THROWN,
    ],
    ["An answer of any size is read.", "core:agents/bounds.ts readStart", ["never", "BODY_LIMIT_BYTES"], BOUNDS],
  ]),
  ...faultsOf("P34", [
    [
      "What is done at most once is tried again after a try without an answer.",
      TRIES,
      ["never", "atMostOnce"],
      "core:agents/without-keys.test.ts",
    ],
    ["What another run of the same task may have done is tried.", TRIES, ["drop term", "triedUntil 1"], NOT_REPEATED],
    ["What can still take effect counts as absent.", TRIES, ["never", "settledAt"], POLICY],
    [
      "A rejection after a try without an answer counts as certain.",
      "core:scheduler/steps/run-step.ts certaintyOf",
      ["never", "isNotRepeated"],
      NOT_REPEATED,
    ],
  ]),
];
