// P18: the circuit breaker.
import { faultsOf } from "../fault.ts";

const ROUTE_AGENT = "core:agents/route-agent.test.ts";
const NEIGHBOURS = "shared/agents/neighbours.test.ts";
const HEALTH = "core:agents/circuit-breaker.ts";

export const P18 = faultsOf("P18", [
  [
    "A rejection of one job's request opens the breaker for all.",
    "core:agents/service-answers.ts",
    'OF_EITHER.has(status) ? "either" : "request";',
    'OF_EITHER.has(status) ? "either" : "endpoint";',
    NEIGHBOURS,
  ],
  [
    "One job's unknown path opens the breaker for all.",
    "core:agents/odd-answers.ts",
    "const SEVERAL = 3;",
    "const SEVERAL = 1;",
    NEIGHBOURS,
  ],
  [
    "Another answer between does not begin the count of odd ones again.",
    "core:agents/endpoint-pool.ts",
    'if (outcome !== "unclear" && result !== "odd") slot.odd.clear();',
    "",
    NEIGHBOURS,
  ],
  [
    "The breaker opens one failure late.",
    HEALTH,
    "new ConsecutiveBreaker(failures),",
    "new ConsecutiveBreaker(failures + 1),",
    ROUTE_AGENT,
  ],
  [
    "The breaker does not open for a part of the calls.",
    HEALTH,
    "new CountBreaker({ threshold: errorRate, size: windowCalls, minimumNumberOfCalls: windowMinimum }),",
    "",
    ROUTE_AGENT,
  ],
  ["A call from before the outage ends it.", HEALTH, "if (period !== this.#period) return;", "", ROUTE_AGENT],
  [
    "After an outage many calls probe at once.",
    HEALTH,
    'if (this.#state === "probing") return "probing";',
    'if (this.#state === "probing") return "probeDue";',
    ROUTE_AGENT,
  ],
  [
    "A probe that complete-by cuts off closes the breaker.",
    HEALTH,
    '// The probe showed no result: the next call is the probe.\n        this.#enter("open");',
    'this.#enter("closed");',
    ROUTE_AGENT,
  ],
  [
    "A mistaken Retry-After keeps an endpoint away for days.",
    HEALTH,
    "now + Math.min(restMs, this.#options.longestRestMs)",
    "now + restMs",
    ROUTE_AGENT,
  ],
  [
    "A service's Retry-After is not kept.",
    HEALTH,
    "if (restMs > 0) this.#restsUntil =",
    "if (restMs < 0) this.#restsUntil =",
    ROUTE_AGENT,
  ],
  [
    "What complete-by cuts off counts against the endpoint.",
    "core:agents/one-try.ts",
    'pool.release(lease, "unclear", CUT_OFF);',
    'pool.release(lease, "failed", CUT_OFF);',
    ROUTE_AGENT,
  ],
  [
    "A bug in an operation keeps its place for ever.",
    "core:agents/one-try.ts",
    'pool.release(lease, "unclear", bounded(`the operation failed: ${inWords(cause)}`));',
    "",
    ROUTE_AGENT,
  ],
  [
    "Sends go on over a connection that gives no answer.",
    "core:messaging/bus-senders.ts",
    "if (gotNoAnswer(cause) && used === line) {",
    "if (used !== line) {",
    "core:messaging/bus-senders.test.ts",
  ],
  [
    "Each sender opens a new connection after a timeout.",
    "core:messaging/bus-senders.ts",
    "if (gotNoAnswer(cause) && used === line) {",
    "if (gotNoAnswer(cause)) {",
    "core:messaging/bus-senders.test.ts",
  ],
]);
