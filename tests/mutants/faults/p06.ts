// P6: how an agent tries, and under which key.
import { faultsOf } from "../fault.ts";

const ROUTE_AGENT = "core:agents/route-agent.test.ts";
const POLICY = "core:agents/operation-policy.test.ts";
const ANSWERS = "shared/agents/service-answers.test.ts";
const POLL = "core:domain/poll.test.ts";

export const P6 = faultsOf("P6", [
  [
    "Each attempt has an idempotency key of its own.",
    "core:scheduler/step-request.ts",
    "idempotencyKey: idempotencyKey(jobId, step, direction, record),",
    "idempotencyKey: `${idempotencyKey(jobId, step, direction, record)}:${task.attempt}`,",
    "operations:long-running.test.ts -t P10 P11",
  ],
  [
    "A compensation goes under the key of its step.",
    "core:domain/idempotency-key.ts",
    "const key = `${jobId}:${step}:${direction}`;",
    "const key = `${jobId}:${step}:forward`;",
    "operations:compensation.test.ts",
  ],
  [
    "A step that begins anew goes under its old key.",
    "core:domain/idempotency-key.ts",
    "return generation === 1 ? key : `${key}:${generation}`;",
    "return key;",
    "operations:operate-job.test.ts",
  ],
  [
    "All instances try again at the same instants.",
    "core:agents/route-agent.ts",
    "generator: fullJitterGenerator,",
    "generator: (tries = 0, { initialDelay, maxDelay }) => [Math.min(initialDelay * 2 ** Number(tries), maxDelay), Number(tries) + 1] as never,",
    ROUTE_AGENT,
  ],
  [
    "The pauses between tries grow without a bound.",
    "core:agents/route-agent.ts",
    "maxDelay: policy.backoff?.longestMs ?? settings.longestPauseMs,",
    "maxDelay: Number.MAX_SAFE_INTEGER,",
    POLICY,
  ],
  [
    "There is one try more than the policy allows.",
    "core:agents/until-answered.ts",
    "tries >= manner.tries",
    "tries > manner.tries",
    POLICY,
  ],
  [
    "A try without an answer is waited for until complete-by.",
    "core:agents/until-answered.ts",
    "timeoutMs: manner.tryTimeoutMs,",
    "timeoutMs: 2 ** 30,",
    POLICY,
  ],
  [
    "Any status counts as a success.",
    "core:agents/http-service.ts",
    "const result = isSuccess(response) ? service.keep(response.answer) : undefined;",
    "const result = service.keep(response.answer);",
    ANSWERS,
  ],
  [
    "An id of a service may name another path.",
    "core:agents/http-service.ts",
    " && !/^\\.{1,2}$/.test(value)",
    "",
    "shared/agents/bounds.test.ts",
  ],
  [
    "A new credential is sent again and again after a 401.",
    "core:agents/http-service.ts",
    "if (response.status !== 401 || !credential) return response;",
    "if (!credential) return response;",
    "shared/agents/authentication.test.ts",
  ],
  [
    "A service is polled without a pause.",
    "core:domain/poll.ts",
    "Math.max(askedMs, SHORTEST_PAUSE_MS, ",
    "Math.max(askedMs, ",
    POLL,
  ],
  [
    "A service's pause may lead to no instant.",
    "core:domain/poll.ts",
    "Math.min(pauseMs, LONGEST_WAIT_MS)",
    "pauseMs",
    POLL,
  ],
  [
    "A wait of weeks is polled as often as one of minutes.",
    "core:domain/poll.ts",
    ", Math.floor(waitedMs * SHARE_OF_WAIT)));",
    "));",
    POLL,
  ],
  [
    "There is no last poll while an answer still counts.",
    "core:domain/poll.ts",
    "return last > after(now, SHORTEST_PAUSE_MS) && last < next ? last : next;",
    "return next;",
    POLL,
  ],
  [
    "A result that is not as its agent declares it is recorded.",
    "core:agents/declared-results.ts",
    "if (parsed.success) return withinRecord(parsed.data);",
    "return withinRecord(result);",
    "operations:misfit-results.test.ts",
  ],
  [
    "An agent gets what other steps recorded, declared or not.",
    "core:agents/declared-results.ts",
    "if (!reads) return asked;",
    "if (reads) return asked;",
    "core:agents/declared-results.test.ts",
  ],
]);
